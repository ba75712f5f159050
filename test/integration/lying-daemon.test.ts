import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import { walletCalls, type Loose, type WalletCalls } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/*
 * A daemon that lies about its chain. For each lie, a wallet that stands some blocks below the tip refreshes while the
 * daemon lies, and again when the lie has ended. Its books are compared with those that an honest daemon gives it.
 */

const XMR = 1_000_000_000_000;

let daemon: Monerod;
let server: WalletRpc;
let payer: WalletCalls;
/** Primary address of the payer and of the wallet that is lied to. */
let payerAddress: string;
let address: string;
/** Key image of an unspent output of the wallet that is lied to. */
let keyImage: string;
/** Heights of the blocks above the wallet: payments to it, a reward for it, a payment by it. */
let paid: number;
let rewarded: number;
let spent: number;
/** Books of the wallet that an honest daemon gives it, by height. */
const honest = new Map<number, Books>();
let honestPool: Loose[];

/** Everything that a wallet says about its money, without the pool. */
interface Books {
  readonly height: number;
  readonly balance: Loose;
  readonly transfers: Loose;
  readonly outputs: Loose;
  readonly request: Loose;
  readonly events: Loose;
}

const open = (name: string): WalletCalls => walletCalls(server.port, name);

async function booksOf(wallet: WalletCalls): Promise<Books> {
  const { height } = await wallet.rpc('get_height');
  const {
    in: received = [],
    out = [],
    pending = [],
    failed = [],
  } = await wallet.rpc('get_transfers', {
    ...{ in: true, out: true, pending: true, failed: true, all_accounts: true },
  });
  const { requests } = await wallet.rpc('list_payment_requests', {});
  const { events } = await wallet.rpc('get_events', { after: 0, limit: 1000 });
  return {
    height,
    balance: await wallet.rpc('get_balance', { all_accounts: true }),
    transfers: { received, out, pending, failed },
    outputs: await wallet.rpc('incoming_transfers', { transfer_type: 'all' }),
    request: requests,
    events: (events as Loose[]).map(({ type, data }) => [type, data]),
  };
}

const poolOf = async (wallet: WalletCalls): Promise<Loose[]> =>
  (((await wallet.rpc('get_transfers', { pool: true })).pool ?? []) as Loose[]).map(
    ({ txid, amount, double_spend_seen }) => ({ txid, amount, double_spend_seen }),
  );

/** Sets the lies of the daemon. */
const lie = async (what: string, about: object = {}): Promise<void> => {
  expect(await daemon.plain('/misbehave', { what, ...about })).toMatchObject({ status: 'OK' });
};

/** Copies the closed wallet `base` as it was below the newest blocks. */
async function copyBase(name: string): Promise<WalletCalls> {
  for (const end of ['', '.keys'])
    copyFileSync(join(server.walletDir, `base${end}`), join(server.walletDir, `${name}${end}`));
  const wallet = open(name);
  await wallet.rpc('open_wallet', { password: '' });
  return wallet;
}

const pay = async (to: string, amount: number, from = payer): Promise<void> => {
  await from.rpc('transfer', { destinations: [{ address: to, amount }] });
};

beforeAll(async () => {
  daemon = await startRegtestDaemon(['--misbehave=none', '--fixed-difficulty=8']);
  server = await startWalletRpc({ daemon: daemon.address, args: ['--refresh-period=0', '--trusted-daemon'] });
  payer = open('payer');
  const base = open('base');
  await createWallet(payer);
  await createWallet(base);
  payerAddress = (await payer.rpc('get_address')).address as string;
  address = (await base.rpc('get_address')).address as string;
  const mine = async (blocks = 1, to = payerAddress): Promise<number> => {
    await daemon.generate(to, blocks);
    await payer.rpc('refresh');
    return ((await daemon.rpc('get_block_count')) as { count: number }).count - 1;
  };
  await mine(75);
  for (let i = 0; i < 2; i++) await pay(address, 3 * XMR);
  await mine(11);
  await base.rpc('refresh');
  const request = await base.rpc('create_payment_request', { amount: XMR });
  keyImage = ((await base.rpc('incoming_transfers', { transfer_type: 'available' })).transfers as Loose[])[0]
    .key_image;
  const { height } = await base.rpc('get_height');
  await base.rpc('close_wallet');

  const twin = await copyBase('twin');
  const payout = await copyBase('payout');
  const seen = async (): Promise<void> => {
    await twin.rpc('refresh');
    const books = await booksOf(twin);
    honest.set(books.height, books);
  };
  await seen();
  await pay(request.address, XMR);
  await pay(address, 2 * XMR);
  paid = await mine();
  await seen();
  rewarded = await mine(1, address);
  await seen();
  await payout.rpc('refresh');
  await pay(payerAddress, XMR, payout);
  spent = await mine();
  await seen();
  await mine();
  await seen();
  await pay(address, XMR / 2);
  await twin.rpc('refresh');
  honestPool = await poolOf(twin);
  expect([...honest.keys()]).toEqual([height, height + 1, height + 2, height + 3, height + 4]);
  expect(honestPool).toHaveLength(1);
}, 60_000);

afterEach(() => lie(''));
afterAll(async () => {
  await server?.stop();
  await daemon?.stop();
});

test('x', async () => {
  const t0 = performance.now();
  const w = await copyBase('a');
  await lie('swapped-payment=1', { address, amount: 9 * XMR });
  const r = await w.call('refresh');
  console.log(r, performance.now() - t0);
  const books = await booksOf(w);
  console.log(JSON.stringify(books, null, 1).slice(0, 6000), await poolOf(w), performance.now() - t0);
  void [describe, it, paid, rewarded, spent, keyImage];
});
