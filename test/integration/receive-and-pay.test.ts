import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { itAtNight, someRows } from '../support/jest/lanes.js';

/*
 * Receiving and paying with the real daemon and the reference's wallet as counterpart. The tests build on each other
 * in order: each step pays with the money that earlier steps received.
 */

const PAYMENT_ID = '1122334455667788';
const XMR = 1_000_000_000_000;

let daemon: Monerod;
let ours: WalletRpc;
let theirs: WalletRpc;
let ourAddress: string;
let theirAddress: string;

/** Mines blocks and refreshes both wallets. */
async function confirm(blocks: number, to = theirAddress): Promise<void> {
  await daemon.generate(to, blocks);
  await Promise.all([ours.rpc('refresh'), theirs.rpc('refresh')]);
}

const received = async (wallet: WalletRpc, txid: string): Promise<Loose[]> => {
  const { in: incoming = [] } = await wallet.rpc('get_transfers', { in: true, all_accounts: true });
  return (incoming as Loose[]).filter((entry) => entry.txid === txid);
};

beforeAll(async () => {
  daemon = await startMonerod();
  [ours, theirs] = await Promise.all([
    startWalletRpc({ daemon: daemon.address }),
    startReference({ daemon: daemon.address }),
  ]);
  await createWallet(ours, 'ours', 'one');
  await createWallet(theirs, 'theirs', 'two');
  ourAddress = (await ours.rpc('get_address')).address;
  theirAddress = (await theirs.rpc('get_address')).address;
  await daemon.generate(theirAddress, 5);
});

afterAll(async () => {
  await Promise.all([ours?.stop(), theirs?.stop()]);
  await daemon?.stop();
});

describe('the main job', () => {
  it('shows mined money, and how much of it is locked', async () => {
    await daemon.generate(ourAddress, 80);
    await ours.rpc('refresh');
    const balance = await ours.rpc('get_balance');
    const mined = (await ours.rpc('get_transfers', { in: true })).in as Loose[];
    expect(mined).toHaveLength(80);
    expect(mined.every(({ type }) => type === 'block')).toBe(true);
    expect(balance.balance).toBe(mined.reduce((total, { amount }) => total + amount, 0));
    const open = mined.filter(({ height }) => height + 60 <= 86);
    expect(balance.unlocked_balance).toBe(open.reduce((total, { amount }) => total + amount, 0));
    expect((await ours.rpc('get_height')).height).toBe(86);
  });

  it.each(
    someRows<[string, () => Promise<string>, string]>(
      [
        [
          'a subaddress',
          async () => (await theirs.rpc('create_address', { label: 'shop' })).address as string,
          '0000000000000000',
        ],
        [
          'an integrated address',
          async () =>
            (await theirs.rpc('make_integrated_address', { payment_id: PAYMENT_ID }))
              .integrated_address as string,
          PAYMENT_ID,
        ],
        ['its primary address', () => Promise.resolve(theirAddress), '0000000000000000'],
      ],
      2,
    ),
  )('pays the reference at %s, to the last atomic unit', async (_, addressOf, paymentId) => {
    const address = await addressOf();
    const before = await ours.rpc('get_balance');
    const paid = await ours.rpc('transfer', {
      destinations: [{ amount: 1_234_567_890_123, address }],
      get_tx_key: true,
    });
    expect(paid.amount).toBe(1_234_567_890_123);
    expect(paid.tx_key).toMatch(/^([0-9a-f]{64})+$/);
    const { pending } = await ours.rpc('get_transfers', { pending: true });
    expect(pending).toHaveLength(1);
    expect(pending[0]).toMatchObject({
      txid: paid.tx_hash,
      amount: paid.amount,
      fee: paid.fee,
      type: 'pending',
    });
    expect((await ours.rpc('get_balance')).balance).toBe(before.balance - paid.amount - paid.fee);

    await confirm(10);
    const [entry, ...others] = await received(theirs, paid.tx_hash);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ amount: paid.amount, payment_id: paymentId, fee: paid.fee });
    const { transfer } = await ours.rpc('get_transfer_by_txid', { txid: paid.tx_hash });
    expect(transfer).toMatchObject({
      type: 'out',
      amount: paid.amount,
      fee: paid.fee,
      height: entry.height,
      timestamp: entry.timestamp,
      confirmations: 10,
      destinations: [{ amount: paid.amount, address }],
    });
    expect((await ours.rpc('get_balance')).balance).toBe(before.balance - paid.amount - paid.fee);
  });

  it.each(
    someRows<[string, () => Promise<string>, string]>(
      [
        [
          'an address of another account',
          async () => (await ours.rpc('create_account', { label: 'savings' })).address as string,
          '0000000000000000',
        ],
        [
          'an integrated address of ours',
          async () =>
            (await ours.rpc('make_integrated_address', { payment_id: 'aabbccddeeff0011' }))
              .integrated_address as string,
          'aabbccddeeff0011',
        ],
        [
          'a subaddress of ours',
          async () => (await ours.rpc('create_address', { label: 'mine' })).address as string,
          '0000000000000000',
        ],
        ['our primary address', () => Promise.resolve(ourAddress), '0000000000000000'],
      ],
      2,
    ),
  )('is paid by the reference at %s', async (_, addressOf, paymentId) => {
    const address = await addressOf();
    const paid = await theirs.rpc('transfer', { destinations: [{ amount: 300_000_000_001, address }] });
    const pool = (await ours.rpc('get_transfers', { pool: true, all_accounts: true })).pool as Loose[];
    expect(pool).toHaveLength(1);
    expect(pool[0]).toMatchObject({
      txid: paid.tx_hash,
      amount: 300_000_000_001,
      payment_id: paymentId,
      type: 'pool',
      height: 0,
    });

    await confirm(1);
    const [young] = await received(ours, paid.tx_hash);
    expect(young).toMatchObject({
      amount: 300_000_000_001,
      payment_id: paymentId,
      fee: paid.fee,
      locked: true,
    });
    await confirm(10);
    const [entry] = await received(ours, paid.tx_hash);
    expect(entry).toMatchObject({ amount: 300_000_000_001, confirmations: 11, locked: false });
    expect((await ours.rpc('get_transfers', { pool: true, all_accounts: true })).pool).toBeUndefined();
    if (paymentId !== '0000000000000000') {
      const { payments } = await ours.rpc('get_payments', { payment_id: paymentId });
      expect(payments).toEqual([expect.objectContaining({ tx_hash: paid.tx_hash, amount: 300_000_000_001 })]);
      const bulk = await ours.rpc('get_bulk_payments', { payment_ids: [paymentId], min_block_height: '0' });
      expect(bulk.payments).toEqual(payments);
    }
  });

  it('shows pool transactions without scanning blocks first', async () => {
    await ours.rpc('auto_refresh', { enable: false });
    const { height } = await ours.rpc('get_height');
    await daemon.generate(theirAddress, 3);
    await theirs.rpc('refresh');
    const destinations = [{ amount: 5_000_000_000, address: ourAddress }];
    const { tx_hash: txid } = await theirs.rpc('transfer', { destinations });
    const looks = [1, 2, 3].map(() => ours.rpc('get_transfers', { pool: true, in: true }));
    for (const { pool } of await Promise.all(looks)) expect(pool).toMatchObject([{ txid }]);
    expect((await ours.rpc('get_height')).height).toBe(height);
    await ours.rpc('auto_refresh', { enable: true });
    await confirm(1);
  });

  itAtNight('pays forty destinations with transfer_split', async () => {
    const subaddress = (await theirs.rpc('create_address', { label: 'many' })).address as string;
    const destinations = Array.from({ length: 40 }, (_, i) => ({
      amount: 1_000_000_000 + i,
      address: i % 2 === 0 ? theirAddress : subaddress,
    }));
    // They exceed one transaction, which is error -18.
    expect((await ours.call('transfer', { destinations })).error).toMatchObject({ code: -18 });
    const paid = await ours.rpc('transfer_split', { destinations, get_tx_keys: true });
    expect(paid.tx_hash_list).toHaveLength(3);
    expect(paid.tx_key_list).toHaveLength(3);
    const wanted = destinations.reduce((total, { amount }) => total + amount, 0);
    expect(paid.amount_list.reduce((total: number, amount: number) => total + amount, 0)).toBe(wanted);
    await confirm(10);
    const entries = (
      await Promise.all((paid.tx_hash_list as string[]).map((txid) => received(theirs, txid)))
    ).flat();
    expect(entries.reduce((total, { amount }) => total + amount, 0)).toBe(wanted);
  });

  itAtNight('pays from another account, and to itself', async () => {
    await ours.rpc('transfer', {
      destinations: [{ amount: XMR, address: (await ours.rpc('get_address', { account_index: 1 })).address }],
    });
    await confirm(10);
    const paid = await ours.rpc('transfer', {
      account_index: 1,
      destinations: [{ amount: XMR / 2, address: theirAddress }],
    });
    await confirm(10);
    expect((await received(theirs, paid.tx_hash))[0].amount).toBe(XMR / 2);
    const { balance } = await ours.rpc('get_balance', { account_index: 1 });
    expect(balance).toBe(300_000_000_001 + XMR - XMR / 2 - paid.fee);
  });

  it('relays a payment made with do_not_relay later, and only once', async () => {
    const made = await ours.rpc('transfer', {
      destinations: [{ amount: XMR, address: theirAddress }],
      do_not_relay: true,
      get_tx_metadata: true,
      get_tx_hex: true,
    });
    expect((await ours.rpc('get_transfers', { pending: true })).pending).toBeUndefined();
    expect((await ours.rpc('relay_tx', { hex: made.tx_metadata })).tx_hash).toBe(made.tx_hash);
    await ours.rpc('relay_tx', { hex: made.tx_metadata });
    await confirm(10);
    expect(await received(theirs, made.tx_hash)).toHaveLength(1);
  });

  it('lists its history in pages, newest first', async () => {
    const ask = { in: true, out: true, pending: true, all_accounts: true };
    const whole = await ours.rpc('get_transfers', ask);
    expect(whole.cursor).toBeUndefined();
    const ids = (reply: Loose, list: string): string[] =>
      ((reply[list] ?? []) as Loose[]).map(({ txid, amount }) => `${txid} ${amount}`);
    for (const limit of [1, 7, 1000]) {
      const pages: Loose[] = [];
      do {
        const { cursor } = pages.at(-1) ?? {};
        pages.push(await ours.rpc('get_transfers', { ...ask, limit, ...(cursor && { cursor }) }));
      } while (pages.at(-1).cursor !== undefined);
      expect(pages.length).toBeGreaterThan(limit === 1000 ? 0 : 80 / limit);
      for (const list of ['in', 'out'])
        expect([...pages].reverse().flatMap((page) => ids(page, list))).toEqual(ids(whole, list));
      expect(pages.flatMap((page) => ids(page, 'pending'))).toEqual(ids(whole, 'pending'));
    }
    expect((await ours.call('get_transfers', { in: true, cursor: '12x' })).error?.code).toBe(-1);
  });

  it('shows the same balance and history when restored from its seed, by us and by the reference', async () => {
    const { key: seed } = await ours.rpc('query_key', { key_type: 'mnemonic' });
    const whole = { in: true, out: true, all_accounts: true };
    const balance = await ours.rpc('get_balance', { all_accounts: true });
    const history = await ours.rpc('get_transfers', whole);
    await ours.rpc('restore_deterministic_wallet', {
      filename: 'again',
      password: '',
      seed,
      restore_height: 0,
    });
    await theirs.rpc('restore_deterministic_wallet', {
      filename: 'again',
      password: '',
      seed,
      restore_height: 0,
    });
    await Promise.all([ours.rpc('refresh'), theirs.rpc('refresh')]);

    const facts = ({
      txid,
      amount,
      fee,
      height,
      timestamp,
      type,
      subaddr_index,
      payment_id,
      unlock_time,
    }: Loose) =>
      JSON.stringify({ txid, amount, fee, height, timestamp, type, subaddr_index, payment_id, unlock_time });
    const sorted = (entries: Loose[]): string[] => entries.map(facts).sort();
    for (const wallet of [ours, theirs]) {
      const restored = await wallet.rpc('get_balance', { all_accounts: true });
      expect([restored.balance, restored.unlocked_balance]).toEqual([
        balance.balance,
        balance.unlocked_balance,
      ]);
      const lists = await wallet.rpc('get_transfers', whole);
      expect(sorted(lists.in)).toEqual(sorted(history.in));
      // Only the wallet that made an outgoing payment knows its payment id.
      const out = (entries: Loose[]): string[] =>
        sorted(entries.map((entry) => ({ ...entry, payment_id: '' })));
      expect(out(lists.out)).toEqual(out(history.out));
    }
  });
});
