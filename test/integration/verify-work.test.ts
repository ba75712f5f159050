import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from '@jest/globals';
import { HttpDaemon } from '../../src/daemon/http-daemon.js';
import { parseBlock } from '../../src/monero/cryptonote/block.js';
import { workInput } from '../../src/monero/cryptonote/proof-of-work.js';
import { formatCheckpoint } from '../../src/services/work/checkpoint-file.js';
import { readCheckpoint } from '../../src/services/work/read-checkpoint.js';
import { toHex } from '../../src/util/bytes.js';
import { systemClock, unixSeconds } from '../../src/util/clock.js';
import { until } from '../support/fakes/until.js';
import { walletCalls, type Loose, type WalletCalls } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { itAtNight, someRows } from '../support/jest/lanes.js';

/*
 * A server with --verify-work and a daemon that invents blocks. The process that hashes is replaced by one which gives work to
 * the honest blocks alone (test/support/processes/listed-work-process.ts); RandomX itself: verified-work.nightly.test.ts.
 */

const XMR = 1_000_000_000_000;
const DIFFICULTY = 8;
const DEPTH = 6;
const SSL = { mode: 'disabled', allowedFingerprints: [], allowChained: false, allowAnyCert: true } as const;

const NO_WORK = /has not the (?:proof of work of its difficulty 8|work of its difficulty)$/;

let directory: string;
let list: string;
let daemon: Monerod;
let client: HttpDaemon;
let server: WalletRpc;
let payer: WalletCalls;
let payerAddress: string;
/** Address of the wallet that is lied to, and the key image of its output. */
let address: string;
let unspent: string;
/** Books of the wallet with an honest daemon. */
let honest: Loose;
let listed = 1;

/** Gives work to all blocks of the daemon that have none. */
async function giveWork(): Promise<void> {
  for (const { height } = await client.getInfo(); listed < height; listed++) {
    const { blob } = await client.getBlock(listed);
    appendFileSync(list, `${toHex(workInput(parseBlock(blob)))}\n`);
  }
}

async function mine(blocks = 1, to = payerAddress): Promise<void> {
  await daemon.generate(to, blocks);
  await giveWork();
  await payer.rpc('refresh');
}

const pay = async (to: string, amount: number): Promise<string> =>
  (await payer.rpc('transfer', { destinations: [{ address: to, amount }] })).tx_hash as string;

async function booksOf(wallet: WalletCalls): Promise<Loose> {
  const { height } = await wallet.rpc('get_height');
  const balance = await wallet.rpc('get_balance');
  const transfers = await wallet.rpc('get_transfers', { in: true, out: true, pending: true });
  return { height, balance, transfers };
}

const flags = (): readonly string[] => [
  ...['--refresh-period=0', '--trusted-daemon', '--verify-work', `--verify-depth=${DEPTH}`],
  `--checkpoint=${join(directory, 'checkpoint.json')}`,
];

const startVerifying = (walletDir: string): Promise<WalletRpc> =>
  startWalletRpc({
    ...{ daemon: daemon.address, walletDir, args: flags() },
    nodeFlags: [
      `--import=${new URL(`../support/processes/work-preload.js?list=${encodeURIComponent(list)}`, import.meta.url).href}`,
    ],
  });

const statusPage = async (): Promise<string> =>
  (await (await fetch(`http://127.0.0.1:${server.port}/status`)).text())
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');

const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
  return Number(new RegExp(`^wallet_rpc_${name} (\\S+)$`, 'm').exec(text)?.[1]);
};

/** Opens a copy of the wallet as it was below the newest blocks. */
async function copyBase(name: string): Promise<WalletCalls> {
  for (const end of ['', '.keys'])
    copyFileSync(join(server.walletDir, `base${end}`), join(server.walletDir, `${name}${end}`));
  const wallet = walletCalls(server.port, name);
  await wallet.rpc('open_wallet', { password: '' });
  return wallet;
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'verify-work-'));
  list = join(directory, 'blocks-with-work');
  writeFileSync(list, '');
  daemon = await startRegtestDaemon(['--misbehave=none', `--fixed-difficulty=${DIFFICULTY}`]);
  client = new HttpDaemon({ address: daemon.address, ssl: SSL });
  const { network, checkpoint } = await readCheckpoint(client, {
    ...{ height: 0, fixedDifficulty: BigInt(DIFFICULTY), now: unixSeconds(systemClock) },
  });
  writeFileSync(join(directory, 'checkpoint.json'), formatCheckpoint({ network, checkpoint }));
  server = await startVerifying(directory);
  payer = walletCalls(server.port, 'payer');
  const base = walletCalls(server.port, 'base');
  await createWallet(payer);
  await createWallet(base);
  payerAddress = (await payer.rpc('get_address')).address as string;
  address = (await base.rpc('get_address')).address as string;
  await mine(75);
  await pay(address, 3 * XMR);
  await mine(11);
  await base.rpc('refresh');
  const { transfers } = await base.rpc('incoming_transfers', { transfer_type: 'all' });
  unspent = (transfers as Loose[])[0]?.key_image as string;
  await base.rpc('close_wallet');
  await pay(address, 2 * XMR);
  await mine(3);
  const twin = await copyBase('twin');
  await twin.rpc('refresh');
  honest = await booksOf(twin);
}, 60_000);

/** Sets the lies of the daemon, and lets it serve again if a lie was found. */
async function lie(what: string, about: object = {}): Promise<void> {
  expect(await daemon.plain('/misbehave', { what, ...about })).toMatchObject({ status: 'OK' });
  await server.rpc('set_daemon', { address: daemon.address, trusted: true });
}

afterEach(() => lie(''));
afterAll(async () => {
  await server?.stop({ keep: true });
  client?.close();
  await daemon?.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe('verified confirmations', () => {
  it('stand beside the confirmations of payments, requests and proofs', async () => {
    const [{ verified_confirmations: verified, confirmations }] = honest.transfers.in as [Loose];
    expect(verified).toBe(confirmations);
    const { txid } = (honest.transfers.in as [Loose])[0];
    const { tx_key } = await payer.rpc('get_tx_key', { txid });
    const seen = await payer.rpc('check_tx_key', { txid, tx_key, address });
    expect(seen).toMatchObject({ confirmations, verified_confirmations: confirmations });
    const wallet = await copyBase('requests');
    const request = await wallet.rpc('create_payment_request', { amount: XMR });
    await pay(request.address as string, XMR);
    await mine(2);
    await wallet.rpc('refresh');
    const { payments } = await wallet.rpc('get_payment_request', { request_id: request.request_id });
    expect(payments).toMatchObject([{ confirmations: 2, verified_confirmations: 2 }]);
    const twin = walletCalls(server.port, 'twin');
    await twin.rpc('refresh');
    honest = await booksOf(twin);
  });
});

describe('nothing is credited, lost or freed', () => {
  const to = (): object => ({ address, amount: 9 * XMR });
  test.each<[string, () => object, RegExp | undefined]>(
    someRows(
      [
        ['forged-blocks=12', to, NO_WORK],
        ['forged-fork=5', to, undefined],
        ['half-difficulty=5', to, NO_WORK],
        ['future-time=1000000', () => ({}), /the timestamp of the block is more than two hours ahead$/],
        [
          'timestamp-war=20',
          () => ({}),
          /the timestamp of the block is before the median of the latest 60 blocks$/,
        ],
        ['forged-fork=50', to, NO_WORK],
        ['forged-spend=1', () => ({ key_images: [unspent] }), NO_WORK],
        ['forged-reward=9', to, NO_WORK],
      ],
      5,
    ),
  )('with %s', async (what, about, text) => {
    const wallet = await copyBase(what.replace('=', ' '));
    await lie(what, about());
    const forgeries = await metric('daemon_forgeries_total');
    const { error } = await wallet.call('refresh');
    const isTimestamp = what.startsWith('future');
    if (text !== undefined) expect(error?.message).toMatch(text);
    const books = await booksOf(wallet);
    expect(books.balance.balance).toBeLessThanOrEqual(honest.balance.balance as number);
    expect(JSON.stringify(books.transfers)).not.toContain(String(9 * XMR));
    if (error !== undefined && !isTimestamp) {
      expect(await metric('daemon_forgeries_total')).toBeGreaterThan(forgeries);
      expect(await statusPage()).toContain('Not verified');
    }
    await lie('');
    await wallet.rpc('refresh');
    expect(await booksOf(wallet)).toEqual(honest);
  });
});

describe('a wallet whose newest block has no work', () => {
  it('is told so by a refresh without news, and has no verified confirmation', async () => {
    const plain = await startWalletRpc({
      ...{ daemon: daemon.address, walletDir: directory },
      args: ['--refresh-period=0', '--trusted-daemon'],
    });
    await daemon.plain('/misbehave', { what: 'forged-blocks=12', address, amount: 9 * XMR });
    copyFileSync(join(directory, 'base'), join(directory, 'deceived'));
    copyFileSync(join(directory, 'base.keys'), join(directory, 'deceived.keys'));
    const before = walletCalls(plain.port, 'deceived');
    await before.rpc('open_wallet', { password: '' });
    await before.rpc('refresh');
    expect((await before.rpc('get_balance')).balance).toBe((honest.balance.balance as number) + 9 * XMR);
    await plain.stop({ keep: true });

    const wallet = walletCalls(server.port, 'deceived');
    await server.rpc('set_daemon', { address: daemon.address, trusted: true });
    await wallet.rpc('open_wallet', { password: '' });
    expect((await wallet.call('refresh')).error?.message).toMatch(NO_WORK);
    const { in: received } = await wallet.rpc('get_transfers', { in: true });
    expect(new Set((received as Loose[]).map((one) => one.verified_confirmations))).toEqual(new Set([0]));
    await lie('');
    await daemon.generate(payerAddress, 14);
    await giveWork();
    await wallet.rpc('refresh');
    expect((await wallet.rpc('get_balance')).balance).toBe(honest.balance.balance);
  });
});

describe('a server that verifies work', () => {
  /** Ids of the processes that hash. */
  const workers = (): number[] => {
    const pid = server.process.child.pid ?? 0;
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter((pid) => pid.trim() !== '')
      .map(Number)
      .filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('work-process'));
  };

  it('answers and goes on after its process was killed', async () => {
    const [pid = 0] = workers();
    process.kill(pid, 'SIGKILL');
    await until('the end of the process', () => workers().length === 0);
    await daemon.generate(payerAddress, 1);
    await giveWork();
    expect((await payer.call('refresh')).error?.message).toMatch(/cannot be checked/);
    expect(await statusPage()).toMatch(/Not verified .* has ended/);
    await until('a new process', async () => (await payer.call('refresh')).error === undefined);
    expect(workers()).toHaveLength(1);
    expect(await metric('work_process_ends_total')).toBe(1);
  });

  itAtNight('checks the blocks of its record no more after a restart', async () => {
    await server.stop({ keep: true });
    server = await startVerifying(directory);
    payer = walletCalls(server.port, 'payer');
    await payer.rpc('open_wallet', { password: '' });
    await daemon.generate(payerAddress, 1);
    await giveWork();
    await payer.rpc('refresh');
    expect(await metric('work_checks_total')).toBe(1);
    expect(await metric('work_verified_height_blocks')).toBe((await payer.rpc('get_height')).height);
  });
});
