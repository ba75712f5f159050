import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWallet } from '../support/create-wallet.js';
import type { Loose } from '../support/json-rpc.js';
import type { Monerod } from '../support/monerod.js';
import { until } from '../support/process.js';
import { startRegtestDaemon } from '../support/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/wallet-rpc.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

/* A wallet with a history, which monero-wallet-rpc wrote, moves to our server. */

const XMR = 1_000_000_000_000;
const STRANGER =
  '44Kbx4sJ7JDRDV5aAhLJzQCjDz2ViLRduE3ijDZu3osWKBjMGkV1XPk4pfDUMqt1Aiezvephdqm6YD19GKFD9ZcXVUTp6BW';
/** Blocks of the shop. */
const REWARDS = 75;

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
    const sent = (): Loose[] =>
      receiver.received.map(({ body }) => JSON.parse(String(body)) as Loose);
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

  it('runs commands and is sent with --notify-history, marked', async () => {
    const { receiver, notified, sent } = await scanned('loud', ['--notify-history']);
    // The block after the payment above is no longer new to this copy either.
    await until('the commands of the rewards', () => notified().length > REWARDS);
    await until('the webhooks of the rewards', () => sent().length > REWARDS);
    expect(sent().every(({ history }) => history === true)).toBe(true);
    await receiver.stop();
  });
});
