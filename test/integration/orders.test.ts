import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startDaemonProxy, type DaemonProxy } from '../support/network/daemon-proxy.js';
import { walletCalls, type Loose, type Reply } from '../support/network/json-rpc.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { startWalletProcess, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { describeAtNight, isNight, itAtNight, someRows } from '../support/jest/lanes.js';

/* Payments with an idempotency key, against monerod behind a proxy that loses messages. */

const MISMATCH = -54;
const FAILED = -55;
const MISSING = -56;
const INVALID_PARAMS = -32602;
const INVALID_REQUEST = -32600;
/** Connections of fifty calls at a time. */
const CONNECTIONS = ['--rpc-max-connections-per-private-ip=100'];
const COIN = 1_000_000_000_000;
const wallet = { filename: 'w', password: 'p' };

let daemon: Monerod;
let proxy: DaemonProxy;
let server: WalletRpc;
let address: string;

/** Starts the server again, after a kill. */
async function restart(): Promise<void> {
  const { walletDir } = server;
  await server.stop({ signal: 'SIGKILL', keep: true });
  server = await startWalletProcess({ daemon: proxy.address, walletDir, args: CONNECTIONS });
  await server.rpc('open_wallet', wallet);
}

/** Destinations of one payment; the amount names it. */
const to = (amount: number) => ({ destinations: [{ amount, address }] });

/** Sends a body with a header Idempotency-Key. */
async function postWith(
  key: string,
  body: unknown,
): Promise<{ readonly status: number; readonly reply: Reply }> {
  const response = await fetch(`http://127.0.0.1:${server.port}/json_rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  });
  return { status: response.status, reply: (await response.json()) as Reply };
}

const callOf = (method: string, params: object) => ({ jsonrpc: '2.0', id: '0', method, params });

/** Own payments with an amount, in any state. */
async function paymentsOf(amount: number): Promise<Loose[]> {
  const {
    out = [],
    pending = [],
    failed = [],
  } = await server.rpc('get_transfers', {
    ...{ out: true, pending: true, failed: true },
  });
  return ([...out, ...pending, ...failed] as Loose[]).filter((entry) => entry.amount === amount);
}

/** Mines to the payee: a wallet with few rewards is fast. */
async function mine(blocks = 1): Promise<void> {
  await daemon.generate(address, blocks);
  await server.rpc('refresh');
}

beforeAll(async () => {
  daemon = await startMonerod();
  proxy = await startDaemonProxy(daemon.address);
  server = await startWalletProcess({ daemon: proxy.address, args: CONNECTIONS });
  await server.rpc('create_wallet', { filename: 'payee', password: '', language: 'English' });
  ({ address } = await server.rpc('get_address'));
  await server.rpc('create_wallet', { ...wallet, language: 'English' });
  const { address: own } = await server.rpc('get_address');
  await daemon.generate(own as string, 60);
  await mine(80);
});

beforeEach(() => {
  proxy.decide = () => 'forward';
});

afterAll(async () => {
  await server?.stop({ keep: false });
  await proxy?.stop();
  await daemon?.stop();
});

describe('a repeated transfer', () => {
  it('is answered alike, before and after a restart, and paid once', async () => {
    const params = { ...to(COIN + 1), idempotency_key: 'same', get_tx_key: true, get_tx_hex: true };
    const first = await server.rpc('transfer', params);
    expect(await server.rpc('transfer', params)).toEqual(first);
    await restart();
    expect(await server.rpc('transfer', { ...params })).toEqual(first);
    await mine();
    expect(await server.rpc('transfer', params)).toEqual(first);
    expect((await paymentsOf(COIN + 1)).map(({ txid }) => txid as string)).toEqual([first.tx_hash]);
    expect(await server.rpc('get_order', { idempotency_key: 'same' })).toMatchObject({
      idempotency_key: 'same',
      method: 'transfer',
      state: 'mined',
      transactions: [
        {
          ...{ tx_hash: first.tx_hash, fee: first.fee, amount: COIN + 1, state: 'mined', confirmations: 1 },
          destinations: [{ address, amount: COIN + 1 }],
        },
      ],
    });
  });

  it('with other parameters is refused', async () => {
    await server.rpc('transfer', { ...to(COIN + 2), idempotency_key: 'other' });
    const { error } = await server.call('transfer', { ...to(COIN + 3), idempotency_key: 'other' });
    expect(error).toMatchObject({ code: MISMATCH });
    expect(await paymentsOf(COIN + 3)).toEqual([]);
  });

  it('is paid once by many calls at a time with a few keys', async () => {
    const keys = isNight ? 10 : 3;
    const replies = await Promise.all(
      Array.from({ length: 5 * keys }, (_, i) =>
        server.call('transfer', { ...to(COIN + 100 + (i % keys)), idempotency_key: `burst ${i % keys}` }),
      ),
    );
    expect(replies.flatMap(({ error }) => error ?? [])).toEqual([]);
    expect(new Set(replies.map(({ result }) => result?.['tx_hash'])).size).toBe(keys);
    for (let i = 0; i < keys; i++) expect(await paymentsOf(COIN + 100 + i)).toHaveLength(1);
  });
});

describe('the header Idempotency-Key', () => {
  it('means the same as the parameter', async () => {
    const first = await postWith('"by header"', callOf('transfer', to(COIN + 10)));
    expect([first.status, first.reply.error]).toEqual([200, undefined]);
    const again = await server.rpc('transfer', { ...to(COIN + 10), idempotency_key: 'by header' });
    expect(again).toEqual(first.reply.result);
  });

  it('answers 422 for another request under its key', async () => {
    const { status, reply } = await postWith('"by header"', callOf('transfer', to(COIN + 11)));
    expect([status, reply.error?.code]).toEqual([422, MISMATCH]);
  });

  it.each<[string, string, unknown, number, number]>([
    ['is malformed', 'no-quotes', callOf('transfer', {}), 400, INVALID_REQUEST],
    ['comes with a batch', '"k"', [callOf('get_height', {})], 400, INVALID_REQUEST],
    ['differs from the parameter', '"k"', callOf('transfer', { idempotency_key: 'j' }), 200, INVALID_PARAMS],
  ])('that %s is refused', async (_, key, body, status, code) => {
    const answered = await postWith(key, body);
    expect([answered.status, answered.reply.error?.code]).toEqual([status, code]);
  });

  it('is ignored by methods that read', async () => {
    const { status, reply } = await postWith('"k"', callOf('get_height', {}));
    expect([status, reply.error]).toEqual([200, undefined]);
  });
});

describe('a daemon', () => {
  it('that takes a payment and hangs up is sent the same bytes again', async () => {
    proxy.decide = (path) => (path === '/sendrawtransaction' ? 'forward-and-drop-the-answer' : 'forward');
    const params = { ...to(COIN + 20), idempotency_key: 'hung up' };
    const first = await server.rpc('transfer', params);
    proxy.decide = () => 'forward';
    expect(await server.rpc('transfer', params)).toEqual(first);
    await mine();
    expect((await paymentsOf(COIN + 20)).map(({ txid }) => txid as string)).toEqual([first.tx_hash]);
  });

  itAtNight('that never gets a payment gets it with the next call', async () => {
    proxy.decide = (path) => (path === '/sendrawtransaction' ? 'drop' : 'forward');
    const params = { ...to(COIN + 21), idempotency_key: 'dropped' };
    const first = await server.rpc('transfer', params);
    expect(await server.rpc('get_order', { idempotency_key: 'dropped' })).toMatchObject({
      state: 'relayed',
    });
    if (isNight) await restart();
    proxy.decide = () => 'forward';
    expect(await server.rpc('transfer', params)).toEqual(first);
    expect(await server.rpc('get_order', { idempotency_key: 'dropped' })).toMatchObject({ state: 'relayed' });
    await mine();
    expect(await paymentsOf(COIN + 21)).toHaveLength(1);
  });

  itAtNight('that is gone before the payment is recorded leaves the key free', async () => {
    proxy.decide = () => 'drop';
    const params = { ...to(COIN + 22), idempotency_key: 'early' };
    expect((await server.call('transfer', params)).error).toBeDefined();
    proxy.decide = () => 'forward';
    expect((await server.call('get_order', { idempotency_key: 'early' })).error?.code).toBe(MISSING);
    await server.rpc('transfer', { ...to(COIN + 23), idempotency_key: 'early' });
  });
});

describe('an order whose payment failed', () => {
  itAtNight('is paid anew on request only, by a transaction that excludes the failed one', async () => {
    await mine(10);
    proxy.decide = (path) => (path === '/sendrawtransaction' ? 'drop' : 'forward');
    const params = { ...to(COIN + 30), idempotency_key: 'failing', get_tx_hex: true };
    const first = await server.rpc('transfer', params);
    proxy.decide = () => 'forward';
    // The daemon holds it in neither pool nor chain.
    await server.rpc('rescan_spent');
    expect((await server.call('transfer', params)).error?.code).toBe(FAILED);
    const second = await server.rpc('transfer', { ...params, retry_failed: true });
    expect(second.tx_hash).not.toBe(first.tx_hash);
    const images: string[] = first.spent_key_images.key_images;
    expect(images.filter((image) => second.spent_key_images.key_images.includes(image))).not.toEqual([]);
    const { double_spend, status } = await daemon.plain('/sendrawtransaction', { tx_as_hex: first.tx_blob });
    expect([double_spend, status]).toEqual([true, 'Failed']);
    await mine();
    const order = await server.rpc('get_order', { idempotency_key: 'failing' });
    expect(order.transactions).toMatchObject([
      { attempt: 1, current: false, state: 'failed', tx_hash: first.tx_hash },
      { attempt: 2, current: true, state: 'mined', tx_hash: second.tx_hash },
    ]);
    expect(order.state).toBe('mined');
  });
});

describe('an order', () => {
  const stateOf = async (idempotency_key: string): Promise<string> =>
    (await server.rpc('get_order', { idempotency_key })).state as string;

  it('whose transaction never arrived is sent by a hard rescan, and answered only while it can be sent', async () => {
    await mine(10);
    proxy.decide = (path) => (path === '/sendrawtransaction' ? 'drop' : 'forward');
    const params = { ...to(COIN + 50), idempotency_key: 'rescanned' };
    const { tx_hash } = await server.rpc('transfer', params);
    proxy.decide = (path) => (path === '/sendrawtransaction' ? 503 : 'forward');
    await server.rpc('rescan_blockchain', { hard: true });
    proxy.decide = () => 401;
    expect((await server.call('transfer', params)).error).toBeDefined();
    proxy.decide = () => 'forward';
    expect(await server.rpc('transfer', params)).toMatchObject({ tx_hash });
    await mine();
    expect(await stateOf('rescanned')).toBe('mined');
    expect(await paymentsOf(COIN + 50)).toMatchObject([{ txid: tx_hash }]);
  });

  itAtNight(
    'that was not relayed fails by another spend of its inputs, and is made anew once 60 blocks lie over that',
    async () => {
      await mine(10);
      const returned = { do_not_relay: true, get_tx_metadata: true };
      const params = { ...to(COIN + 51), ...returned, idempotency_key: 'unrelayed' };
      const first = await server.rpc('transfer', params);
      for (const key_image of first.spent_key_images.key_images)
        await server.rpc('sweep_single', { address, key_image });
      await mine();
      expect(await stateOf('unrelayed')).toBe('failed');
      expect((await server.call('transfer', params)).error?.code).toBe(FAILED);
      expect((await server.call('relay_tx', { hex: first.tx_metadata })).error).toBeDefined();
      const retry = { ...params, retry_failed: true };
      await mine(59);
      const { error } = await server.call('transfer', retry);
      expect([error?.code, error?.message]).toEqual([FAILED, expect.stringContaining('60 blocks')]);
      await mine();
      const second = await server.rpc('transfer', retry);
      expect(second.tx_hash).not.toBe(first.tx_hash);
      expect((await server.call('relay_tx', { hex: second.tx_metadata })).error).toBeUndefined();
      await mine();
      expect(await stateOf('unrelayed')).toBe('mined');
    },
  );

  it('of a daemon that refuses its payment, hides it and mines it is not paid again', async () => {
    await mine(10);
    const hidden = new Set<string>();
    proxy.rewrite = (path, request, reply) => {
      const body = reply.toString('latin1');
      if (path === '/sendrawtransaction') return Buffer.from('{"status":"Failed","double_spend":true}');
      if (path === '/gettransactions') return Buffer.from('{"status":"OK"}');
      if (path === '/get_transaction_pool_hashes') return Buffer.from('{"status":"OK"}');
      return body.length === 0 ? request : reply;
    };
    const params = { ...to(COIN + 52), idempotency_key: 'lied', get_tx_key: true };
    expect((await server.call('transfer', params)).error).toBeDefined();
    expect([await stateOf('lied'), await paymentsOf(COIN + 52)]).toEqual(['failed', []]);
    const { transactions = [] } = await daemon.plain('/get_transaction_pool');
    for (const { id_hash } of transactions as Loose[]) hidden.add(id_hash as string);
    expect(hidden.size).toBe(1);
    proxy.rewrite = (_, __, reply) => reply;
    await mine();
    const [tx_hash] = hidden;
    expect(await stateOf('lied')).toBe('mined');
    expect(await server.rpc('transfer', params)).toMatchObject({ tx_hash });
    expect(await paymentsOf(COIN + 52)).toMatchObject([{ txid: tx_hash, destinations: [{ address }] }]);
    const { tx_key } = await server.rpc('get_tx_key', { txid: tx_hash });
    expect(tx_key).toMatch(/^[0-9a-f]{64}$/);
  });
});

describeAtNight('an order of a view-only wallet', () => {
  /** Whether the wallet submits its signed set itself, by the round. */
  const ROUNDS = someRows([false, true, false]);

  it('is mined after its set was signed and submitted, by it or by anybody else', async () => {
    const cold = walletCalls(server.port, 'cold');
    const watch = walletCalls(server.port, 'watch');
    await cold.rpc('create_wallet', { password: '', language: 'English' });
    const { address: paid } = await cold.rpc('get_address');
    const { key: viewkey } = await cold.rpc('query_key', { key_type: 'view_key' });
    await watch.rpc('generate_from_keys', { address: paid, viewkey, password: '' });
    await daemon.generate(paid as string, 8);
    await mine(60);
    for (const { rpc } of [watch, cold]) await rpc('refresh');
    for (const [round, here] of ROUNDS.entries()) {
      const key = { idempotency_key: `watched ${round}` };
      const { unsigned_txset } = await watch.rpc('transfer', { ...to(30 * COIN), ...key });
      expect((await watch.rpc('get_order', key)).state).toBe('prepared');
      const signed = await cold.rpc('sign_transfer', { unsigned_txset, export_raw: true });
      if (here) await watch.rpc('submit_transfer', { tx_data_hex: signed.signed_txset });
      else {
        const [tx_as_hex] = signed.tx_raw_list as string[];
        expect((await daemon.plain('/sendrawtransaction', { tx_as_hex })).status).toBe('OK');
      }
      await mine(11);
      for (const { rpc } of [watch, cold]) await rpc('refresh');
      const { state, transactions } = await watch.rpc('get_order', key);
      expect([state, (transactions as Loose[])[0]?.tx_hash]).toEqual(['mined', signed.tx_hash_list[0]]);
    }
    const { out } = await watch.rpc('get_transfers', { out: true });
    expect((out as Loose[]).map(({ amount }) => amount as number)).toEqual(ROUNDS.map(() => 30 * COIN));
  });
});

describe('other methods', () => {
  it('split, sweep and submit once under a key', async () => {
    await mine(10);
    const split = { ...to(COIN + 40), idempotency_key: 'split' };
    expect(await server.rpc('transfer_split', split)).toEqual(await server.rpc('transfer_split', split));
    const { transfers } = await server.rpc('incoming_transfers', { transfer_type: 'available' });
    const { key_image } = (transfers as Loose[]).find((output) => output.unlocked === true) as Loose;
    const single = { address, key_image, idempotency_key: 'single' };
    expect(await server.rpc('sweep_single', single)).toEqual(await server.rpc('sweep_single', single));
    const dust = { idempotency_key: 'dust' };
    expect(await server.rpc('sweep_dust', dust)).toEqual(await server.rpc('sweep_dust', dust));
    const all = { address, idempotency_key: 'all', below_amount: 100 * COIN };
    expect(await server.rpc('sweep_all', all)).toEqual(await server.rpc('sweep_all', all));
    expect(await server.rpc('get_order', { idempotency_key: 'all' })).toMatchObject({ state: 'relayed' });
  });

  it('list the orders by pages and by state', async () => {
    await mine();
    const all: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await server.rpc('list_orders', { limit: 4, ...(cursor && { cursor }) });
      all.push(...((page.orders ?? []) as Loose[]).map(({ idempotency_key }) => idempotency_key as string));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect([new Set(all).size, all.at(-1)]).toEqual([all.length, 'same']);
    const { orders } = await server.rpc('list_orders', { state: 'mined' });
    expect((orders as Loose[]).map(({ idempotency_key }) => idempotency_key as string)).toContain('all');
    expect(await server.rpc('list_orders', { state: 'failed' })).toEqual({ orders: [] });
    expect((await server.call('list_orders', { state: 'lost' })).error?.code).toBe(INVALID_PARAMS);
  });
});
