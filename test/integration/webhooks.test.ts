import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { createClient, webhookHandler, type WalletEvent } from '../../src/client/client.js';
import { freePort } from '../support/processes/process.js';
import { post, walletCalls, walletPath, type Loose, type WalletCalls } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { until } from '../support/fakes/until.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { WebhookReceiver, type Received } from '../support/network/webhook-receiver.js';

/* Events of wallets at receivers of our own, verified by the package `standardwebhooks`. */

const MISSING = -58;
const REFUSED = -59;
const AMOUNT = 5_000_000_000_000;

const logs = mkdtempSync(join(tmpdir(), 'webhooks-'));
const [auditFile, logFile] = [join(logs, 'audit.log'), join(logs, 'server.log')];

let daemon: Monerod;
let server: WalletRpc;
let payer: WalletCalls;
let shop: WalletCalls;
let payerAddress: string;
let shopAddress: string;

/** Checks a delivery with a secret. @returns its event, with the id of its header. */
function verified({ body, headers }: Received, secret: string): Loose {
  const event = new Webhook(secret).verify(body, headers as Record<string, string>) as Loose;
  return { id: Number(headers['webhook-id']), ...event };
}

/** Endpoint of the shop, with its receiver. */
class Endpoint {
  readonly receiver: WebhookReceiver;
  readonly id: string;
  secret: string;

  private constructor(receiver: WebhookReceiver, { id, secret }: Loose) {
    this.receiver = receiver;
    this.id = id as string;
    this.secret = secret as string;
  }

  static async add(types: readonly string[] = []): Promise<Endpoint> {
    const receiver = await WebhookReceiver.start();
    return new Endpoint(receiver, await shop.rpc('add_webhook', { url: receiver.url, types }));
  }

  /** Events about a transaction, each checked, in the order of their arrival. */
  events(txHash: string): Loose[] {
    return this.receiver.received
      .map((delivery) => verified(delivery, this.secret))
      .filter(({ data }) => data.tx_hash === txHash);
  }

  /** Waits until the events about a transaction are of these types. */
  async types(txHash: string, types: readonly string[]): Promise<void> {
    const names = (): string[] => this.events(txHash).map(({ type }) => type as string);
    await until(`${types.join()} at the receiver`, () => names().length >= types.length);
    expect(names()).toEqual(types);
  }

  async state(): Promise<Loose> {
    const { webhooks } = await shop.rpc('list_webhooks');
    return webhooks.find(({ id }: Loose) => id === this.id);
  }

  async end(): Promise<void> {
    await shop.rpc('remove_webhook', { id: this.id });
    await this.receiver.stop();
  }
}

const mine = async (blocks: number): Promise<void> => {
  await daemon.generate(payerAddress, blocks);
  await shop.rpc('refresh');
};

async function pay(): Promise<string> {
  await payer.rpc('refresh');
  const { tx_hash: txHash } = await payer.rpc('transfer', {
    destinations: [{ amount: AMOUNT, address: shopAddress }],
  });
  await shop.rpc('refresh');
  return txHash as string;
}

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  server = await startWalletRpc({
    daemon: daemon.address,
    args: [
      ...['--webhook-allow-private', '--confirmations=1,3', '--log-level=2'],
      ...[`--audit-log=${auditFile}`, `--log-file=${logFile}`],
    ],
  });
  [payer, shop] = ['payer', 'shop'].map((name) => walletCalls(server.port, name)) as [
    WalletCalls,
    WalletCalls,
  ];
  for (const wallet of [payer, shop])
    await wallet.rpc('create_wallet', { password: '', language: 'English' });
  [payerAddress, shopAddress] = [
    (await payer.rpc('get_address')).address as string,
    (await shop.rpc('get_address')).address as string,
  ];
  await daemon.generate(payerAddress, 75);
  await shop.rpc('refresh');
});

afterAll(async () => {
  await server?.stop();
  await daemon?.stop();
  rmSync(logs, { recursive: true, force: true });
});

/** Lines of a log as JSON. */
const linesOf = (path: string): Loose[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Loose);

describe('the trace of a call', () => {
  it('is in the audit log, in the lines of the call, and in the deliveries that it causes alone', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
    const receiver = await WebhookReceiver.start();
    const { id } = await payer.rpc('add_webhook', { url: receiver.url, types: [] });
    await payer.rpc('refresh');
    const params = { destinations: [{ amount: AMOUNT, address: shopAddress }] };
    const body = { jsonrpc: '2.0', id: '0', method: 'transfer', params };
    const { text } = await post(server.port, walletPath('payer'), body, { traceparent });
    const txHash = (JSON.parse(text) as Loose).result.tx_hash as string;
    await mine(1);
    await payer.rpc('refresh');
    const headerOf = (type: string): string | undefined => {
      const found = receiver.received.find(({ body: sent }) => sent.includes(type) && sent.includes(txHash));
      return found && String(found.headers['traceparent']);
    };
    const relayed = await until('the delivery of the payment', () => headerOf('transfer.relayed'));
    const mined = await until('the delivery of its block', () => headerOf('transfer.mined'));
    expect(relayed).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    expect([relayed === traceparent, mined]).toEqual([false, 'undefined']);
    expect(linesOf(auditFile).filter((line) => 'traceparent' in line)).toEqual([
      expect.objectContaining({ method: 'transfer', outcome: 'ok', traceparent, transactions: [txHash] }),
    ]);
    const own = linesOf(logFile).filter((line) => 'traceparent' in line);
    expect(own.map((line) => line.traceparent as string)).toEqual(own.map(() => traceparent));
    expect(own).toContainEqual(expect.objectContaining({ method: 'transfer' }));
    await payer.rpc('remove_webhook', { id });
    await receiver.stop();
  });
});

describe('a webhook', () => {
  it('gets the stages of a payment in order, signed, and their exact facts', async () => {
    const endpoint = await Endpoint.add();
    const txHash = await pay();
    await mine(1);
    await mine(2);
    await mine(8);
    await endpoint.types(txHash, [
      'payment.seen',
      'payment.mined',
      'payment.confirmed',
      'payment.confirmed',
      'payment.unlocked',
    ]);
    const events = endpoint.events(txHash);
    const ids = events.map(({ id }) => id as number);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(events.every(({ wallet, data }) => wallet === 'shop' && data.amount === AMOUNT)).toBe(true);
    expect(events[1].data).toMatchObject({ address: shopAddress, seen: ids[0] });
    expect(await endpoint.state()).toMatchObject({ state: 'enabled', backlog: 0, pending: 0 });
    await endpoint.end();
  });

  it('gets the reversal of a payment that a reorganisation removes', async () => {
    const endpoint = await Endpoint.add(['payment.mined', 'payment.reversed']);
    const txHash = await pay();
    await mine(2);
    await daemon.popBlocks(2);
    await daemon.rpc('flush_txpool', {});
    await mine(4);
    await endpoint.types(txHash, ['payment.mined', 'payment.reversed']);
    const [mined, reversed] = endpoint.events(txHash);
    expect(reversed.data).toMatchObject({ reason: 'reorganised', reverses: mined.id });
    await endpoint.end();
  });

  it('signs with both secrets after a rotation', async () => {
    const endpoint = await Endpoint.add(['payment.seen']);
    const { secret } = await shop.rpc('rotate_webhook_secret', { id: endpoint.id });
    const txHash = await pay();
    await endpoint.types(txHash, ['payment.seen']);
    const delivery = endpoint.receiver.received.find(({ body }) => body.includes(txHash));
    expect(verified(delivery as Received, secret as string)).toMatchObject({ data: { tx_hash: txHash } });
    expect(delivery?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    await endpoint.end();
  });

  it('that fails holds up no other one, and gets an event again by request', async () => {
    const [failing, working] = [await Endpoint.add(['payment.seen']), await Endpoint.add(['payment.seen'])];
    failing.receiver.answer = (response) => response.writeHead(503, { 'retry-after': '600' }).end();
    const hashes = [await pay(), await pay(), await pay()];
    for (const txHash of hashes) await working.types(txHash, ['payment.seen']);
    await until('the failure to be recorded', async () => (await failing.state()).pending > 0);
    const list = async (state: string): Promise<Loose[]> =>
      (await shop.rpc('list_deliveries', { id: failing.id, state })).deliveries ?? [];
    const [failed] = (await list('pending')).slice(-1);
    expect(failed).toMatchObject({ attempts: 1, status: 503, reason: 'status' });
    failing.receiver.answer = (response) => response.writeHead(204).end();
    await shop.rpc('redeliver_webhook', { id: failing.id, event_id: failed.event_id });
    await until('the redelivery', async () =>
      (await list('delivered')).some(({ event_id }) => event_id === failed.event_id),
    );
    await Promise.all([failing.end(), working.end()]);
  });

  it('is processed by the handler of the client: once, again after an error, and exactly as in the list of events', async () => {
    const port = await freePort();
    const added = await shop.rpc('add_webhook', {
      ...{ url: `http://127.0.0.1:${port}/webhook`, types: ['payment.seen'] },
    });
    const processed: WalletEvent[] = [];
    let failures = 1;
    const { express } = webhookHandler({
      secret: String(added.secret),
      onEvent(event) {
        if (failures-- > 0) throw new Error('no database');
        processed.push(event);
      },
      onError: () => undefined,
    });
    const shopServer = createServer((request, response) => void express(request, response));
    await new Promise<void>((resolve) => shopServer.listen(port, '127.0.0.1', resolve));
    const client = createClient({ url: `http://127.0.0.1:${server.port}`, wallet: 'shop' });
    try {
      expect(await client.test_webhook({ id: String(added.id) })).toMatchObject({
        ...{ delivered: true, status: 204 },
      });
      const txHash = await pay();
      const first = async () => (await client.list_deliveries({ id: String(added.id) })).deliveries[0];
      await until('the answer 500', async () => (await first())?.status === 500);
      const event_id = (await first())?.event_id ?? 0;
      for (let i = 0; i < 2; i++) {
        await client.redeliver_webhook({ id: String(added.id), event_id });
        await until('the delivery', async () => (await first())?.state === 'delivered');
      }
      const { events } = await client.get_events({ after: event_id - 1, limit: 1 });
      expect(processed).toEqual(events);
      expect(processed[0]).toMatchObject({ id: event_id, data: { tx_hash: txHash, amount: BigInt(AMOUNT) } });
    } finally {
      client.close();
      await shop.rpc('remove_webhook', { id: added.id });
      shopServer.closeAllConnections();
      shopServer.close();
    }
  });

  it('is tested by a signed event of its own, whose answer the caller gets', async () => {
    const endpoint = await Endpoint.add(['payment.seen']);
    endpoint.receiver.answer = (response) => response.writeHead(201).end(`thanks ${'x'.repeat(300)}`);
    const answered = await shop.rpc('test_webhook', { id: endpoint.id });
    expect(answered).toEqual({
      ...{ delivered: true, status: 201, reply: `thanks ${'x'.repeat(193)}` },
      ...{ ms: expect.any(Number), webhook_id: expect.stringMatching(/^test_[0-9a-f]{32}$/) },
    });
    const [received] = endpoint.receiver.received;
    const { headers, body } = received as Received;
    expect(headers['webhook-id']).toBe(answered.webhook_id);
    expect(new Webhook(endpoint.secret).verify(body, headers as Record<string, string>)).toMatchObject({
      ...{ type: 'webhook.test', wallet: 'shop', data: { webhook: endpoint.id } },
    });
    endpoint.receiver.answer = (response) => response.writeHead(500).end('out of order');
    expect(await server.rpc('test_webhook', { id: endpoint.id, wallet: 'shop' })).toMatchObject({
      ...{ delivered: false, status: 500, reason: 'status', reply: 'out of order' },
    });
    await endpoint.receiver.stop();
    const failed = await shop.rpc('test_webhook', { id: endpoint.id });
    expect(failed).toMatchObject({ delivered: false, reason: 'connect' });
    expect([failed.status, failed.reply]).toEqual([undefined, undefined]);
    expect((await shop.rpc('list_deliveries', { id: endpoint.id })).deliveries).toEqual([]);
    await shop.rpc('remove_webhook', { id: endpoint.id });
    expect((await shop.call('test_webhook', { id: endpoint.id })).error?.code).toBe(MISSING);
  });

  it('is added by /json_rpc to the open wallet that is named', async () => {
    const url = 'https://shop.example.org/';
    const { id, types } = await server.rpc('add_webhook', { url, types: ['wallet.synced'], wallet: 'shop' });
    expect(types).toEqual(['wallet.synced']);
    expect((await shop.rpc('list_webhooks')).webhooks.map((webhook: Loose) => webhook.id)).toContain(id);
    expect(JSON.stringify(await shop.rpc('list_webhooks'))).not.toContain('whsec_');
    expect((await shop.call('add_webhook', { url, wallet: 'payer' })).error?.code).toBe(-1);
    expect((await server.call('add_webhook', { url })).error?.code).toBe(-13);
    await server.rpc('remove_webhook', { id, wallet: 'shop' });
    expect((await shop.call('remove_webhook', { id })).error?.code).toBe(MISSING);
    expect((await shop.call('add_webhook', { url, types: ['x'] })).error?.code).toBe(REFUSED);
  });
});

it('a test reaches no target on this machine without --webhook-allow-private, as no delivery does', async () => {
  const receiver = await WebhookReceiver.start();
  const allowed = await startWalletRpc({ args: ['--webhook-allow-private'] });
  const { walletDir } = allowed;
  await allowed.rpc('create_wallet', { filename: 'w', password: '', language: 'English' });
  const { id } = await allowed.rpc('add_webhook', { url: receiver.url });
  await allowed.stop({ keep: true });
  const plain = await startWalletRpc({ walletDir });
  await plain.rpc('open_wallet', { filename: 'w', password: '' });
  expect(await plain.rpc('test_webhook', { id })).toMatchObject({ delivered: false, reason: 'target' });
  expect(receiver.received).toEqual([]);
  await plain.stop();
  await receiver.stop();
});

it('targets on this machine are refused without --webhook-allow-private, and webhooks in restricted mode', async () => {
  const plain = await startWalletRpc();
  await plain.rpc('create_wallet', { filename: 'w', password: '', language: 'English' });
  for (const url of ['http://127.0.0.1:8080/', 'http://localhost/', 'http://[::1]/', 'http://10.0.0.1/'])
    expect((await plain.call('add_webhook', { url })).error?.code).toBe(REFUSED);
  await plain.stop();
  const restricted = await startWalletRpc({ args: ['--restricted-rpc'] });
  expect((await restricted.call('list_webhooks')).error?.code).toBe(-7);
  await restricted.stop();
});
