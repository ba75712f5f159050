import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/fakes/until.js';
import type { Loose, WalletCalls } from '../support/network/json-rpc.js';
import { walletCalls } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletProcess, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';

/* Refunds of payment requests: payouts to customers, never more than a request has received. */

const XMR = 1_000_000_000_000;
const BAD_REQUEST = -63;
const BAD_PAYOUT = -72;
const MISMATCH = -73;

let daemon: Monerod;
let server: WalletRpc;
let shop: WalletCalls;
let customer: WalletRpc;
let home: string;

const launch = (walletDir?: string): Promise<WalletRpc> =>
  startWalletProcess({
    daemon: daemon.address,
    ...(walletDir === undefined ? {} : { walletDir }),
    args: [
      '--confirmations-by-amount=0:2',
      '--refresh-period=0',
      '--payout-interval=0',
      '--payout-confirmations=2',
    ],
  });

const get = (request_id: string): Promise<Loose> => shop.rpc('get_payment_request', { request_id });
const create = (more: Loose = {}): Promise<Loose> =>
  shop.rpc('create_payment_request', { amount: XMR, ...more });
const refund = (request_id: string, refund_id: string, amount: unknown, more: Loose = {}): Promise<Loose> =>
  shop.rpc('refund_payment_request', { request_id, refund_id, amount, ...more });
const refused = async (...args: Parameters<typeof refund>): Promise<Loose> => {
  const [request_id, refund_id, amount, more] = args;
  const reply = await shop.call('refund_payment_request', { request_id, refund_id, amount, ...more });
  return { ...reply.error };
};
const pay = (address: string, coins: number): Promise<Loose> =>
  customer.rpc('transfer', { destinations: [{ address, amount: Math.round(coins * XMR) }] });
const mine = async (blocks: number): Promise<void> => {
  await daemon.generate(home, blocks);
  await Promise.all([shop.rpc('refresh'), customer.rpc('refresh')]);
};
const eventsOf = async (request_id: string): Promise<Loose[]> =>
  ((await shop.rpc('get_events', { after: 0, limit: 1000 })).events as Loose[]).filter(
    ({ data }) => data.request_id === request_id,
  );

beforeAll(async () => {
  daemon = await startRegtestDaemon(['--misbehave=none']);
  [server, customer] = await Promise.all([
    launch(),
    startWalletRpc({ daemon: daemon.address, args: ['--refresh-period=0'] }),
  ]);
  shop = walletCalls(server.port, 'shop');
  await Promise.all([createWallet(shop), createWallet(customer, 'customer')]);
  home = (await customer.rpc('get_address')).address as string;
  // The shop has money of its own, so that only the rules of refunds limit these.
  await daemon.generate((await shop.rpc('get_address')).address as string, 5);
  await mine(90);
});

afterAll(async () => {
  await Promise.all([server?.stop(), customer?.stop()]);
  await daemon?.stop();
});

describe('a refund', () => {
  it('returns the excess once, as a payout that the request and its events tell of', async () => {
    const { request_id: id, address } = await create({ refund_address: home, reference: 'order 1' });
    await pay(String(address), 1.5);
    await mine(1);
    // One confirmation of two: nothing is certain.
    expect(await get(id as string)).toMatchObject({ state: 'confirming', excess: XMR / 2, refundable: 0 });
    expect(await refused(id as string, 'r1', 'excess')).toMatchObject({
      code: BAD_REQUEST,
      message:
        'nothing of the payment request is left to be refunded (excess): 1.500000000000 XMR of it lack confirmations or are locked',
    });
    await mine(1);
    expect(await get(id as string)).toMatchObject({ state: 'paid', refundable: 1.5 * XMR, refunded: 0 });
    await shop.rpc('pause_payouts', { reason: 'test' });
    const first = await refund(id as string, 'r1', 'excess');
    expect(first).toMatchObject({
      ...{ state: 'paid', refunded: XMR / 2, refundable: XMR },
      refunds: [{ refund_id: 'r1', kind: 'excess', amount: XMR / 2, address: home, state: 'queued' }],
    });
    // Again with the same terms: the same refund; with others, or under another id: refused.
    expect(await refund(id as string, 'r1', 'excess')).toEqual(first);
    expect(await refused(id as string, 'r1', 'all')).toMatchObject({ code: MISMATCH });
    expect(await refused(id as string, 'r1', 'late')).toMatchObject({ code: MISMATCH });
    expect(await refused(id as string, 'r2', 'excess')).toMatchObject({
      code: BAD_REQUEST,
      message: 'nothing of the payment request is left to be refunded (excess)',
    });
    expect(await shop.rpc('get_payout', { payout_id: 'r1' })).toMatchObject({
      ...{ reference: 'order 1', request_id: id, amount: XMR / 2, state: 'queued' },
    });
    await shop.rpc('resume_payouts');
    const sent = await until('the refund to be sent', async () => {
      const { refunds } = await get(id as string);
      return refunds[0].state === 'sent' ? refunds[0] : undefined;
    });
    await mine(1);
    await mine(1);
    const { in: incoming } = await customer.rpc('get_transfers', { in: true });
    expect(incoming.filter(({ txid }: Loose) => txid === sent.tx_hash)).toMatchObject([{ amount: XMR / 2 }]);
    const told = (await eventsOf(id as string)).filter(({ type }) => type === 'request.refund');
    expect(told.map(({ data }) => data.refund.state)).toEqual([
      'queued',
      'sending',
      'sent',
      'mined',
      'confirmed',
    ]);
    expect(told.at(-1)?.data).toMatchObject({
      ...{ reference: 'order 1', refunded: XMR / 2, refundable: XMR, state: 'paid' },
      refund: { refund_id: 'r1', amount: XMR / 2, tx_hash: sent.tx_hash },
    });
  });

  it('goes to no address of the shop, which the request does not take either', async () => {
    const { address } = await shop.rpc('create_address');
    expect(
      (await shop.call('create_payment_request', { amount: XMR, refund_address: address })).error,
    ).toMatchObject({
      code: BAD_REQUEST,
      message: 'the refund address is one of this wallet: give one of the customer',
    });
  });

  it('of late money goes to the address that it names, and a cancelled one gives it back', async () => {
    const { request_id: id, address } = await create({ amount: undefined });
    const { cancelled_at } = await shop.rpc('cancel_payment_request', { request_id: id });
    await until('a later second', () => Date.now() / 1000 > Number(cancelled_at) + 1 || undefined);
    await pay(String(address), 0.25);
    await mine(2);
    expect(await get(id as string)).toMatchObject({ state: 'cancelled', late: XMR / 4, refundable: XMR / 4 });
    expect(await refused(id as string, 'l1', 'late')).toMatchObject({
      message: expect.stringContaining('no refund address'),
    });
    expect(await refused(id as string, 'l1', 'late', { address })).toMatchObject({ code: BAD_PAYOUT });
    expect(await refused(id as string, 'l1', 'late', { address: 'nowhere' })).toMatchObject({ code: -2 });
    await shop.rpc('pause_payouts', { reason: 'test' });
    expect(await refund(id as string, 'l1', 'late', { address: home })).toMatchObject({ refundable: 0 });
    await shop.rpc('cancel_payouts', { payout_ids: ['l1'] });
    expect(await get(id as string)).toMatchObject({
      ...{ refunded: 0, refundable: XMR / 4 },
      refunds: [{ refund_id: 'l1', state: 'cancelled' }],
    });
    await refund(id as string, 'l2', 'late', { address: home, fee: 'payee' });
    await shop.rpc('cancel_payouts', { payout_ids: ['l2'] });
    await shop.rpc('resume_payouts');
  });

  it('never returns more than was received, whatever calls race and however the server ends', async () => {
    const { request_id: id, address } = await create({ refund_address: home });
    await pay(String(address), 1);
    await mine(2);
    await shop.rpc('pause_payouts', { reason: 'test' });
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        shop.call('refund_payment_request', {
          ...{ request_id: id, refund_id: `race ${i}` },
          amount: i % 3 === 0 ? 'all' : 0.3 * XMR,
        }),
      ),
    );
    const { refunds, refunded } = await get(id as string);
    expect(replies.filter(({ result }) => result !== undefined)).toHaveLength(refunds.length);
    expect(refunded).toBe(refunds.reduce((sum: number, { amount }: Loose) => sum + Number(amount), 0));
    expect(refunded).toBe(XMR);
    await server.stop({ signal: 'SIGKILL', keep: true });
    server = await launch(server.walletDir);
    shop = walletCalls(server.port, 'shop');
    await shop.rpc('open_wallet', { password: '' });
    expect(await get(id as string)).toMatchObject({ refunds, refunded: XMR, refundable: 0 });
    expect(await refused(id as string, 'more', 1)).toMatchObject({ code: BAD_REQUEST });
    await shop.rpc('cancel_payouts', { payout_ids: refunds.map(({ refund_id }: Loose) => refund_id) });
    await shop.rpc('resume_payouts');
  });

  it('is not sent while a reorganisation has taken the payment back', async () => {
    const { request_id: id, address } = await create({ refund_address: home });
    await pay(String(address), 0.5);
    await mine(2);
    await shop.rpc('pause_payouts', { reason: 'test' });
    await refund(id as string, 'undone', 'all');
    // The payment leaves the chain, and the customer's money goes elsewhere.
    await daemon.rpc('misbehave', { what: 'reorganise:2' }).catch(() => undefined);
    await daemon.plain('/pop_blocks', { nblocks: 2 }).catch(() => undefined);
    await daemon.rpc('flush_txpool', {});
    await daemon.generate(home, 3);
    await shop.rpc('refresh');
    await shop.rpc('resume_payouts');
    await shop.rpc('send_payouts', {});
    expect(await shop.rpc('get_payout', { payout_id: 'undone' })).toMatchObject({
      ...{ state: 'queued', waiting_for: { reversed: XMR / 2 } },
    });
    expect(await get(id as string)).toMatchObject({ refundable: 0, refunded: XMR / 2 });
    await pay(String(address), 0.5);
    await mine(2);
    await shop.rpc('send_payouts', {});
    expect(await shop.rpc('get_payout', { payout_id: 'undone' })).toMatchObject({ state: 'sent' });
  });
});

describe('a price', () => {
  const price = { currency: 'EUR', amount: '150.00', rate: '150', rate_time: 1_700_000_000, source: 'desk' };

  it('is kept with the request, its events and its export, digit by digit', async () => {
    const { request_id: id, address, price: kept } = await create({ price });
    expect(kept).toEqual(price);
    await pay(String(address), 1);
    await mine(1);
    expect((await eventsOf(id as string)).at(-1)?.data.price).toEqual(price);
    const { requests } = await shop.rpc('export_payment_requests', { from: 0, to: 4_000_000_000 });
    expect(requests.find(({ request_id }: Loose) => request_id === id)?.price).toEqual(price);
    const { csv } = await shop.rpc('export_payment_requests', { from: 0, to: 4_000_000_000, format: 'csv' });
    const lines = String(csv).trim().split('\r\n');
    expect(lines).toHaveLength(requests.length + 1);
    expect(lines.find((line) => line.startsWith(String(id)))).toContain(
      ',150.00,EUR,150,2023-11-14T22:13:20Z,desk,',
    );
  });

  it.each<[string, Loose, string]>([
    ['an amount that does not fit', { amount: XMR + 2 }, 'does not fit the price: 150.00 EUR at 150'],
    ['a rate of 0', { price: { ...price, rate: '0.00' } }, 'price.rate is not a decimal number'],
    ['an amount with a comma', { price: { ...price, amount: '150,00' } }, 'price.amount is not a decimal'],
    ['a currency of small letters', { price: { ...price, currency: 'eur' } }, 'price.currency'],
    ['an open request', { amount: undefined }, 'needs an amount'],
    ['a language that is none', { locale: 'not a language' }, 'locale is not a language tag'],
    ['return without a page', { return: 'auto' }, 'return needs return_url'],
    ['a page without TLS', { return_url: 'http://shop.example/' }, 'is not an https URL without user'],
    [
      'a page with a password',
      { return_url: 'https://u:p@shop.example/' },
      'is not an https URL without user',
    ],
    [
      'an own page on another port of a host',
      { return_url: 'http://localhost.example/' },
      'is not an https URL',
    ],
  ])('is refused with %s', async (_, more, reason) => {
    const reply = await shop.call('create_payment_request', { amount: XMR, price, ...more });
    expect(reply.error).toMatchObject({
      code: BAD_REQUEST,
      message: expect.stringContaining(reason),
    });
  });

  it('and other terms of a shop are kept', async () => {
    const terms = {
      price,
      locale: 'PT-br',
      return_url: 'http://localhost:3000/done',
      return: 'auto',
      refunds: 'ask',
    };
    const { request_id: id } = await create({ ...terms, amount: XMR + 1, tolerance: 1 });
    expect(await get(id as string)).toMatchObject({
      ...{
        locale: 'pt-BR',
        return: 'auto',
        return_url: 'http://localhost:3000/done',
        asks_refund_address: true,
      },
    });
  });
});
