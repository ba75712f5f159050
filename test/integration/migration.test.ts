import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { until } from '../support/fakes/until.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { MAIN, startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { WebhookReceiver } from '../support/network/webhook-receiver.js';
import { itAtNight } from '../support/jest/lanes.js';

/* A wallet with a history, which monero-wallet-rpc wrote, moves to our server. */

const XMR = 1_000_000_000_000;
const STRANGER =
  '44Kbx4sJ7JDRDV5aAhLJzQCjDz2ViLRduE3ijDZu3osWKBjMGkV1XPk4pfDUMqt1Aiezvephdqm6YD19GKFD9ZcXVUTp6BW';
/** Blocks of the shop. */
const REWARDS = 10;
const WATCH_PASSWORD = 'look only';

let root: string;
let daemon: Monerod;
let payer: WalletRpc;
let shopAddress: string;
let accounts: Loose;
let balance: Loose;
const servers: WalletRpc[] = [];

/** Our server with a copy of the wallets as the reference left them. */
async function migrated(name: string, args: readonly string[], online = true): Promise<WalletRpc> {
  const walletDir = join(root, name);
  cpSync(join(root, 'left'), walletDir, { recursive: true });
  const server = await startWalletRpc({ walletDir, args, ...(online ? { daemon: daemon.address } : {}) });
  servers.push(server);
  return server;
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'migration-'));
  daemon = await startRegtestDaemon();
  const theirs = await startReference({ daemon: daemon.address });
  payer = await startWalletRpc({ daemon: daemon.address });
  await createWallet(payer);
  await createWallet(theirs, 'shop');
  shopAddress = (await theirs.rpc('get_address')).address as string;
  const { address: second } = await theirs.rpc('create_account', { label: 'second' });
  await daemon.generate(shopAddress, REWARDS);
  // Outputs for rings.
  await daemon.generate(STRANGER, 65);
  await daemon.generate((await payer.rpc('get_address')).address as string, 75);
  await theirs.rpc('refresh');
  const destinations = [
    { address: STRANGER, amount: XMR },
    { address: second, amount: 2 * XMR },
  ];
  await theirs.rpc('transfer', { destinations });
  await daemon.generate(STRANGER, 3);
  await theirs.rpc('refresh');
  [balance, accounts] = [
    await theirs.rpc('get_balance', { all_accounts: true }),
    await theirs.rpc('get_accounts'),
  ];
  await theirs.rpc('store');
  const viewkey = (await theirs.rpc('query_key', { key_type: 'view_key' })).key as string;
  const watch = { filename: 'watch', password: WATCH_PASSWORD, address: shopAddress, viewkey };
  await theirs.rpc('generate_from_keys', watch);
  await theirs.rpc('refresh');
  await theirs.rpc('store');
  await theirs.stop({ keep: true });
  cpSync(theirs.walletDir, join(root, 'left'), { recursive: true });
  rmSync(theirs.walletDir, { recursive: true, force: true });
});

afterAll(async () => {
  await Promise.all([...servers, payer].map((server) => server?.stop({ keep: true })));
  await daemon?.stop();
  rmSync(root, { recursive: true, force: true });
});

const sums = ({ per_subaddress, ...answer }: Loose): unknown => ({
  balance: answer.balance,
  unlocked_balance: answer.unlocked_balance,
  rows: (per_subaddress as Loose[]).map((row) => [
    ...[row.account_index, row.address_index, row.balance, row.unlocked_balance, row.num_unspent_outputs],
  ]),
});

describe('the balance of a migrated wallet', () => {
  it('is that of the old cache until the wallet is scanned, and says so', async () => {
    const server = await migrated('offline', [], false);
    await server.rpc('open_wallet', { filename: 'shop', password: '' });
    const shown = await server.rpc('get_balance', { all_accounts: true });
    expect(sums(shown)).toEqual(sums(balance));
    const listed = await server.rpc('get_accounts');
    expect([shown.synced, listed.synced]).toEqual([false, false]);
    expect([listed.total_balance, listed.total_unlocked_balance]).toEqual([
      ...[accounts.total_balance, accounts.total_unlocked_balance],
    ]);
    expect((listed.subaddress_accounts as Loose[]).map((row) => row.balance)).toEqual(
      (accounts.subaddress_accounts as Loose[]).map((row) => row.balance),
    );
  });

  it('is that of the chain once it is scanned', async () => {
    const server = await migrated('scanned', []);
    await server.rpc('open_wallet', { filename: 'shop', password: '' });
    await server.rpc('refresh');
    const shown = await server.rpc('get_balance', { all_accounts: true });
    expect(sums(shown)).toEqual(sums(balance));
    expect(shown).not.toHaveProperty('synced');
    expect(await server.rpc('get_accounts')).not.toHaveProperty('synced');
  });

  it('of a restored wallet is not synced until its history is scanned', async () => {
    const server = servers[0] as WalletRpc;
    const request = { filename: 'restored', password: '', restore_height: 1 };
    const seed = (await payer.rpc('query_key', { key_type: 'mnemonic' })).key as string;
    await server.rpc('restore_deterministic_wallet', { ...request, seed });
    expect(await server.rpc('get_balance')).toMatchObject({ balance: 0, synced: false });
    await createWallet(server, 'created');
    expect(await server.rpc('get_balance')).not.toHaveProperty('synced');
  });
});

describe('the history of a migrated wallet', () => {
  /** A server with a command and a webhook, after its first refresh. */
  async function scanned(name: string, args: readonly string[]) {
    const directory = join(root, `${name}-notified`);
    mkdirSync(directory);
    const server = await migrated(name, [
      ...['--webhook-allow-private', `--tx-notify=touch ${directory}/%s`],
      ...args,
    ]);
    const receiver = await WebhookReceiver.start();
    // Opening a wallet begins its refresh: the webhook is added before the history is scanned, or not at all.
    await server.rpc('auto_refresh', { enable: false });
    await server.rpc('open_wallet', { filename: 'shop', password: '' });
    await server.rpc('add_webhook', { url: receiver.url, types: ['payment.mined', 'transfer.mined'] });
    await server.rpc('refresh');
    const notified = (): string[] => readdirSync(directory);
    const sent = (): Loose[] => receiver.received.map(({ body }) => JSON.parse(String(body)) as Loose);
    return { server, receiver, notified, sent };
  }

  /** Pays the shop in a block. @returns the hash. */
  async function pay(): Promise<string> {
    await payer.rpc('refresh');
    const destinations = [{ address: shopAddress, amount: XMR }];
    const { tx_hash } = await payer.rpc('transfer', { destinations });
    await daemon.generate(STRANGER, 1);
    return tx_hash as string;
  }

  it('runs no command and is not sent; its events are marked', async () => {
    const { server, receiver, notified, sent } = await scanned('quiet', []);
    const { events } = await server.rpc('get_events', { types: ['payment.mined', 'transfer.mined'] });
    expect((events as Loose[]).length).toBeGreaterThan(REWARDS);
    expect((events as Loose[]).every(({ history }) => history === true)).toBe(true);
    const hash = await pay();
    await server.rpc('refresh');
    await until('the webhook of the payment', () => sent().length > 0);
    await until('the command of the payment', () => notified().length > 0);
    expect(notified()).toEqual([hash]);
    expect(sent().map(({ data, history }) => [data.tx_hash, history])).toEqual([[hash, undefined]]);
    await receiver.stop();
  });

  itAtNight('runs commands and is sent with --notify-history, marked', async () => {
    const { receiver, notified, sent } = await scanned('loud', ['--notify-history']);
    // The block after the payment above is no longer new to this copy either.
    await until('the commands of the rewards', () => notified().length > REWARDS);
    await until('the webhooks of the rewards', () => sent().length > REWARDS);
    expect(sent().every(({ history }) => history === true)).toBe(true);
    await receiver.stop();
  });
});

describe('wallet-rpc migrate --check', () => {
  interface Outcome {
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
  }

  /** Checks a directory; it must stay as it is, except for logs of stores that a server has open. */
  async function check(directory: string, ...args: readonly string[]): Promise<Outcome> {
    const contents = (): unknown[] =>
      readdirSync(directory)
        .filter((name) => !/-(wal|shm)$/.test(name))
        .map((name) => [name, readFileSync(join(directory, name)).toString('base64')]);
    const before = contents();
    const run = promisify(execFile)(process.execPath, [MAIN, 'migrate', '--check', directory, ...args]);
    const outcome = await run.then(
      (output): Outcome => ({ code: 0, ...output }),
      (error: Outcome) => error,
    );
    expect(contents()).toEqual(before);
    return outcome;
  }

  /** A directory of password files. */
  function passwords(watch = WATCH_PASSWORD): string {
    const directory = mkdtempSync(join(root, 'passwords-'));
    writeFileSync(join(directory, 'watch'), `${watch}\n`);
    return `--password-dir=${directory}`;
  }

  const copy = (name: string): string => {
    const directory = join(root, name);
    cpSync(join(root, 'left'), directory, { recursive: true });
    return directory;
  };

  itAtNight('reads the caches of wallets that are not migrated, also of a view-only one', async () => {
    const { code, stdout } = await check(join(root, 'left'), passwords());
    const [shop, watch] = stdout.trim().split('\n');
    const money = `${(balance.balance as number) / XMR}`.slice(0, 8);
    expect(shop).toMatch(/^shop: it is not migrated, and its cache can be read: balance \d+\.\d{12} XMR/);
    expect(shop).toContain(money);
    expect(watch).toMatch(/^watch: it is not migrated, and its cache can be read/);
    expect(code).toBe(0);
  });

  it('finds a migrated wallet equal to its cache, and one that is not scanned', async () => {
    const server = await migrated('checked', []);
    await server.rpc('open_wallet', { filename: 'shop', password: '' });
    await server.rpc('refresh');
    // Also while the wallet is open.
    const open = await check(server.walletDir, passwords());
    expect(open.stdout.split('\n')[0]).toMatch(/^shop: it equals its old cache: balance/);
    await server.rpc('auto_refresh', { enable: false });
    await server.rpc('set_daemon', { address: '127.0.0.1:1' });
    await server.rpc('open_wallet', { filename: 'watch', password: WATCH_PASSWORD });
    await server.stop({ keep: true });
    servers.splice(servers.indexOf(server), 1);
    const { code, stdout, stderr } = await check(server.walletDir, passwords());
    const [shop, watch, height] = stdout.trim().split('\n');
    expect(shop).toMatch(/^shop: it equals its old cache/);
    expect(watch).toMatch(/^watch: it differs from its old cache/);
    expect(height).toMatch(/^ {2}it is scanned up to height 1: refresh it, then check again$/);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('1 of 2 wallets differ or cannot be checked'),
    ]);
  });

  itAtNight('names wallets with a wrong password or a damaged cache, and checks the others', async () => {
    const directory = copy('damaged');
    const cache = readFileSync(join(directory, 'shop'));
    writeFileSync(join(directory, 'shop'), cache.subarray(0, cache.length >> 1));
    const { code, stdout, stderr } = await check(directory, passwords('guessed'));
    const [shop, watch] = stdout.trim().split('\n');
    expect(shop).toMatch(/^shop: .*its old cache cannot be (read|decrypted)/);
    expect(watch).toMatch(/^watch: .*password/i);
    expect(code).toBe(1);
    expect(stdout + stderr).not.toContain('guessed');
  });

  itAtNight(
    'refuses an empty or missing directory, and asks for no password without a terminal',
    async () => {
      const empty = mkdtempSync(join(root, 'empty-'));
      expect(await check(empty)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('no wallet in it'),
      });
      const missing = join(root, 'missing');
      const run = promisify(execFile)(process.execPath, [MAIN, 'migrate', '--check', missing]);
      await expect(run).rejects.toMatchObject({ stderr: expect.stringContaining('no such directory') });
      expect(readdirSync(root)).not.toContain('missing');
      expect(await check(join(root, 'left'))).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('password of shop: not given'),
      });
    },
  );
});
