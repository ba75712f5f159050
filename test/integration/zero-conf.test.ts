import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/fakes/until.js';
import { startDaemonProxy, type DaemonProxy } from '../support/network/daemon-proxy.js';
import { walletCalls, type Loose, type WalletCalls } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { createWallet, LANGUAGE } from '../support/wallets/create-wallet.js';

/* Payments in the mempool by the rule of their request, with two listed nodes. */

const XMR = 1_000_000_000_000;
const RULE = { max_amount: XMR, min_nodes: 2 };

let daemon: Monerod;
/** Second listed node: the same chain behind a proxy, which may keep transactions back. */
let second: DaemonProxy;
let server: WalletRpc;
let shop: WalletCalls;
let customer: WalletRpc;
/** Another wallet of the customer's seed, which spends the same outputs. */
let twin: WalletCalls;
let home: string;

const get = (request_id: unknown): Promise<Loose> => shop.rpc('get_payment_request', { request_id });
const create = (zero_conf: Loose = RULE, more: Loose = {}): Promise<Loose> =>
  shop.rpc('create_payment_request', { amount: XMR / 2, zero_conf, ...more });
const pay = async (address: unknown, priority = 2): Promise<string> => {
  const { tx_hash } = await customer.rpc('transfer', {
    ...{ destinations: [{ address, amount: XMR / 2 }], priority },
  });
  await shop.rpc('refresh');
  return String(tx_hash);
};
const mine = async (blocks: number): Promise<void> => {
  await daemon.generate(home, blocks);
  await Promise.all([shop.rpc('refresh'), customer.rpc('refresh'), twin.rpc('refresh')]);
};
const untilPayment = (request_id: unknown, expected: Loose): Promise<Loose> =>
  until(`a payment with ${JSON.stringify(expected)}`, async () => {
    const request = await get(request_id);
    const [payment = {}] = request.payments as Loose[];
    return Object.entries(expected).every(([name, value]) => payment[name] === value) ? request : undefined;
  });
const eventsOf = async (request_id: unknown): Promise<string[]> =>
  ((await shop.rpc('get_events', { after: 0, limit: 1000 })).events as Loose[])
    .filter(({ data }) => data.request_id === request_id)
    .map(({ type }) => type as string);
/** Lets the second node know no transactions. */
const keepBack = (): void => {
  second.decide = (path) => (path === '/gettransactions' ? 503 : 'forward');
};

beforeAll(async () => {
  daemon = await startRegtestDaemon(['--misbehave=none']);
  second = await startDaemonProxy(daemon.address);
  [server, customer] = await Promise.all([
    startWalletRpc({
      daemon: daemon.address,
      args: [`--daemon-address=${second.address}`, '--confirmations-by-amount=0:10', '--refresh-period=0'],
    }),
    startWalletRpc({ daemon: daemon.address, args: ['--refresh-period=0'] }),
  ]);
  shop = walletCalls(server.port, 'shop');
  await Promise.all([createWallet(shop), createWallet(customer, 'customer')]);
  home = (await customer.rpc('get_address')).address as string;
  const { key } = await customer.rpc('query_key', { key_type: 'mnemonic' });
  twin = walletCalls(server.port, 'twin');
  await twin.rpc('restore_deterministic_wallet', { password: '', seed: key, language: LANGUAGE });
  await mine(90);
});

afterAll(async () => {
  await Promise.all([server?.stop(), customer?.stop()]);
  await second?.stop();
  await daemon?.stop();
});

describe('a payment in the mempool', () => {
  it('that meets the rule counts at once, and goes on to count in a block with one confirmation of ten', async () => {
    const { request_id: id, address, zero_conf } = await create();
    expect(zero_conf).toEqual({ ...RULE, min_seconds: 0, min_priority: 1 });
    await pay(address);
    const paid = await untilPayment(id, { accepted_unmined: true });
    expect(paid).toMatchObject({
      ...{ state: 'paid', confirmations: 10, received: 0, received_unconfirmed: XMR / 2 },
      payments: [{ seen_by: 2, priority: 2, double_spend_seen: false, height: 0 }],
    });
    expect(paid.payments[0].seconds_in_pool).toBeGreaterThanOrEqual(0);
    await mine(1);
    expect(await get(id)).toMatchObject({
      state: 'paid',
      received: XMR / 2,
      payments: [{ confirmations: 1 }],
    });
    expect(await eventsOf(id)).toEqual(['request.seen', 'request.paid']);
  });

  it('that one of two nodes does not know waits, until it does', async () => {
    keepBack();
    const { request_id: id, address } = await create();
    await pay(address);
    expect(await untilPayment(id, { seen_by: 1 })).toMatchObject({ state: 'seen' });
    second.decide = () => 'forward';
    expect(await untilPayment(id, { accepted_unmined: true })).toMatchObject({ state: 'paid' });
    await mine(1);
  });

  it.each<[string, Loose, Loose]>([
    ['whose fee is low', { ...RULE, min_priority: 3 }, {}],
    ['of a request above the largest amount', { ...RULE, max_amount: XMR / 2 - 1 }, {}],
    ['that has come just now', { ...RULE, min_seconds: 3600 }, {}],
  ])('%s waits for blocks', async (_, rule, more) => {
    const { request_id: id, address } = await create(rule, more);
    await pay(address);
    expect(await untilPayment(id, { seen_by: 2 })).toMatchObject({ state: 'seen' });
    await mine(1);
    expect(await get(id)).toMatchObject({ state: 'confirming' });
    await mine(9);
    expect(await get(id)).toMatchObject({ state: 'paid' });
    expect((await get(id)).payments[0]).not.toHaveProperty('accepted_unmined');
  });

  it('that another one contests counts no longer, and none that is contested counts', async () => {
    const { request_id: id, address } = await create();
    const rival = await twin.rpc('sweep_all', { address: home, do_not_relay: true, get_tx_hex: true });
    await pay(address);
    expect(await untilPayment(id, { accepted_unmined: true })).toMatchObject({ state: 'paid' });
    for (const tx_as_hex of rival.tx_raw_list ?? rival.tx_blob_list)
      await daemon.plain('/sendrawtransaction', { tx_as_hex });
    await untilPayment(id, { double_spend_seen: true });
    expect(await get(id)).toMatchObject({ state: 'seen' });
    expect(await eventsOf(id)).toEqual(['request.seen', 'request.paid', 'request.reversed']);
    await mine(10);
    expect(await get(id)).toMatchObject({ state: 'paid' });
  });
});

describe('a rule', () => {
  it.each<[Loose, string]>([
    [{ ...RULE, min_nodes: 3 }, 'the server lists 2'],
    [{ ...RULE, max_amount: 0 }, 'zero_conf.max_amount is 0'],
  ])('is refused that no payment can meet: %j', async (zero_conf, reason) => {
    const reply = await shop.call('create_payment_request', { amount: XMR, zero_conf });
    expect(reply.error).toMatchObject({ code: -63, message: expect.stringContaining(reason) });
  });
});
