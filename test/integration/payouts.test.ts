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
  (await rpc('create_payouts', { payouts, account_index })).payouts as Loose[];

const get = (payout_id: string): Promise<Loose> => rpc('get_payout', { payout_id });

/** Waits until payouts have a state. */
const untilState = (state: string, ...ids: readonly string[]): Promise<Loose[]> =>
  until('payouts in a state', async () => {
    const payouts = await Promise.all(ids.map(get));
    return payouts.every((payout) => payout.state === state) ? payouts : undefined;
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
});
