import { execFile } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient, type Client, type WalletClient } from '../../src/client/client.js';
import { parseSecret, signatureHeaders } from '../../src/net/webhooks/signature.js';
import { writeMedusaFramework } from '../support/fakes/medusa-framework.js';
import { until } from '../support/fakes/until.js';
import type { Loose } from '../support/network/json-rpc.js';
import { installPackedClient, ROOT, type PackedClient } from '../support/network/packed-client.js';
import { answerResult, startScriptedServer } from '../support/network/scripted-server.js';
import { PROVIDER } from '../support/processes/medusa.js';
import { SHOP_RIGHTS, startShopServer, type ShopServer } from '../support/wallets/shop-server.js';

/* The payment provider for Medusa against our server, without the framework: states, money, and what it refuses. */

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
/** Amount of 19.90 EUR at 151.20 EUR [atomic units]. */
const AMOUNT = 131_613_756_614n;

let client: PackedClient;
let server: ShopServer;
let shop: Client;
let wallet: WalletClient;
let customer: Client;
let home: string;
let provider: Loose;
let prices: Loose;
let Provider: new (cradle: object, options: object) => Loose;
let sessions = 0;
const warnings: string[] = [];
const cradle = { logger: { warn: (text: string) => warnings.push(text) } };

const now = (): number => Math.floor(Date.now() / 1000);
const optionsWith = (more: object = {}): object => ({
  ...{ url: server.env['WALLET_RPC_URL'], wallet: 'shop', auth: { token: server.env['WALLET_RPC_TOKEN'] } },
  ...{ webhookSecret: SECRET, rate: { eur: { rate: '151.20', time: now() } } },
  ...more,
});
const providerWith = (more: object): Loose => new Provider(cradle, optionsWith(more));

beforeAll(async () => {
  [client, server] = await Promise.all([installPackedClient(), startShopServer()]);
  writeMedusaFramework(client.folder);
  cpSync(PROVIDER, join(client.folder, 'provider'), { recursive: true });
  const compile = ['--noCheck', '-p', join(client.folder, 'provider')];
  await promisify(execFile)(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...compile]);
  const load = createRequire(join(client.folder, 'provider/package.json'));
  ({ WalletRpcPaymentProvider: Provider } = load('./dist/index.js') as Loose);
  prices = load('./dist/price.js');
  const { WALLET_RPC_URL = '', ADMIN_TOKEN: token = '', CUSTOMER_URL = '' } = server.env;
  shop = createClient({ url: WALLET_RPC_URL, auth: { token } });
  wallet = shop.wallet('shop');
  customer = createClient({ url: CUSTOMER_URL });
  ({ address: home } = await customer.get_address());
  provider = providerWith({});
});

afterAll(async () => {
  shop?.close();
  customer?.close();
  await server?.stop();
  client?.remove();
});

const mine = async (blocks: number): Promise<void> => {
  await server.mine(home, blocks);
  await Promise.all([wallet.refresh(), customer.refresh()]);
};
const begin = async (own = provider, data: object = {}, amount: unknown = 19.9): Promise<Loose> => {
  const context = { idempotency_key: `payses_${++sessions}` };
  return (await own.initiatePayment({ amount, currency_code: 'eur', data, context })).data;
};
const pay = async ({ address }: Loose, amount = AMOUNT): Promise<void> => {
  await customer.transfer({ destinations: [{ address, amount }] });
  await Promise.all([wallet.refresh(), customer.refresh()]);
};
const status = async (data: Loose, own = provider): Promise<string> =>
  (await own.getPaymentStatus({ data })).status;

/** Delivers an event of a request to a provider, signed with a secret. */
const deliver = async (
  data: Loose,
  type = 'request.paid',
  own = provider,
  secret = SECRET,
): Promise<Loose> => {
  const { request_id } = data;
  const body = JSON.stringify({
    type,
    timestamp: new Date().toISOString(),
    data: { request_id },
    wallet: 'shop',
  });
  const headers = signatureHeaders({ id: '7', timestamp: now(), body }, [parseSecret(secret)]);
  return await own.getWebhookActionAndData({ data: JSON.parse(body), rawData: Buffer.from(body), headers });
};

describe('the money of a session', () => {
  it.each([
    [19.9, 'EUR', '19.90'],
    ['19.995', 'EUR', '20.00'],
    ['19.99499999999999999999', 'EUR', '19.99'],
    [{ value: '16.7226890756302521', precision: 20 }, 'EUR', '16.72'],
    [{ numeric: 0.05, raw: { value: '0.05' } }, 'USD', '0.05'],
    [1e21, 'EUR', '1000000000000000000000.00'],
    ['2.5e-2', 'EUR', '0.03'],
    [1980, 'JPY', '1980'],
    [1.2345, 'KWD', '1.235'],
  ])('is rounded to the decimals of the currency: %j %s is %s', (amount, currency, rounded) => {
    expect(prices.priceAmount(amount, currency)).toBe(rounded);
  });

  it.each([0, '0.001', -1, 'NaN', Infinity, ''])('is refused if it is no positive amount: %j', (amount) => {
    expect(() => prices.priceAmount(amount, 'EUR')).toThrow(RangeError);
  });

  it('fits the rate as the server calculates it, and is kept with it', async () => {
    const data = await begin();
    expect(data).toMatchObject({ amount: String(AMOUNT), price: { currency: 'EUR', amount: '19.90' } });
    const { price, reference, asks_refund_address } = await wallet.get_payment_request({
      request_id: data.request_id as string,
    });
    expect([price?.rate, reference, asks_refund_address]).toEqual(['151.20', `payses_${sessions}`, true]);
    expect(JSON.parse(JSON.stringify(data))).toMatchObject({ pay_url: expect.stringContaining('/pay/') });
  });

  it('is the same request in a repeated call, also after the rate has changed', async () => {
    const first = await begin();
    sessions -= 1;
    const again = await begin(providerWith({ rate: async () => ({ rate: '90', time: now() }) }));
    expect(again).toEqual(first);
    sessions -= 1;
    await expect(begin(provider, {}, 20)).rejects.toMatchObject({ type: 'not_allowed' });
  });

  it('needs a rate that is not too old', async () => {
    const old = { eur: { rate: '151.20', time: now() - 7200 } };
    await expect(begin(providerWith({ rate: old }))).rejects.toThrow('too old');
    await expect(begin(providerWith({ rate: { usd: old.eur } }))).rejects.toThrow('no rate of XMR in EUR');
    expect(await begin(providerWith({ rate: old, maxRateAge: 8000 }))).toMatchObject({ state: 'waiting' });
  });
});

describe('the state of a session', () => {
  it('is captured once its request is paid, and pending before', async () => {
    const early = providerWith({ placeOrderAt: 'seen' });
    const data = await begin();
    const states = async () => [await status(data), await status(data, early), (await deliver(data)).action];
    expect(await states()).toEqual(['pending', 'pending', 'pending']);
    await pay(data, AMOUNT / 2n);
    expect(await states()).toEqual(['pending', 'pending', 'pending']);
    await pay(data, AMOUNT - AMOUNT / 2n);
    for (const blocks of [0, 1]) {
      await mine(blocks);
      expect(await states()).toEqual(['pending', 'pending_authorization', 'pending']);
      await expect(early.capturePayment({ data })).rejects.toThrow('not paid');
    }
    expect((await provider.retrievePayment({ data })).data.state).toBe('confirming');
    await mine(1);
    expect(await states()).toEqual(['captured', 'captured', 'captured']);
    expect(await deliver(data)).toEqual({
      action: 'captured',
      data: { session_id: `payses_${sessions}`, amount: '19.90' },
    });
    expect((await provider.capturePayment({ data })).data.state).toBe('paid');
    for (const end of ['cancelPayment', 'deletePayment'])
      await expect(provider[end]({ data })).rejects.toThrow('refund it');
  });

  it('is canceled when its request is cancelled or has expired', async () => {
    const data = await begin();
    expect((await provider.cancelPayment({ data })).data.state).toBe('cancelled');
    expect(await provider.deletePayment({ data })).toMatchObject({ data: { state: 'cancelled' } });
    const short = await begin(providerWith({ expiresIn: 1 }));
    await until('the expiry', async () => ((await status(short)) === 'canceled' ? true : undefined));
    expect([await status(data), (await deliver(short)).action]).toEqual(['canceled', 'canceled']);
    expect(await provider.deletePayment({ data: {} })).toEqual({ data: {} });
  });

  it('follows the amount of its cart by another request, until money arrives', async () => {
    const data = await begin();
    const update = async (old: Loose, amount: number): Promise<Loose> =>
      (await provider.updatePayment({ data: old, amount, currency_code: 'eur' })).data;
    expect((await update(data, 19.9)).request_id).toBe(data.request_id);
    const changed = await update(data, 25);
    expect(changed).toMatchObject({ session_id: data.session_id, price: { amount: '25.00' } });
    // The answer may have been lost.
    expect((await update(data, 25)).request_id).toBe(changed.request_id);
    const back = await update(data, 19.9);
    expect([await status(data), await status(changed), await status(back)]).toEqual([
      ...['canceled', 'canceled', 'pending'],
    ]);
    await pay(back, 1_000_000n);
    await expect(update(back, 30)).rejects.toThrow('has money');
  });
});

describe('a refund', () => {
  it('is made once, at the rate of the payment, and never exceeds it', async () => {
    const data = await begin(provider, { refund_address: home });
    await pay(data);
    await mine(2);
    const refund = (id: string, amount: unknown): Promise<Loose> =>
      provider.refundPayment({ data, amount, context: { idempotency_key: id } });
    const id = `ref_${sessions}`;
    const first = (await refund(id, { value: '5' })).data;
    expect(first).toMatchObject({ refunded: '33068783069', refunds: [{ refund_id: id }] });
    expect((await refund(id, 5)).data.refunded).toBe('33068783069');
    await expect(refund(`${id}b`, 15)).rejects.toMatchObject({ type: 'not_allowed' });
    expect((await refund(`${id}c`, 14.9)).data).toMatchObject({ refunded: String(AMOUNT), refundable: '0' });
  });

  it('returns what was paid where a tolerance let less pass', async () => {
    const data = await begin(providerWith({ terms: { tolerance: 5000n } }), { refund_address: home });
    await pay(data, AMOUNT - 4000n);
    await mine(2);
    const context = { idempotency_key: `ref_${sessions}` };
    expect((await provider.refundPayment({ data, amount: 19.9, context })).data.refunded).toBe(
      String(AMOUNT - 4000n),
    );
  });

  it('is asked for again under its id while its answer is lost', async () => {
    const asked: string[] = [];
    const metadata = { medusa_session: 'payses_lost' };
    const price = { currency: 'EUR', amount: '19.90', rate: '151.20', rate_time: 1 };
    const request = {
      request_id: 'r',
      state: 'paid',
      metadata,
      price,
      refunds: [],
      tolerance: 0,
      refundable: 9e14,
    };
    const lossy = await startScriptedServer(({ body }, res) => {
      const { method, params } = JSON.parse(body) as Loose;
      if (method === 'get_payment_request') return answerResult(res, JSON.stringify(request));
      if (asked.push(params.refund_id as string) < 3) return void res.destroy();
      answerResult(res, JSON.stringify({ ...request, refundable: 0 }));
    });
    try {
      const data = { request_id: 'r', session_id: 'payses_lost' };
      const context = { idempotency_key: 'ref_lost' };
      const refunded = await providerWith({ url: lossy.url }).refundPayment({ data, amount: 5, context });
      expect(refunded.data.refundable).toBe('0');
      expect(asked).toEqual(['ref_lost', 'ref_lost', 'ref_lost']);
    } finally {
      await lossy.close();
    }
  });

  it('needs an address', async () => {
    const data = await begin();
    await pay(data);
    await mine(2);
    const context = { idempotency_key: `ref_${sessions}` };
    await expect(provider.refundPayment({ data, amount: 5, context })).rejects.toThrow('refund address');
  });
});

describe('what is false', () => {
  it('is refused: the request of another session, and a delivery that is not signed', async () => {
    const [own, other] = [await begin(), await begin()];
    const data = { ...own, request_id: other.request_id };
    await expect(provider.authorizePayment({ data })).rejects.toThrow('belongs to another');
    await expect(provider.deletePayment({ data })).rejects.toThrow('belongs to another');
    const false_ = deliver(own, 'request.paid', provider, `whsec_${Buffer.alloc(32, 9).toString('base64')}`);
    await expect(false_).rejects.toMatchObject({ type: 'unauthorized' });
  });

  it('is not believed: the state of the request decides, and other requests and events are none of its business', async () => {
    expect((await deliver(await begin(), 'request.paid')).action).toBe('pending');
    expect(await deliver({ request_id: 'none' })).toEqual({ action: 'not_supported' });
    expect(await deliver(await begin(), 'payment.seen')).toEqual({ action: 'not_supported' });
    const { request_id } = await wallet.create_payment_request({ amount: 1n });
    expect(await deliver({ request_id })).toEqual({ action: 'not_supported' });
  });

  it('is reported: a payment that was reversed', async () => {
    const data = await begin();
    warnings.splice(0);
    await deliver(data, 'request.reversed');
    expect(warnings).toEqual([
      expect.stringContaining(`request.reversed of payment session ${data.session_id}`),
    ]);
  });

  it.each([
    ['url', { url: 'wallet' }],
    ['wallet', { wallet: '' }],
    ['webhookSecret', { webhookSecret: 'secret' }],
    ['rate', { rate: 151.2 }],
    ['placeOrderAt', { placeOrderAt: 'confirmed' }],
    ['expiresIn', { expiresIn: 0 }],
  ])('prevents the start: the option %s', (name, more) => {
    expect(() => providerWith(more)).toThrow(`wallet-rpc-medusa: ${name} is`);
  });
});

const read = (...path: string[]): string => readFileSync(join(...path), 'utf8');

describe('the package', () => {
  it('has the version of the server and of its client', () => {
    const { version } = JSON.parse(read(ROOT, 'package.json')) as Loose;
    expect(JSON.parse(read(PROVIDER, 'package.json'))).toMatchObject({
      ...{ version, dependencies: { 'wallet-rpc-client': `^${version}` } },
    });
    expect(read(PROVIDER, 'README.md')).toContain(`wallet-rpc-medusa-${version}.tgz`);
  });

  it('has a readme with every option, and with the rights that these tests give it', () => {
    const readme = read(PROVIDER, 'README.md');
    const [, members = ''] =
      /export interface ProviderOptions \{([^]*?)^\}/m.exec(read(PROVIDER, 'src/options.ts')) ?? [];
    const names = [...members.matchAll(/readonly (\w+)\??:/g)].map(([, name]) => name);
    expect(names).toContain('placeOrderAt');
    const table = readme.slice(readme.indexOf('## Options'), readme.indexOf('## States'));
    expect(names.filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
    expect([...readme.matchAll(/--method (\w+)/g)].map(([, family]) => family)).toEqual(SHOP_RIGHTS);
  });
});
