import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Address, PaymentId } from '../../src/monero/cryptonote/types.js';
import { toHex } from '../../src/util/bytes.js';
import { ChainWallet } from '../support/wallets/chain-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { makePayment } from '../support/wallets/payments.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { itAtNight } from '../support/jest/lanes.js';

/*
 * Several outputs with the same one-time key, of which only one can ever be spent: a payer creates them by reusing its
 * transaction key. The reference has the same keys and must answer the same.
 */

const XMR = 1_000_000_000_000n;
const PAYERS = 36;
const rng = seededRng('reused keys');
const keys = new ChainWallet(seededRng('payee of reused keys'));
const miner = new ChainWallet(seededRng('miner beside reused keys'));
// Change would also go to reused keys, so each payer pays once.
const payers = Array.from({ length: PAYERS }, (_, i) => new ChainWallet(seededRng(`payer ${i}`)));

// The reference would reuse the rings of earlier runs for the same keys, so it gets a new ring database.
const rings = mkdtempSync(join(tmpdir(), 'rings-'));

let daemon: Monerod;
let ours: WalletRpc;
let reference: WalletRpc;

const address = (minor = 0): Address => keys.address({ major: 0, minor });
const amounts = (...values: number[]): bigint[] =>
  values.map((value) => BigInt(Math.round(value * 10)) * (XMR / 10n));

/** Pays outputs of one transaction to the one-time keys that the seed fixes. @returns the transaction hash. */
async function pay(keySeed: string, values: readonly number[], to: Address = address()): Promise<string> {
  const payer = payers.shift();
  if (payer === undefined) throw new Error('no payer is left');
  const wish = { to: amounts(...values).map((value) => [to, value] as const), keySeed };
  const { blob, hash } = await makePayment(daemon, payer, wish, rng);
  expect(await daemon.plain('/send_raw_transaction', { tx_as_hex: toHex(blob) })).toMatchObject({
    status: 'OK',
  });
  return toHex(hash);
}

const mine = (blocks = 1): Promise<void> => daemon.generate(miner.addressText(), blocks);

/** Fields that both servers send for every wallet. */
const ENTRY = [
  'txid',
  'type',
  'amount',
  'amounts',
  'height',
  'payment_id',
  'fee',
  'subaddr_index',
  'unlock_time',
];
const PAYMENT = ['tx_hash', 'amount', 'block_height', 'payment_id', 'subaddr_index', 'unlock_time', 'locked'];
const OUTPUT = [
  'tx_hash',
  'amount',
  'block_height',
  'global_index',
  'key_image',
  'pubkey',
  'spent',
  'unlocked',
  'frozen',
];

const picked = (rows: Loose[] | undefined, fields: readonly string[]): Loose[] =>
  (rows ?? []).map((row) => Object.fromEntries(fields.map((field) => [field, row[field]])));

const sorted = (rows: Loose[]): string[] => rows.map((row) => JSON.stringify(row)).sort();

/** Balance, transfers, payments and outputs of account 0. */
async function viewOf(wallet: WalletRpc): Promise<Record<string, unknown>> {
  await wallet.rpc('refresh');
  const { balance, unlocked_balance, per_subaddress } = await wallet.rpc('get_balance', { account_index: 0 });
  const lists = await wallet.rpc('get_transfers', { in: true, pool: true, out: true });
  const { payments } = await wallet.rpc('get_bulk_payments', { payment_ids: [] });
  const { transfers } = await wallet.rpc('incoming_transfers', { transfer_type: 'all' });
  return {
    balance,
    unlocked_balance,
    addresses: sorted(
      picked(per_subaddress, ['address_index', 'balance', 'unlocked_balance', 'num_unspent_outputs']),
    ),
    in: sorted(picked(lists.in, ENTRY)),
    pool: sorted(picked(lists.pool, ENTRY)),
    out: sorted(picked(lists.out, ENTRY)),
    payments: sorted(picked(payments, PAYMENT)),
    // In the server's order.
    outputs: picked(transfers, OUTPUT),
  };
}

/** Checks that both servers show the same. @returns the common view. */
async function expectAlike(): Promise<Record<string, unknown>> {
  const [mine_, theirs] = await Promise.all([viewOf(ours), viewOf(reference)]);
  expect(mine_).toEqual(theirs);
  return mine_;
}

/** Transfer of a transaction, which both servers must show alike. */
async function shown(txid: string): Promise<Loose> {
  const { transfer } = await ours.rpc('get_transfer_by_txid', { txid });
  const { transfer: theirs } = await reference.rpc('get_transfer_by_txid', { txid });
  expect(picked([transfer], ENTRY)).toEqual(picked([theirs], ENTRY));
  return transfer;
}

const full = (filename: string): Record<string, unknown> => ({
  filename,
  password: '',
  address: keys.addressText(),
  viewkey: toHex(keys.viewSecret),
  spendkey: toHex(keys.spendSecret),
  restore_height: 0,
});

/** Opens a new wallet with the same keys in both servers. */
async function restore(filename: string, { viewOnly = false } = {}): Promise<void> {
  const { spendkey, ...view } = full(filename);
  const params = viewOnly ? view : { ...view, spendkey };
  await Promise.all([ours, reference].map((wallet) => wallet.rpc('generate_from_keys', params)));
}

beforeAll(async () => {
  daemon = await startMonerod();
  [ours, reference] = await Promise.all([
    startWalletRpc({ daemon: daemon.address, args: ['--api-version=1.32'] }),
    startReference({ daemon: daemon.address, args: ['--trusted-daemon', `--shared-ringdb-dir=${rings}`] }),
  ]);
  await restore('live');
  for (const [i, payer] of payers.entries()) {
    await daemon.generate(payer.addressText(), 1);
    await payer.scanBlock(daemon, i + 1);
  }
  await mine(70);
}, 600_000);

afterAll(async () => {
  await Promise.all([ours?.stop(), reference?.stop()]);
  await daemon?.stop();
  rmSync(rings, { recursive: true, force: true });
});

describe('outputs with the same one-time key', () => {
  it('credit only the difference when the key is paid twice', async () => {
    const [first, second] = ['0101010101010101', '0202020202020202'].map((id) => ({
      ...address(),
      kind: 'integrated' as const,
      paymentId: Uint8Array.from(Buffer.from(id, 'hex')) as PaymentId,
    }));
    const a = await pay('twice', [1], first);
    await expectAlike();
    await mine();
    await expectAlike();
    const b = await pay('twice', [1.5], second);
    const inPool = await expectAlike();
    expect(inPool.pool).toHaveLength(1);
    expect((await shown(b)).amount).toBe(Number(XMR / 2n));
    await mine();
    const { balance } = await expectAlike();
    expect(balance).toBe(Number((3n * XMR) / 2n));
    expect((await shown(a)).amount).toBe(Number(XMR));
    expect(await shown(b)).toMatchObject({ amount: Number(XMR / 2n), amounts: [Number((3n * XMR) / 2n)] });
    for (const [id, amount] of [
      ['0101010101010101', XMR],
      ['0202020202020202', XMR / 2n],
    ] as const) {
      const params = { payment_id: id };
      const { payments } = await ours.rpc('get_payments', params);
      expect(picked(payments, PAYMENT)).toEqual(
        picked((await reference.rpc('get_payments', params)).payments, PAYMENT),
      );
      expect(payments).toMatchObject([{ amount: Number(amount) }]);
    }
  });

  it('credit nothing for a smaller or equal output', async () => {
    await pay('smaller', [2]);
    await pay('as large', [1]);
    await mine();
    await expectAlike();
    const smaller = await pay('smaller', [1]);
    await expectAlike();
    await mine();
    const same = await pay('as large', [1]);
    await mine();
    await expectAlike();
    expect((await shown(smaller)).amount).toBe(0);
    expect((await shown(same)).amount).toBe(0);
  });

  itAtNight('credit each a share of the largest when there are four', async () => {
    const hashes: string[] = [];
    for (const value of [1, 1.5, 1.2, 3]) {
      hashes.push(await pay('four', [value], address(1)));
      await mine();
      await expectAlike();
    }
    const credited: bigint[] = [];
    for (const hash of hashes) credited.push(BigInt((await shown(hash)).amount));
    expect(credited).toEqual(amounts(1, 0.5, 0, 1.5));
  });

  itAtNight('credit shares of a payment with several outputs to one address', async () => {
    await pay('several', [2, 1], address(2));
    await mine();
    const again = await pay('several', [1, 4], address(2));
    await expectAlike();
    await mine();
    await expectAlike();
    // The outputs have the same order both times.
    expect(BigInt((await shown(again)).amount)).toBe(amounts(3)[0]);
  });

  it('credit shares in the order of a block', async () => {
    const both = [await pay('block', [1], address(3)), await pay('block', [2.5], address(3))];
    await mine(2);
    await expectAlike();
    const shares: number[] = [];
    for (const hash of both) shares.push((await shown(hash)).amount);
    expect(shares.reduce((total, share) => total + share, 0)).toBe(Number(amounts(2.5)[0]));
  });
});

describe('an output with a spent one-time key', () => {
  const sweep = async (keySeed: string, txid: string): Promise<void> => {
    const { transfers } = await reference.rpc('incoming_transfers', { transfer_type: 'available' });
    const [output] = (transfers as Loose[]).filter(({ tx_hash }) => tx_hash === txid);
    expect([keySeed, output]).toEqual([keySeed, expect.anything()]);
    await reference.rpc('sweep_single', { address: miner.addressText(), key_image: output.key_image });
  };

  it('is not credited, whatever its amount', async () => {
    const txid = await pay('spent', [1.5]);
    await mine(12);
    await expectAlike();
    await sweep('spent', txid);
    await mine();
    const before = await expectAlike();
    const burnt = await pay('spent', [1.6]);
    await expectAlike();
    expect((await shown(burnt)).amount).toBe(0);
    await mine();
    const after = await expectAlike();
    expect(after.outputs).toEqual(before.outputs);
    expect((await shown(burnt)).amount).toBe(0);
    await mine(12);
    expect((await expectAlike()).balance).toBe(before.balance);
  });

  itAtNight('is not credited while the spending payment is in the pool', async () => {
    const txid = await pay('pending', [1.5], address(4));
    await mine(12);
    await expectAlike();
    await sweep('pending', txid);
    // Both know the payment; it is then kept out of the next block.
    await expectAlike();
    const { transactions } = await daemon.plain('/get_transaction_pool');
    const [{ tx_blob, id_hash }] = transactions as Loose[];
    await daemon.rpc('flush_txpool', { txids: [id_hash] });
    const burnt = await pay('pending', [2], address(4));
    await mine();
    const [{ balance, in: received }, theirs] = await Promise.all([viewOf(ours), viewOf(reference)]);
    expect(received).toEqual(theirs.in);
    expect((await shown(burnt)).amount).toBe(0);
    await daemon.plain('/send_raw_transaction', { tx_as_hex: tx_blob });
    await mine(2);
    expect((await expectAlike()).balance).toBe(balance);
    expect((await shown(burnt)).amount).toBe(0);
  });
});

describe('a wallet restored from the same keys', () => {
  it('shows the same as the reference does', async () => {
    await restore('restored');
    await expectAlike();
  });

  it('shows the same as a view-only wallet', async () => {
    await restore('watching', { viewOnly: true });
    await expectAlike();
  });

  it('shows the same after a key image import, and the same as a full wallet after a rescan', async () => {
    const received = (view: Record<string, unknown>): unknown => ({
      in: view.in,
      payments: view.payments,
      outputs: view.outputs,
      balance: view.balance,
    });
    await ours.rpc('open_wallet', { filename: 'restored', password: '' });
    const whole = await viewOf(ours);
    const exported = await ours.rpc('export_key_images', { all: true });
    await ours.rpc('open_wallet', { filename: 'watching', password: '' });
    for (const wallet of [ours, reference]) await wallet.rpc('import_key_images', exported);
    expect(received(await viewOf(ours))).toEqual(received(await viewOf(reference)));
    await ours.rpc('rescan_blockchain');
    expect(await viewOf(ours)).toEqual(whole);
  });
});

describe('a reorganisation that removes the larger of two', () => {
  itAtNight('leaves the smaller one credited and watched', async () => {
    await Promise.all(
      [ours, reference].map((wallet) => wallet.rpc('open_wallet', { filename: 'live', password: '' })),
    );
    const smaller = await pay('undone', [1], address(5));
    await mine(12);
    const before = await viewOf(ours);
    const larger = await pay('undone', [2], address(5));
    await mine();
    const between = await viewOf(ours);
    expect(BigInt(between.balance as number)).toBe(BigInt(before.balance as number) + XMR);
    await daemon.popBlocks(1);
    await daemon.rpc('flush_txpool', {});
    await mine(3);
    const after = await viewOf(ours);
    expect(after.balance).toBe(before.balance);
    expect(after.in).toEqual(before.in);
    await expect(ours.rpc('get_transfer_by_txid', { txid: larger })).rejects.toThrow('-8');
    // The scan thread recognises a spend of the smaller one.
    await restore('spender');
    await viewOf(reference);
    const { transfers } = await reference.rpc('incoming_transfers', {
      transfer_type: 'available',
      subaddr_indices: [5],
    });
    expect(transfers).toMatchObject([{ tx_hash: smaller }]);
    await ours.rpc('open_wallet', { filename: 'live', password: '' });
    await reference.rpc('sweep_single', { address: miner.addressText(), key_image: transfers[0].key_image });
    await daemon.generate(miner.addressText(), 1);
    expect(BigInt((await viewOf(ours)).balance as number)).toBe(BigInt(before.balance as number) - XMR);
    await restore('restored anew');
    await expectAlike();
  });
});
