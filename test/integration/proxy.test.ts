import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SocksClient } from 'socks';
import { walletCalls, type WalletCalls } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { until } from '../support/fakes/until.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { SocksServer } from '../support/network/socks-server.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { WebhookReceiver } from '../support/network/webhook-receiver.js';

/* Connections through a SOCKS proxy. The names of the hosts are known to the proxy alone. */

const NODE = 'nodenodenodenode.onion';
const SHOP = 'shop.example.org';
const REFUSED = -59;

let proxy: SocksServer;
let daemon: Monerod;
let server: WalletRpc;
let receiver: WebhookReceiver;
let shop: WalletCalls;
let address: string;

beforeAll(async () => {
  proxy = await SocksServer.start();
  daemon = await startRegtestDaemon();
  receiver = await WebhookReceiver.start();
  proxy.hosts.set(NODE, daemon.port).set(SHOP, receiver.port);
  server = await startWalletRpc({
    daemon: `${NODE}:18081`,
    args: [`--proxy=127.0.0.1:${proxy.port}`, '--confirmations=1'],
  });
  shop = walletCalls(server.port, 'shop');
  await shop.rpc('create_wallet', { password: '', language: 'English' });
  address = (await shop.rpc('get_address')).address as string;
});

afterEach(async () => {
  proxy.refused.clear();
  const { webhooks = [] } = await shop.rpc('list_webhooks');
  for (const { id } of webhooks as { id: string }[]) await shop.rpc('remove_webhook', { id });
});

afterAll(async () => {
  await server?.stop();
  await receiver?.stop();
  await daemon?.stop();
  await proxy?.stop();
});

/** Mines a block to the wallet, which reads it. */
async function pay(): Promise<void> {
  await daemon.generate(address, 1);
  await shop.rpc('refresh');
}

const requestsTo = (host: string) => proxy.requests.filter((asked) => asked.host === host);

describe('behind a proxy', () => {
  it('the node is reached by its name, which the proxy resolves', async () => {
    await pay();
    expect((await shop.rpc('get_balance')).balance).toBeGreaterThan(0);
    expect(requestsTo(NODE)[0]).toEqual({ kind: 'name', host: NODE, port: 18081 });
  });

  it('webhooks are delivered through it, to a name that the proxy resolves', async () => {
    await shop.rpc('add_webhook', { url: `http://${SHOP}:8080/hook`, types: ['payment.mined'] });
    const before = receiver.connections;
    await pay();
    await until('the delivery', () => receiver.received.length > 0);
    expect(receiver.received[0]?.headers.host).toBe(`${SHOP}:8080`);
    expect(requestsTo(SHOP)).toContainEqual({ kind: 'name', host: SHOP, port: 8080 });
    expect(receiver.connections - before).toBe(requestsTo(SHOP).length);
  });

  it('a webhook waits while the proxy refuses its host, and is never sent directly', async () => {
    proxy.refused.add(SHOP);
    await shop.rpc('add_webhook', { url: `http://${SHOP}:8080/hook`, types: ['payment.mined'] });
    const [connections, asked] = [receiver.connections, requestsTo(SHOP).length];
    await pay();
    const { webhooks } = await until('the failed attempt', async () => {
      const list = await shop.rpc('list_webhooks');
      return (list.webhooks as { pending: number }[])[0]?.pending === 1 ? list : undefined;
    });
    expect(webhooks).toMatchObject([{ backlog: 0, pending: 1 }]);
    expect(requestsTo(SHOP).length).toBeGreaterThan(asked);
    expect(receiver.connections).toBe(connections);
  });

  it.each(['http://127.0.0.1:8080/', 'http://[::1]/', 'http://localhost/', 'http://10.0.0.1/'])(
    'the webhook target %s is refused, without asking the proxy',
    async (url) => {
      const asked = proxy.requests.length;
      expect((await shop.call('add_webhook', { url })).error?.code).toBe(REFUSED);
      expect(proxy.requests.slice(asked).filter(({ host }) => host !== NODE)).toEqual([]);
    },
  );

  it('a client reads server-sent events through a proxy while they happen', async () => {
    proxy.hosts.set('wallet.example.org', server.port);
    const { socket } = await SocksClient.createConnection({
      proxy: { host: '127.0.0.1', port: proxy.port, type: 5 },
      command: 'connect',
      destination: { host: 'wallet.example.org', port: 80 },
    });
    const { cursor } = await shop.rpc('get_events', { limit: 1000 });
    let text = '';
    const ask = request({
      ...{ path: `/wallet/shop/events?after=${cursor}`, headers: { host: `127.0.0.1:${server.port}` } },
      createConnection: () => socket,
    });
    ask.on('response', (response) => response.on('data', (chunk: Buffer) => (text += chunk.toString())));
    ask.on('error', () => undefined);
    ask.end();
    await until('the head of the stream', () => text.includes('retry:'));
    await pay();
    await until('the event', () => text.includes('event: payment.mined'));
    ask.destroy();
  });
});
