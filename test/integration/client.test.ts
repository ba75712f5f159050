import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createClient,
  WalletHttpError,
  WalletRpcError,
  type Client,
  type ClientAuth,
  type WalletEvent,
} from '../../src/client/client.js';
import { registry } from '../../src/rpc/registry.js';
import { ALL, CredentialServer } from '../support/processes/credential-server.js';
import { startCuttingProxy, type CuttingProxy } from '../support/network/cutting-proxy.js';
import { until } from '../support/fakes/until.js';
import { itAtNight } from '../support/jest/lanes.js';

/* The typed client and a server with credentials, through a proxy that loses answers. */

const server = new CredentialServer();
const XMR = 1_000_000_000_000n;
const NOT_ENOUGH_MONEY = -17;
const DENIED = -60;

let proxy: CuttingProxy;
const clients: Client[] = [];

function clientOf(auth: ClientAuth, wallet?: string): Client {
  const client = createClient({ url: proxy.url, auth, wallet });
  clients.push(client);
  return client;
}
const withToken = (name: string, wallet?: string): Client =>
  clientOf({ token: server.tokens[name] ?? '' }, wallet);

beforeAll(async () => {
  await server.start(async () => {
    await server.add('till', { digest: true, wallet: 'shop', method: ['view', 'receive'] });
    await server.add('clerk', { wallet: 'shop', method: ['view'] });
    await server.add('twin', { wallet: 'second', method: ALL });
  });
  proxy = await startCuttingProxy(server.server.port);
});

afterAll(async () => {
  for (const client of clients) client.close();
  await proxy?.close();
  await server.stop();
});

describe('a login of the client', () => {
  it('is HTTP digest, for calls one after the other and at one time, and for events', async () => {
    const [username = '', password = ''] = (server.tokens['till'] ?? '').split(':');
    const client = clientOf({ username, password }, 'shop');
    const { address } = await client.get_address();
    const all = await Promise.all(Array.from({ length: 20 }, () => client.get_address()));
    expect(new Set(all.map((one) => one.address))).toEqual(new Set([address]));
    const made = await client.create_address({ label: 'order 1' });
    expect(made).toMatchObject({ address_index: 1, address: expect.stringMatching(/^\w{95}$/) });
    for await (const { type } of client.events({ after: 0, types: ['payment.mined', 'wallet.synced'] })) {
      expect(['payment.mined', 'wallet.synced']).toContain(type);
      break;
    }
  });

  it('is a token, whose rules answer with their code', async () => {
    const client = withToken('clerk', 'shop');
    expect((await client.get_version()).version).toBeGreaterThan(0);
    const error = await client.create_address().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WalletRpcError);
    expect(error).toMatchObject({ code: DENIED, method: 'create_address', status: 200 });
  });

  it('of the family receive creates and reads payment requests, in its own wallets alone', async () => {
    const [username = '', password = ''] = (server.tokens['till'] ?? '').split(':');
    const till = clientOf({ username, password }, 'shop');
    const made = await till.create_payment_request({ amount: 5n, reference: 'till 1' });
    expect(made).toMatchObject({ amount: 5n, state: 'waiting', payments: [] });
    expect(await till.get_payment_request({ reference: 'till 1' })).toEqual(made);
    expect((await till.list_payment_requests()).requests).toEqual([made]);
    const { address } = made;
    expect(await till.cancel_payment_request({ address })).toMatchObject({ state: 'cancelled' });
    const [clerk, twin] = [withToken('clerk', 'shop'), withToken('twin', 'shop')];
    await expect(clerk.create_payment_request({ amount: 5n })).rejects.toMatchObject({ code: DENIED });
    await expect(clerk.get_payment_request({ address })).rejects.toMatchObject({ code: DENIED });
    await expect(twin.get_payment_request({ address })).rejects.toBeInstanceOf(WalletRpcError);
    await expect(twin.list_payment_requests()).rejects.toBeInstanceOf(WalletRpcError);
  });

  itAtNight('is refused with HTTP status 401 for a wrong password or token, and without one', async () => {
    for (const auth of [{ username: 'till', password: 'wrong' }, { token: 'wrong' }, undefined]) {
      const client = createClient({ url: proxy.url, ...(auth === undefined ? {} : { auth }) });
      clients.push(client);
      const error = await client.get_version().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(WalletHttpError);
      expect(error).toMatchObject({ status: 401 });
    }
  });
});

describe('the methods of the client', () => {
  it('are those of the server', async () => {
    const client = withToken('root');
    const missing = registry.methods.filter(
      ({ name }) => typeof client[name as 'get_balance'] !== 'function',
    );
    expect(missing).toEqual([]);
  });

  it('have amounts as bigints, and heights and indices as numbers', async () => {
    const shop = withToken('root', 'shop');
    const { balance, per_subaddress } = await shop.get_balance();
    expect(balance).toBeGreaterThan(100n * XMR);
    expect(per_subaddress[0]).toMatchObject({ address_index: 0, balance });
    const { transfers } = await shop.incoming_transfers({ transfer_type: 'available' });
    expect(transfers.reduce((sum, { amount }) => sum + amount, 0n)).toBeLessThanOrEqual(balance);
    const { out, in: received } = await shop.get_transfers({ in: true, out: true });
    expect(out).toEqual([]);
    expect(typeof received[0]?.height).toBe('number');
  });

  it('throw the error of the reference, with its code and an explanation', async () => {
    const shop = withToken('root', 'shop');
    const destinations = [{ amount: 2n ** 63n, address: server.payee }];
    const error = await shop.transfer({ destinations }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      ...{ name: 'WalletRpcError', code: NOT_ENOUGH_MONEY, message: 'not enough money' },
      data: { explanation: expect.stringContaining('not enough money') },
    });
  });

  it('act on the wallet of their path, side by side', async () => {
    const client = withToken('root');
    const [shop, second] = [client.wallet('shop'), withToken('twin').wallet('second')];
    await second.create_wallet({ language: 'English' });
    const [one, two, current] = await Promise.all([shop, second, client].map((at) => at.get_address()));
    expect(new Set([one?.address, two?.address, current?.address]).size).toBe(3);
    expect(current?.address).toBe(server.payee);
    await second.close_wallet();
    await expect(second.get_address()).rejects.toMatchObject({ code: -13 });
  });
});

describe('a payment by the client', () => {
  it('with an idempotency key is made once though the first answer is lost', async () => {
    const shop = withToken('root', 'shop');
    const destinations = [{ amount: XMR, address: server.payee }];
    await shop.get_version();
    proxy.cutNextAnswer();
    const paid = await shop.transfer({ destinations }, { idempotencyKey: 'invoice 1' });
    expect(paid).toMatchObject({ amount: XMR, tx_hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const again = await shop.transfer({ destinations }, { idempotencyKey: 'invoice 1' });
    expect(again.tx_hash).toBe(paid.tx_hash);
    const { pending } = await shop.get_transfers({ pending: true });
    expect(pending.map(({ txid }) => txid)).toEqual([paid.tx_hash]);
    const calls = server.audit().filter(({ method }) => method === 'transfer');
    expect(calls.slice(-3).map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok']);
  });

  it('without a key is not repeated when the answer is lost, and says that it may have been made', async () => {
    const shop = withToken('root', 'shop');
    const paymentsSoFar = async () => (await shop.get_transfers({ pending: true })).pending.length;
    const before = await paymentsSoFar();
    const destinations = [{ amount: XMR, address: server.payee }];
    proxy.cutNextAnswer();
    await expect(shop.transfer({ destinations })).rejects.toMatchObject({
      ...{ name: 'WalletConnectionError', mayHaveBeenReceived: true },
    });
    expect(await paymentsSoFar()).toBe(before + 1);
  });
});

describe('the events of the client', () => {
  itAtNight('arrive once, in order and without a gap across cut connections and a restart', async () => {
    const shop = withToken('root', 'shop');
    const seen: WalletEvent[] = [];
    const controller = new AbortController();
    const following = (async () => {
      for await (const event of shop.events({ signal: controller.signal })) seen.push(event);
    })().catch((error: unknown) => error);
    const pay = async (key: string): Promise<void> => {
      const destinations = [{ amount: XMR, address: server.payee }];
      await shop.transfer({ destinations }, { idempotencyKey: key });
    };
    const stored = async (): Promise<readonly WalletEvent[]> =>
      (await shop.get_events({ after: 0, limit: 1000 })).events;
    const caughtUp = async (): Promise<void> => {
      const last = (await stored()).at(-1)?.id ?? 0;
      await until('the last event', () => (seen.at(-1)?.id ?? 0) >= last);
    };
    await caughtUp();
    proxy.cut();
    await pay('event 1');
    await caughtUp();
    await server.restart();
    proxy.target(server.server.port);
    await pay('event 2');
    await caughtUp();
    controller.abort(new Error('enough'));
    expect(await following).toMatchObject({ message: 'enough' });
    const all = await stored();
    expect(seen).toEqual(all.slice(0, seen.length));
    expect(seen.length).toBe(all.length);
    const relayed = seen.filter((event) => event.type === 'transfer.relayed');
    expect(relayed.length).toBeGreaterThanOrEqual(4);
    expect(relayed.every(({ data }) => data.amount_in - data.change - data.fee >= XMR)).toBe(true);
  });
});
