import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { walletCalls, type Loose, type WalletCalls } from '../support/network/json-rpc.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { until } from '../support/fakes/until.js';
import { startWalletProcess, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { logged } from '../support/processes/process.js';
import { itAtNight } from '../support/jest/lanes.js';

/* Events of wallets over get_events and as server-sent events, against monerod. */

const COIN = 1_000_000_000_000;
const INVALID_PARAMS = -32602;

let daemon: Monerod;
let server: WalletRpc;
let shop: WalletCalls;
let payer: WalletCalls;
let shopAddress: string;
let payerAddress: string;

/** Reads a stream of events in the background. */
class Stream {
  readonly events: Loose[] = [];
  readonly status: number;
  readonly #abort: AbortController;

  private constructor(response: Response, abort: AbortController) {
    this.status = response.status;
    this.#abort = abort;
    if (response.status === 200) void this.#read(response).catch(() => undefined);
  }

  static async open(path: string, headers: Record<string, string> = {}): Promise<Stream> {
    const abort = new AbortController();
    const url = `http://127.0.0.1:${server.port}${path}`;
    return new Stream(await fetch(url, { headers, signal: abort.signal }), abort);
  }

  async #read(response: Response): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(part, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, id, type, data] = /^id: (\d+)\nevent: (.*)\ndata: (.*)$/.exec(block) ?? [];
        if (data === undefined) continue;
        const event = JSON.parse(data) as Loose;
        expect([event.id, event.type]).toEqual([Number(id), type]);
        this.events.push(event);
      }
    }
  }

  /** Waits for an event of a type. */
  first(type: string, matches: (event: Loose) => boolean = () => true): Promise<Loose> {
    return until(type, () =>
      Promise.resolve(this.events.find((event) => event.type === type && matches(event))),
    );
  }

  close(): void {
    this.#abort.abort();
  }
}

const latest = async (of: WalletCalls): Promise<number> =>
  (await of.rpc('get_events', { limit: 1000 })).cursor;

beforeAll(async () => {
  daemon = await startMonerod();
  server = await startWalletProcess({
    daemon: daemon.address,
    args: ['--confirmations=1,3', '--rpc-max-connections-per-private-ip=50'],
  });
  shop = walletCalls(server.port, 'shop');
  payer = walletCalls(server.port, 'payer');
  for (const wallet of [shop, payer])
    await wallet.rpc('create_wallet', { password: '', language: 'English' });
  shopAddress = (await shop.rpc('get_address')).address as string;
  payerAddress = (await payer.rpc('get_address')).address as string;
  for (const wallet of [shop, payer]) await wallet.rpc('auto_refresh', { period: 1 });
  await daemon.generate(payerAddress, 75);
  await payer.rpc('refresh');
  await shop.rpc('refresh');
});

afterAll(async () => {
  await server?.stop({ keep: false });
  await daemon?.stop();
});

describe('the life of a payment', () => {
  it('is told step by step to a client of its wallet', async () => {
    const stream = await Stream.open(`/wallet/shop/events?after=${await latest(shop)}`);
    const { tx_hash } = await payer.rpc('transfer', {
      destinations: [{ amount: 2 * COIN, address: shopAddress }],
    });
    const seen = await stream.first('payment.seen');
    expect(seen).toMatchObject({
      wallet: 'shop',
      data: { tx_hash, amount: 2 * COIN, address: shopAddress, subaddr_index: { major: 0, minor: 0 } },
    });
    await daemon.generate(payerAddress, 1);
    const mined = await stream.first('payment.mined');
    expect(mined.data).toMatchObject({ tx_hash, seen: seen.id });
    await daemon.generate(payerAddress, 10);
    await stream.first('payment.unlocked');
    stream.close();
    const about = stream.events.filter(({ data }) => data.tx_hash === tx_hash);
    expect(about.map(({ type, data }) => `${String(type)} ${data.confirmations ?? ''}`.trim())).toEqual([
      ...['payment.seen', 'payment.mined', 'payment.confirmed 1', 'payment.confirmed 3', 'payment.unlocked'],
    ]);
    expect(about.map(({ id }) => id as number)).toEqual(
      about.map(({ id }) => id as number).sort((a, b) => a - b),
    );
  });

  it('is told to the payer as a transfer', async () => {
    const { events } = await payer.rpc('get_events', {
      limit: 1000,
      types: ['transfer.relayed', 'transfer.mined'],
    });
    const types = (events as Loose[]).map(({ type }) => type as string);
    expect(types).toEqual(['transfer.relayed', 'transfer.mined']);
  });

  itAtNight('is reversed when a reorganisation takes it, and told again', async () => {
    const stream = await Stream.open(`/wallet/shop/events?after=${await latest(shop)}`);
    const { tx_hash } = await payer.rpc('transfer', {
      destinations: [{ amount: 3 * COIN, address: shopAddress }],
    });
    await daemon.generate(payerAddress, 1);
    const isOurs = ({ data }: Loose): boolean => data.tx_hash === tx_hash;
    const mined = await stream.first('payment.mined', isOurs);
    await daemon.popBlocks(1);
    await daemon.rpc('flush_txpool');
    await daemon.generate(payerAddress, 2);
    const reversed = await stream.first('payment.reversed', isOurs);
    expect(reversed.data).toMatchObject({ reverses: mined.id, reason: 'reorganised', amount: 3 * COIN });
    expect(await stream.first('wallet.reorganised')).toMatchObject({ data: { depth: 1 } });
    stream.close();
  });

  itAtNight(
    'is reversed by a deep reorganisation, which is an error line, a metric and a field of the event',
    async () => {
      const stream = await Stream.open(`/wallet/shop/events?after=${await latest(shop)}`);
      await daemon.generate(payerAddress, 4);
      await until(
        'the four blocks',
        async () => (await shop.rpc('get_height')).height === (await daemon.rpc('get_info')).height,
      );
      const isDeep = ({ data }: Loose): boolean => data.depth === 4;
      await daemon.popBlocks(4);
      await daemon.generate(payerAddress, 6);
      const { data } = await stream.first('wallet.reorganised', isDeep);
      stream.close();
      const line = `name=shop from_height=${data.from_height} depth=4`;
      await logged(server.process, line);
      expect(server.process.output()).toMatch(/ E a deep reorganisation replaced blocks of the chain/);
      const metrics = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
      expect(metrics).toMatch(/^wallet_rpc_deep_reorganisations_total [12]$/m);
      expect(metrics).toMatch(/^wallet_rpc_deepest_reorganisation_blocks 4$/m);
    },
  );
});

describe('a cursor', () => {
  it('continues where it ended, over a kill of the server', async () => {
    const all = (await shop.rpc('get_events', { limit: 1000 })).events as Loose[];
    const [first, second] = all;
    const { walletDir } = server;
    await server.stop({ signal: 'SIGKILL', keep: true });
    server = await startWalletProcess({ daemon: daemon.address, walletDir });
    shop = walletCalls(server.port, 'shop');
    payer = walletCalls(server.port, 'payer');
    await shop.rpc('open_wallet', { password: '' });
    const stream = await Stream.open('/wallet/shop/events?after=0', { 'last-event-id': String(first.id) });
    await until('the events', () => Promise.resolve(stream.events.length >= all.length - 1 || undefined));
    stream.close();
    expect(stream.events.slice(0, all.length - 1)).toEqual(all.slice(1));
    const page = await shop.rpc('get_events', { after: first.id, limit: 1 });
    expect([page.events, page.cursor]).toEqual([[second], second.id]);
  });

  it('serves all open wallets at once', async () => {
    await payer.rpc('open_wallet', { password: '' });
    const { events } = await server.rpc('get_events', { limit: 1000 });
    const ids = (events as Loose[]).map(({ id }) => id as number);
    expect(new Set((events as Loose[]).map(({ wallet }) => wallet as string))).toEqual(
      new Set(['shop', 'payer']),
    );
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
  });

  itAtNight('waits for the next event as long as asked', async () => {
    const { cursor } = await shop.rpc('get_events', { limit: 1000 });
    const started = performance.now();
    // The payer may relay the payment of the replaced block again at any time.
    const types = ['wallet.reorganised'];
    expect((await shop.rpc('get_events', { after: cursor, wait_ms: 300, types })).events).toEqual([]);
    expect(performance.now() - started).toBeGreaterThanOrEqual(299);
    const nextOf = async (amount: number): Promise<Loose> => {
      for (let after = cursor as number; ;) {
        const page = await shop.rpc('get_events', { after, wait_ms: 60_000, types: ['payment.seen'] });
        const found = ((page.events ?? []) as Loose[]).find(({ data }) => data.amount === amount);
        if (found !== undefined) return found;
        after = page.cursor as number;
      }
    };
    const waiting = nextOf(COIN);
    await payer.rpc('refresh');
    await payer.rpc('transfer', { destinations: [{ amount: COIN, address: shopAddress }] });
    await shop.rpc('refresh');
    expect(await waiting).toMatchObject({ type: 'payment.seen', data: { amount: COIN } });
  });

  it('refuses a cursor above all events in place of going on from it', async () => {
    const { cursor } = await shop.rpc('get_events', { limit: 1000 });
    for (const path of [shop, server])
      expect((await path.call('get_events', { after: Number.MAX_SAFE_INTEGER })).error).toMatchObject({
        code: -65,
        message: expect.stringMatching(/^no event of this server has an id as great as this cursor/),
      });
    expect(await shop.rpc('get_events', { after: cursor, types: ['transfer.failed'] })).toMatchObject({
      events: [],
    });
  });

  it.each([
    ['/events?after=x', 400],
    [`/events?after=${Number.MAX_SAFE_INTEGER}`, 400],
    ['/events?types=payment.lost', 400],
    ['/wallet/nobody/events', 404],
  ])('of %s is refused with HTTP %d', async (path, status) => {
    const stream = await Stream.open(path);
    stream.close();
    expect(stream.status).toBe(status);
  });

  it.each([{ types: ['x'] }, { limit: 0 }, { limit: 1001 }, { wait_ms: 60_001 }])(
    'is not read with %j',
    async (params) => {
      expect((await shop.call('get_events', params)).error?.code).toBe(INVALID_PARAMS);
    },
  );
});

it('a stream ends when the server stops', async () => {
  const stream = await Stream.open('/events');
  expect(stream.status).toBe(200);
  expect(await server.stop({ keep: true })).toBe(0);
  stream.close();
});
