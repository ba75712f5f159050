import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/fakes/until.js';
import { startDaemonProxy, type DaemonProxy } from '../support/network/daemon-proxy.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';

/* The queue of payouts, from the call to the wallet of the payee, which the reference keeps. */

const XMR = 1_000_000_000_000;

let daemon: Monerod;
let proxy: DaemonProxy;
let payer: WalletRpc;
let payee: WalletRpc;
let address: string;
/** Addresses of the payee; each is paid by one payout. */
let addresses: string[];

const rpc = (method: string, params?: Loose): Promise<Loose> => payer.rpc(method, params);

const create = async (payouts: readonly Loose[], account_index = 0): Promise<Loose[]> =>
  ((await rpc('create_payouts', { payouts, account_index })).results as Loose[]).map(
    ({ payout, error }) => payout ?? { error },
  );

const get = (payout_id: string): Promise<Loose> => rpc('get_payout', { payout_id });

/** Waits until payouts have a state. */
const untilState = (state: string, ...ids: readonly string[]): Promise<Loose[]> =>
  until(`payouts that are ${state}`, async () => {
    const { payouts } = await rpc('list_payouts', { limit: 1000 });
    const found = ids.map((id) => (payouts as Loose[]).find(({ payout_id }) => payout_id === id) ?? {});
    return found.every((payout) => payout.state === state) ? found : undefined;
  });

/** Mines blocks, and waits until the payer has read them. */
async function mine(blocks: number): Promise<void> {
  await daemon.generate(address, blocks);
  await rpc('refresh');
}

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  proxy = await startDaemonProxy(daemon.address);
  payer = await startWalletRpc({
    daemon: proxy.address,
    args: ['--refresh-period=0', '--payout-interval=0', '--payout-confirmations=3'],
  });
  payee = await startReference({ daemon: daemon.address });
  await createWallet(payer, 'payer');
  await createWallet(payee, 'payee');
  address = (await rpc('get_address')).address as string;
  const made = await payee.rpc('create_address', { account_index: 0, count: 40 });
  addresses = made.addresses as string[];
  await daemon.generate(address, 90);
  await rpc('refresh');
});

afterAll(async () => {
  await payer?.stop();
  await payee?.stop();
  await proxy?.stop();
  await daemon?.stop();
});

describe('payouts', () => {
  it('are paid in one transaction, whose fee they share, and reported until they are confirmed', async () => {
    await rpc('pause_payouts', { reason: 'test' });
    const [first, second, third] = await create([
      { payout_id: 'a', address: addresses[0], amount: XMR },
      { payout_id: 'b', address: addresses[1], amount: 2 * XMR, fee: 'payee', reference: 'order 7' },
      { payout_id: 'c', address: addresses[2], amount: 3 * XMR, metadata: { list: [], none: null } },
    ]);
    expect(first).toMatchObject({ state: 'queued', waiting_for: { paused: 'test' }, fee: 'wallet' });
    expect(second).toMatchObject({ state: 'queued', reference: 'order 7', fee: 'payee' });
    expect(third?.metadata).toEqual({ list: [], none: null });
    await rpc('resume_payouts');
    const sent = await untilState('sent', 'a', 'b', 'c');
    expect(new Set(sent.map(({ tx_hash }) => tx_hash)).size).toBe(1);
    const { transfer } = await rpc('get_transfer_by_txid', { txid: sent[0]?.tx_hash });
    expect(sent.reduce((sum, { fee_share }) => sum + Number(fee_share), 0)).toBe(transfer.fee);
    expect(sent.map(({ received }) => received)).toEqual([
      XMR,
      2 * XMR - Number(sent[1]?.fee_share),
      3 * XMR,
    ]);
    await mine(1);
    expect(await get('a')).toMatchObject({ state: 'mined', confirmations: 1 });
    await mine(1);
    expect(await get('a')).toMatchObject({ state: 'mined', confirmations: 2 });
    await mine(1);
    expect(await get('a')).toMatchObject({ state: 'confirmed', confirmations: 3 });
    await payee.rpc('refresh');
    for (const [i, { received }] of sent.entries()) {
      const { in: incoming } = await payee.rpc('get_transfers', { in: true, subaddr_indices: [i + 1] });
      expect(incoming).toMatchObject([{ amount: received, txid: sent[0]?.tx_hash }]);
    }
    const { events } = await rpc('get_events', { limit: 1000 });
    const types = (events as Loose[]).flatMap(({ type, data }) => (data.payout_id === 'b' ? [type] : []));
    expect(types).toEqual(
      ['queued', 'sending', 'sent', 'mined', 'confirmed'].map((state) => `payout.${state}`),
    );
  });

  it('are created once: again with equal terms they are the same, with others an error names the term', async () => {
    await rpc('pause_payouts', { reason: 'test' });
    const terms = { payout_id: 'once', address: addresses[3], amount: XMR, reference: 'r', priority: 2 };
    const [first] = await create([terms]);
    const [again, other, twice] = await create([
      terms,
      { ...terms, amount: XMR + 1 },
      { ...terms, priority: 3 },
    ]);
    expect(again).toEqual(first);
    expect(other?.error).toMatchObject({ code: -73, message: expect.stringContaining('another amount') });
    expect(twice?.error?.message).toContain('another priority');
    expect((await create([terms], 0)).map(({ error }) => error)).toEqual([undefined]);
    await rpc('cancel_payouts', { payout_ids: ['once'] });
    // The id of a cancelled payout stays in use.
    expect((await create([terms]))[0]).toMatchObject({ state: 'cancelled' });
    await rpc('resume_payouts');
  });

  it('are refused each on its own', async () => {
    const good = { address: addresses[4], amount: XMR };
    const results = await create([
      { ...good, payout_id: 'bad 1', address: 'nonsense' },
      { ...good, payout_id: 'bad 2', amount: 0 },
      { ...good, payout_id: 'bad 3', amount: '9223372036854775808' },
      { ...good, payout_id: 'bad 4', address },
      { ...good, payout_id: 'bad 5', expires_at: 1 },
      { ...good, payout_id: 'bad 6', not_before: 4_000_000_000, expires_at: 4_000_000_001 },
      { ...good, payout_id: 'bad 7', amount: 1 },
      { ...good, payout_id: 'good', not_before: Math.floor(Date.now() / 1000) + 3600 },
    ]);
    expect(results.map(({ error }) => error?.code)).toEqual([
      ...[-2, -72, -72, -72, -72, -72, -72],
      undefined,
    ]);
    expect(results[7]).toMatchObject({ state: 'queued', waiting_for: { not_before: expect.any(Number) } });
    await rpc('cancel_payouts', { payout_ids: ['good'] });
  });

  it('leave the first time only, however often the answer of the node is lost', async () => {
    proxy.decide = (path) => (path === '/sendrawtransaction' ? 'forward-and-drop-the-answer' : 'forward');
    await create([{ payout_id: 'lost', address: addresses[5], amount: XMR }]);
    const [{ tx_hash: txHash }] = (await untilState('sent', 'lost')) as [Loose];
    proxy.decide = () => 'forward';
    await mine(3);
    expect(await get('lost')).toMatchObject({ state: 'confirmed', tx_hash: txHash });
    await payee.rpc('refresh');
    const { in: incoming } = await payee.rpc('get_transfers', { in: true, subaddr_indices: [6] });
    expect(incoming).toHaveLength(1);
  });

  it('return to the queue if the node refuses them, and wait before they are sent again', async () => {
    proxy.rewrite = (path, _, reply) =>
      path === '/sendrawtransaction'
        ? Buffer.from(
            JSON.stringify({ ...JSON.parse(reply.toString()), status: 'Failed', double_spend: true }),
          )
        : reply;
    proxy.decide = (path) => (path === '/gettransactions' ? 503 : 'forward');
    await create([{ payout_id: 'refused', address: addresses[6], amount: XMR }]);
    const [payout] = await until('the return', async () => {
      const found = await get('refused');
      return found.reason === 'refused' ? [found] : undefined;
    });
    expect(payout).toMatchObject({
      state: 'queued',
      reason: 'refused',
      waiting_for: { not_before: expect.any(Number) },
    });
    const [{ error }] = (await rpc('cancel_payouts', { payout_ids: ['refused'] })).results as [Loose];
    expect(error.message).toContain('may still be mined');
    // The node has relayed it nevertheless.
    proxy.rewrite = (_, __, reply) => reply;
    proxy.decide = () => 'forward';
    await mine(3);
    expect(await get('refused')).toMatchObject({ state: 'confirmed' });
    await payee.rpc('refresh');
    const { in: incoming } = await payee.rpc('get_transfers', { in: true, subaddr_indices: [7] });
    expect(incoming).toHaveLength(1);
  });

  it('are sent again after a reorganisation, and reported as mined anew', async () => {
    await create([{ payout_id: 'moved', address: addresses[7], amount: XMR }]);
    const [{ tx_hash: txHash }] = (await untilState('sent', 'moved')) as [Loose];
    await mine(1);
    await mine(2);
    expect(await get('moved')).toMatchObject({ state: 'confirmed' });
    await daemon.popBlocks(3);
    await daemon.call('flush_txpool');
    await mine(4);
    expect(await get('moved')).toMatchObject({ state: 'sent', reason: 'reorganised', tx_hash: txHash });
    await until('the payout is in the pool', async () => {
      await rpc('refresh');
      const pool = (await daemon.plain('/get_transaction_pool')) as { transactions?: unknown[] };
      return (pool.transactions ?? []).length > 0 || undefined;
    });
    await mine(1);
    await mine(2);
    expect(await get('moved')).toMatchObject({ state: 'confirmed', tx_hash: txHash });
    const { events } = await rpc('get_events', { limit: 1000 });
    expect(
      (events as Loose[]).flatMap(({ type, data }) => (data.payout_id === 'moved' ? [type] : [])),
    ).toEqual(
      ['queued', 'sending', 'sent', 'mined', 'confirmed', 'sent', 'mined', 'confirmed'].map(
        (state) => `payout.${state}`,
      ),
    );
  });

  it('wait for a lower fee above their ceiling, while others leave', async () => {
    await create([
      { payout_id: 'cheap', address: addresses[8], amount: XMR, max_fee: 1 },
      { payout_id: 'any', address: addresses[9], amount: XMR, max_fee: XMR },
    ]);
    await untilState('sent', 'any');
    const { state, waiting_for } = await get('cheap');
    expect(state).toBe('queued');
    expect(waiting_for.fee).toBeGreaterThan(1);
    await rpc('cancel_payouts', { payout_ids: ['cheap'] });
    expect(await get('cheap')).toMatchObject({ state: 'cancelled' });
  });

  it('that are larger than the unlocked money wait for a block, and do not stop smaller ones', async () => {
    await mine(70);
    const { balance, unlocked_balance } = await rpc('get_balance');
    const large = Number(unlocked_balance) + XMR;
    expect(large).toBeLessThan(balance);
    const estimate = await rpc('estimate_payouts', {
      payouts: [
        { payout_id: 'large', address: addresses[10], amount: large },
        { payout_id: 'small', address: addresses[11], amount: XMR },
        { payout_id: 'wrong', address: 'nonsense', amount: XMR },
      ],
    });
    expect(estimate.batches).toMatchObject([{ payout_ids: ['small'], amount: XMR }]);
    expect(estimate.refused).toMatchObject([{ payout_id: 'wrong', error: { code: -2 } }]);
    expect(estimate.waiting).toMatchObject([
      { payout_id: 'large', waiting_for: { unlocked: { height: expect.any(Number) } } },
    ]);
    await create([
      { payout_id: 'large', address: addresses[10], amount: large },
      { payout_id: 'small', address: addresses[11], amount: XMR },
    ]);
    await untilState('sent', 'small');
    const { waiting_for } = await get('large');
    const { height } = await rpc('get_height');
    expect(waiting_for.unlocked.height).toBeGreaterThan(height);
    await mine(waiting_for.unlocked.height - height + 60);
    await untilState('sent', 'large');
  });

  it('are paid once by fifteen in a transaction, and lists and events tell the same', async () => {
    await mine(70);
    const ids = Array.from({ length: 40 }, (_, i) => `n${i}`);
    await rpc('pause_payouts', { reason: 'all at once' });
    await create(ids.map((payout_id, i) => ({ payout_id, address: addresses[i], amount: XMR / 100 })));
    await rpc('resume_payouts');
    const sent = await untilState('sent', ...ids);
    const hashes = new Set(sent.map(({ tx_hash }) => tx_hash));
    expect(hashes.size).toBeLessThanOrEqual(5);
    for (const hash of hashes) {
      const { transfer } = await rpc('get_transfer_by_txid', { txid: hash });
      const shares = sent.filter(({ tx_hash }) => tx_hash === hash).map(({ fee_share }) => Number(fee_share));
      expect(shares.length).toBeLessThanOrEqual(15);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(transfer.fee);
    }
    const { payouts } = await rpc('list_payouts', { states: ['sent'], text: 'n', limit: 1000 });
    expect((payouts as Loose[]).map(({ payout_id }) => payout_id)).toEqual([...ids].reverse());
    await mine(3);
    await untilState('confirmed', ...ids);
    await payee.rpc('refresh');
    const { in: incoming } = await payee.rpc('get_transfers', { in: true });
    const paid = (incoming as Loose[]).filter(({ txid }) => hashes.has(txid));
    expect(paid).toHaveLength(ids.length);
  });

  it('are exported with their shares, and named by the payments that pay them', async () => {
    const period = { from: '2020-01-01', to: '2100-01-01' };
    const { csv } = await rpc('export_payouts', { ...period, format: 'csv' });
    const [head, first, ...others] = (csv as string).trim().split('\r\n');
    expect(head).toMatch(/^payout_id,reference,created,state,.*,created_by,approved_by$/);
    const a = await get('a');
    expect(first?.split(',')).toEqual(
      expect.arrayContaining(['a', 'confirmed', String(a.received), String(a.fee_share), a.tx_hash, 'login']),
    );
    const { payouts } = await rpc('export_payouts', period);
    expect(payouts).toHaveLength(1 + others.length);
    expect((payouts as Loose[])[0]).toEqual(a);
    const { payments } = await rpc('export_payments', period);
    const paying = (payments as Loose[]).find(({ tx_hash: hash }) => hash === a.tx_hash);
    expect(paying?.payout_ids).toEqual(['a', 'b', 'c']);
  });
});
