import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { createClient, type Client, type WalletEvent } from '../../src/client/client.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { walletCalls, type Loose, type WalletCalls } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { until } from '../support/fakes/until.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletProcess, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { WebhookReceiver } from '../support/network/webhook-receiver.js';
import { itAtNight } from '../support/jest/lanes.js';

/* Payment requests from their creation to their end, over all interfaces, with the regtest node. */

const XMR = 1_000_000_000_000;
const MISMATCH = -54;
const MISSING = -62;
const BAD = -63;
const TAKEN = -64;

let daemon: Monerod;
let server: WalletRpc;
let payerServer: WalletRpc;
let shop: WalletCalls;
let client: Client;
let receiver: WebhookReceiver;
/** Events that the typed client has read. */
const followed: WalletEvent[] = [];
const controller = new AbortController();

const launch = (walletDir?: string): Promise<WalletRpc> =>
  startWalletProcess({
    daemon: daemon.address,
    ...(walletDir === undefined ? {} : { walletDir }),
    args: ['--webhook-allow-private', '--confirmations-by-amount=0:0,0.5:3', '--refresh-period=0'],
  });

const refresh = (): Promise<Loose> => shop.rpc('refresh');
const get = (request_id: string): Promise<Loose> => shop.rpc('get_payment_request', { request_id });
const create = (params: object = {}): Promise<Loose> =>
  shop.rpc('create_payment_request', { amount: XMR, ...params });
const pay = async (address: string, coins: number): Promise<string> =>
  (await payerServer.rpc('transfer', { destinations: [{ address, amount: Math.round(coins * XMR) }] }))
    .tx_hash;
/** Mines blocks to an address of neither wallet's interest. */
const mine = async (blocks: number): Promise<void> => {
  await daemon.generate((await payerServer.rpc('get_address')).address, blocks);
  await Promise.all([refresh(), payerServer.rpc('refresh')]);
};
/** Waits until the payer has relayed a payment again that brings a request to a state. */
const relayed = (id: string, state: string): Promise<true> =>
  until(`a request to be ${state} again`, async () => {
    await payerServer.rpc('refresh');
    await refresh();
    return (await get(id)).state === state || undefined;
  });
const eventsOf = async (id: string): Promise<Loose[]> =>
  ((await shop.rpc('get_events', { after: 0, limit: 1000 })).events as Loose[]).filter(
    ({ data }) => data.request_id === id,
  );
const typesOf = async (id: string): Promise<string[]> => (await eventsOf(id)).map(({ type }) => type);

beforeAll(async () => {
  daemon = await startRegtestDaemon(['--misbehave=none']);
  receiver = await WebhookReceiver.start();
  // No refresh but those of the test: the payer relays payments again that it lacks.
  [server, payerServer] = await Promise.all([
    launch(),
    startWalletRpc({ daemon: daemon.address, args: ['--refresh-period=0'] }),
  ]);
  await createWallet(payerServer, 'payer');
  shop = walletCalls(server.port, 'shop');
  await createWallet(shop);
  const { address } = await payerServer.rpc('get_address');
  await daemon.generate(address, 90);
  await Promise.all([refresh(), payerServer.rpc('refresh')]);
  await shop.rpc('add_webhook', {
    url: receiver.url,
    types: ['request.paid', 'request.reversed', 'request.partial'],
  });
  client = createClient({ url: `http://127.0.0.1:${server.port}` });
  void (async () => {
    for await (const event of client.wallet('shop').events({ after: 0, signal: controller.signal }))
      followed.push(event);
  })().catch(() => undefined);
});

afterAll(async () => {
  controller.abort();
  client?.close();
  await Promise.all([server?.stop(), payerServer?.stop()]);
  await receiver?.stop();
  await daemon?.stop();
});

describe('a payment request', () => {
  it('is paid in parts, taken back by a reorganisation, and paid again, over all interfaces', async () => {
    const made = await create({
      reference: 'o-1',
      label: 'order 1',
      metadata: { n: 9_007_199_254_740_991, list: [], none: null },
    });
    expect(made).toMatchObject({
      ...{
        state: 'waiting',
        amount: XMR,
        confirmations: 3,
        reference: 'o-1',
        label: 'order 1',
        synced: true,
      },
      ...{
        received: 0,
        missing: XMR,
        payments: [],
        metadata: { n: 9_007_199_254_740_991, list: [], none: null },
      },
      uri: expect.stringContaining(`monero:${String(made.address)}?tx_amount=1.0`),
    });
    const id = made.request_id as string;
    const first = await pay(made.address as string, 0.4);
    await refresh();
    expect(await get(id)).toMatchObject({
      ...{ state: 'partial', received: 0, received_unconfirmed: 0.4 * XMR, missing: 0.6 * XMR },
      payments: [
        { tx_hash: first, amount: 0.4 * XMR, height: 0, confirmations: 0, late: false, locked: false },
      ],
    });
    await mine(1);
    expect(await get(id)).toMatchObject({ state: 'partial', received: 0.4 * XMR, received_unconfirmed: 0 });
    const second = await pay(made.address as string, 0.7);
    await refresh();
    expect(await get(id)).toMatchObject({ state: 'seen', excess: 0.1 * XMR, missing: 0 });
    await mine(2);
    expect(await get(id)).toMatchObject({ state: 'confirming' });
    await mine(1);
    expect(await get(id)).toMatchObject({ state: 'paid', received: 1.1 * XMR });
    expect(await typesOf(id)).toEqual([
      'request.partial',
      'request.seen',
      'request.paid',
      'request.overpaid',
    ]);

    // The wallet restarts, and meanwhile a longer chain without the second payment replaces the last three blocks.
    const { walletDir } = server;
    await server.stop({ signal: 'SIGKILL', keep: true });
    await daemon.popBlocks(3);
    await daemon.rpc('flush_txpool', {});
    await daemon.generate((await payerServer.rpc('get_address')).address, 4);
    server = await launch(walletDir);
    shop = walletCalls(server.port, 'shop');
    await shop.rpc('open_wallet', { password: '' });
    expect(await get(id)).toMatchObject({ state: 'paid', synced: false });
    await refresh();
    expect(await get(id)).toMatchObject({
      state: 'partial',
      received: 0.4 * XMR,
      synced: true,
      payments: [{ tx_hash: first }],
    });
    const reversed = (await eventsOf(id)).at(-1);
    expect(reversed).toMatchObject({
      type: 'request.reversed',
      data: { was: 'paid', state: 'partial', reference: 'o-1' },
    });

    // The payer relays it again.
    await relayed(id, 'seen');
    expect(await get(id)).toMatchObject({ payments: [{ tx_hash: first }, { tx_hash: second }] });
    await mine(3);
    expect(await get(id)).toMatchObject({ state: 'paid' });
    const all = await typesOf(id);
    expect(all.slice(4)).toEqual(['request.reversed', 'request.seen', 'request.paid', 'request.overpaid']);

    await until(
      'the deliveries',
      () => receiver.received.filter(({ body }) => body.includes(id)).length >= 4,
    );
    const delivered = receiver.received
      .map(({ body }) => JSON.parse(body) as Loose)
      .filter(({ data }) => data.request_id === id);
    expect(delivered.map(({ type }) => type)).toEqual([
      'request.partial',
      'request.paid',
      'request.reversed',
      'request.paid',
    ]);
  });

  it('that needs no confirmation is paid in the mempool, and taken back when the mempool loses it', async () => {
    const { request_id, address } = await create({ amount: 0.1 * XMR });
    await pay(address as string, 0.1);
    await refresh();
    expect(await get(request_id)).toMatchObject({
      state: 'paid',
      received_unconfirmed: 0.1 * XMR,
      confirmations: 0,
    });
    await daemon.rpc('flush_txpool', {});
    for (let i = 0; i < 3; i++) {
      await daemon.generate((await payerServer.rpc('get_address')).address, 1);
      await refresh();
    }
    expect(await get(request_id)).toMatchObject({ state: 'waiting', payments: [] });
    expect(await typesOf(request_id)).toEqual(expect.arrayContaining(['request.paid', 'request.reversed']));
    await relayed(request_id, 'paid');
    await mine(1);
    expect(await get(request_id)).toMatchObject({ state: 'paid', received: 0.1 * XMR });
  });

  itAtNight(
    'expires while the wallet is closed, and reports what comes late, until it is extended',
    async () => {
      const { request_id, address, expires_at } = await create({ amount: 0.1 * XMR, expires_in: 1 });
      await shop.rpc('close_wallet');
      await until('the expiry', () => Date.now() / 1000 > expires_at + 1);
      await shop.rpc('open_wallet', { password: '' });
      await refresh();
      await until('the event of the expiry', async () =>
        (await typesOf(request_id)).includes('request.expired'),
      );
      await pay(address as string, 0.1);
      await refresh();
      expect(await get(request_id)).toMatchObject({
        state: 'expired',
        late: 0.1 * XMR,
        received_unconfirmed: 0,
        payments: [{ late: true }],
      });
      const extended = await shop.rpc('extend_payment_request', { request_id, expires_in: 600 });
      expect(extended).toMatchObject({ state: 'paid', late: 0, received_unconfirmed: 0.1 * XMR });
      expect(await typesOf(request_id)).toEqual(['request.expired', 'request.late', 'request.paid']);
    },
  );

  itAtNight(
    'stays paid while a daemon replaces blocks above its payment, and follows one that replaces its block',
    async () => {
      const misbehave = async (what: string): Promise<void> => {
        expect(await daemon.plain('/misbehave', { what })).toMatchObject({ status: 'OK' });
      };
      const { request_id, address } = await create({ amount: 0.6 * XMR });
      await pay(address as string, 0.6);
      await mine(4);
      expect(await get(request_id)).toMatchObject({ state: 'paid' });
      const before = await typesOf(request_id);
      await misbehave('reorganise=2');
      for (let i = 0; i < 9; i++) {
        await refresh();
        expect(await get(request_id)).toMatchObject({ state: 'paid' });
      }
      expect(await typesOf(request_id)).toEqual(before);
      const { events } = await shop.rpc('get_events', {
        after: 0,
        limit: 1000,
        types: ['wallet.reorganised'],
      });
      expect((events as Loose[]).length).toBeGreaterThanOrEqual(3);
      await misbehave('reorganise=12');
      for (let i = 0; i < 3; i++) await refresh();
      await misbehave('');
      await mine(1);
      await mine(3);
      expect(await get(request_id)).toMatchObject({ state: 'paid', received: 0.6 * XMR });
      const last = (await typesOf(request_id)).filter((type) => type !== 'request.seen').at(-1);
      expect(last).toBe('request.paid');
    },
  );

  itAtNight(
    'stays paid when the block that had its payment in time is replaced after the expiry',
    async () => {
      const { request_id, address, expires_at } = await create({ amount: 0.1 * XMR, expires_in: 20 });
      const { address: other } = await payerServer.rpc('get_address');
      // The shop sees it in its block first.
      const txid = await pay(address as string, 0.1);
      await daemon.generate(other, 1);
      await refresh();
      expect(await get(request_id)).toMatchObject({
        state: 'paid',
        payments: [{ tx_hash: txid, late: false }],
      });
      await until('the expiry', () => Date.now() / 1000 > expires_at + 1);
      await daemon.popBlocks(1);
      await daemon.rpc('flush_txpool', {});
      await daemon.generate(other, 2);
      await refresh();
      expect(await get(request_id)).toMatchObject({ state: 'expired', late: 0, payments: [] });
      await relayed(request_id, 'paid');
      await mine(1);
      expect(await get(request_id)).toMatchObject({ state: 'paid', late: 0, received: 0.1 * XMR });
      expect(await typesOf(request_id)).not.toContain('request.late');
    },
  );

  it('stays cancelled, whatever arrives in the same second', async () => {
    const { request_id, address } = await create({ amount: 0.1 * XMR });
    await pay(address as string, 0.1);
    await daemon.generate((await payerServer.rpc('get_address')).address, 1);
    await shop.rpc('cancel_payment_request', { request_id });
    await refresh();
    expect(await get(request_id)).toMatchObject({
      ...{ state: 'cancelled', received: 0, late: 0.1 * XMR },
      payments: [{ late: true }],
    });
    await mine(5);
    expect(await get(request_id)).toMatchObject({ state: 'cancelled' });
    expect(await typesOf(request_id)).toEqual(['request.late']);
  });

  itAtNight(
    'has after a rescan of a shorter chain the state and the confirmations of its blocks',
    async () => {
      const deep = await create({ amount: 0.6 * XMR });
      await pay(deep.address as string, 0.6);
      await mine(2);
      const lost = await create({ amount: 0.1 * XMR });
      await pay(lost.address as string, 0.1);
      await mine(3);
      expect([await get(deep.request_id), await get(lost.request_id)]).toMatchObject([
        { state: 'paid', payments: [{ confirmations: 5 }] },
        { state: 'paid', payments: [{ confirmations: 3 }] },
      ]);
      await daemon.popBlocks(4);
      await daemon.rpc('flush_txpool', {});
      await shop.rpc('rescan_blockchain', {});
      await refresh();
      expect([await get(deep.request_id), await get(lost.request_id)]).toMatchObject([
        { state: 'confirming', synced: true, payments: [{ confirmations: 1 }] },
        { state: 'waiting', synced: true, payments: [] },
      ]);
      const [{ txid = '' } = {}] = (
        (await shop.rpc('get_transfers', { in: true, subaddr_indices: [deep.subaddr_index.minor] }))
          .in as Loose[]
      ).slice(-1);
      expect((await shop.rpc('get_transfer_by_txid', { txid })).transfer).toMatchObject({ confirmations: 1 });
      expect((await eventsOf(deep.request_id)).at(-1)).toMatchObject({
        ...{ type: 'request.reversed', data: { was: 'paid', state: 'confirming' } },
      });
      expect((await typesOf(lost.request_id)).at(-1)).toBe('request.reversed');
      await mine(2);
      expect(await get(deep.request_id)).toMatchObject({ state: 'paid', payments: [{ confirmations: 3 }] });
    },
  );

  it('has the same events for the typed client', async () => {
    const { events } = await createClient({ url: `http://127.0.0.1:${server.port}` })
      .wallet('shop')
      .get_events({ after: 0, limit: 1000, types: ['request.partial', 'request.overpaid'] });
    expect(events.length).toBeGreaterThanOrEqual(3);
    for (const { type, data } of events)
      if (type === 'request.overpaid')
        expect(data).toMatchObject({ state: 'paid', excess: BigInt(XMR) / 10n, amount: BigInt(XMR) });
    expect(followed.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['request.partial', 'request.paid']),
    );
  });
});

describe('a request that is refused', () => {
  const refused = async (params: object, method = 'create_payment_request'): Promise<number | undefined> =>
    (await shop.call(method, params)).error?.code;
  const addresses = async (): Promise<number> =>
    ((await shop.rpc('get_address')).addresses as Loose[]).length;

  test.each<[string, object, number]>([
    ['no amount of 0', { amount: 0 }, BAD],
    ['no amount above 2^63-1', { amount: '9223372036854775808' }, BAD],
    ['no expiry in the past', { amount: 1, expires_at: 1000 }, BAD],
    ['no expiry now', { amount: 1, expires_in: 0 }, BAD],
    ['no expiry beyond ten years', { amount: 1, expires_in: 10 * 365 * 86_400 + 60 }, BAD],
    ['not two expiries', { amount: 1, expires_in: 5, expires_at: 4e9 }, BAD],
    ['no metadata that is no object', { amount: 1, metadata: [1] }, -32602],
    ['no metadata that is a text', { amount: 1, metadata: 'x' }, -32602],
    ['no metadata of 4097 bytes', { amount: 1, metadata: { x: 'x'.repeat(4089) } }, BAD],
    ['no tolerance of the amount', { amount: 5, tolerance: 5 }, BAD],
    ['no tolerance of an open request', { tolerance: 1 }, BAD],
    ['no plain return_url', { amount: 1, return_url: 'http://shop.example/' }, BAD],
    ['no return_url with a password', { amount: 1, return_url: 'https://a:b@shop.example/' }, BAD],
    ['no script as return_url', { amount: 1, return_url: 'javascript:alert(1)' }, BAD],
    ['no reference of 256 bytes', { amount: 1, reference: 'é'.repeat(128) }, -32602],
    ['no empty reference', { amount: 1, reference: '' }, -32602],
    ['no 10001 confirmations', { amount: 1, confirmations: 10_001 }, -32602],
    ['no account that does not exist', { amount: 1, account_index: 7 }, -14],
  ])('has %s, and leaves nothing behind', async (_, params, code) => {
    const before = await addresses();
    expect(await refused(params)).toBe(code);
    expect(await addresses()).toBe(before);
  });

  it('is not one at the limits', async () => {
    const metadata = { x: 'x'.repeat(4088) };
    const made = await create({
      amount: '9223372036854775807',
      metadata,
      reference: 'é'.repeat(127),
      confirmations: 10_000,
    });
    expect(made).toMatchObject({ metadata, confirmations: 10_000 });
  });

  it('names the request that has its reference', async () => {
    const { request_id } = await create({ reference: 'taken' });
    const { error } = await shop.call('create_payment_request', { amount: 1, reference: 'taken' });
    expect(error).toMatchObject({ code: TAKEN, message: expect.stringContaining(request_id as string) });
  });

  it('has other parameters under a known key, though the same ones return the same request', async () => {
    const params = { amount: 7, idempotency_key: 'k', metadata: { a: 1, b: [] } };
    const made = await create(params);
    expect((await create({ ...params, metadata: { b: [], a: 1 }, account_index: 0 })).request_id).toBe(
      made.request_id,
    );
    expect(await refused({ ...params, amount: 8 })).toBe(MISMATCH);
    expect(await refused({ ...params, metadata: { a: 1 } })).toBe(MISMATCH);
    expect(await refused({ ...params, expires_in: 60 })).toBe(MISMATCH);
  });

  test.each(['get_payment_request', 'cancel_payment_request', 'extend_payment_request'])(
    'is one that %s does not find, or that two names name',
    async (method) => {
      const more = method.startsWith('extend') ? { expires_in: 60 } : {};
      expect(await refused({ request_id: 'x', ...more }, method)).toBe(MISSING);
      expect(await refused({ reference: 'x', ...more }, method)).toBe(MISSING);
      expect(await refused({ address: (await shop.rpc('get_address')).address, ...more }, method)).toBe(
        MISSING,
      );
      expect(await refused({ ...more }, method)).toBe(BAD);
      expect(await refused({ request_id: 'x', reference: 'x', ...more }, method)).toBe(BAD);
    },
  );
});

describe('the list', () => {
  it('has all requests page by page, latest first, by state and by reference', async () => {
    const list = (params: object): Promise<Loose> => shop.rpc('list_payment_requests', params);
    const { requests } = await list({ limit: 1000 });
    const ids = (requests as Loose[]).map(({ request_id }) => request_id as string);
    expect(ids.length).toBeGreaterThan(5);
    const paged: string[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await list({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      paged.push(...(page.requests as Loose[]).map(({ request_id }) => request_id as string));
      cursor = page.cursor as string | undefined;
      if (cursor === undefined) break;
    }
    expect(paged).toEqual(ids);
    for (const { request_id, state } of requests as Loose[]) {
      const some = (await list({ limit: 1000, state })).requests as Loose[];
      expect(some.map((one) => one.request_id)).toContain(request_id);
    }
    expect((await list({ reference: 'o-1' })).requests).toMatchObject([{ reference: 'o-1' }]);
    expect((await list({ reference: 'o-1', state: 'waiting' })).requests).toEqual([]);
    expect((await shop.call('list_payment_requests', { cursor: '-1' })).error?.code).toBe(-32602);
  });
});
