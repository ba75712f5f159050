import { dirname } from 'node:path';
import type {
  IPaymentModuleService,
  PaymentSessionDTO,
  WebhookActionResult,
} from '@medusajs/framework/types';
import { Modules } from '@medusajs/framework/utils';
import { moduleIntegrationTestRunner } from '@medusajs/test-utils';
import { customer, home, mine, options, pay, receiveWebhook, shop, until, type Delivery } from './wallets.js';

/* The provider in Medusa's payment module, with its database, against a server with a node. */

const PROVIDER = 'pp_wallet-rpc_main';
const EARLY = 'pp_wallet-rpc_early';
const deliveries: Delivery[] = [];
let webhook: Awaited<ReturnType<typeof receiveWebhook>>;
/** The secret is known once the wallet has the webhook, and the options are read before. */
const providerOptions = { ...options, webhookSecret: ['whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'] };

beforeAll(async () => {
  webhook = await receiveWebhook((delivery) => deliveries.push(delivery));
  providerOptions.webhookSecret[0] = webhook.secret;
});
afterAll(async () => {
  await webhook?.close();
  shop.close();
  customer.close();
});

moduleIntegrationTestRunner<IPaymentModuleService>({
  moduleName: Modules.PAYMENT,
  // By its folder, in which the harness looks for the tables.
  resolve: dirname(require.resolve('@medusajs/payment/package.json')),
  moduleOptions: {
    providers: [
      { resolve: 'wallet-rpc-medusa', id: 'main', options: providerOptions },
      { resolve: 'wallet-rpc-medusa', id: 'early', options: { ...providerOptions, placeOrderAt: 'seen' } },
    ],
  },
  testSuite: ({ service }) => {
    const begin = async (
      amount = 19.9,
      data: Record<string, unknown> = {},
      provider_id = PROVIDER,
    ): Promise<PaymentSessionDTO> => {
      const [collection] = await service.createPaymentCollections([{ currency_code: 'eur', amount }]);
      return await service.createPaymentSession(collection?.id ?? '', {
        ...{ provider_id, currency_code: 'eur', amount, data },
      });
    };
    const requestOf = (session: PaymentSessionDTO) =>
      shop.get_payment_request({ request_id: String(session.data['request_id']) });
    /** Passes the next delivery of a type to Medusa, as its route for webhooks does. */
    const delivered = async (type: string, change = (body: Buffer) => body): Promise<WebhookActionResult> => {
      const { body, headers } = await until(`the webhook ${type}`, () =>
        deliveries.find((one) => one.body.includes(`"type":"${type}"`)),
      );
      const payload = { data: JSON.parse(String(body)), rawData: change(body), headers };
      return await service.getWebhookActionAndData({ provider: PROVIDER, payload });
    };
    beforeEach(() => void deliveries.splice(0));

    it('requests the price of a session, whose page is open to the customer', async () => {
      const session = await begin(19.9, { locale: 'de' });
      expect(session).toMatchObject({ status: 'pending', amount: 19.9 });
      const request = await requestOf(session);
      expect(request).toMatchObject({
        ...{ state: 'waiting', amount: 131_613_756_614n, reference: session.id, locale: 'de' },
        price: { currency: 'EUR', amount: '19.90', rate: '151.20', source: 'test' },
        asks_refund_address: true,
      });
      const page = await fetch(String(session.data['pay_url']), { headers: { 'accept-language': 'en' } });
      expect([page.status, (await page.text()).includes('19,90')]).toEqual([200, true]);
      await expect(service.authorizePaymentSession(session.id, {})).rejects.toThrow('not authorized');
    });

    it('captures a payment once it is confirmed, not before, and refunds it once', async () => {
      const session = await begin(19.9, { refund_address: await home() });
      await pay(session.data);
      expect(await delivered('request.seen')).toMatchObject({ action: 'pending' });
      await expect(service.authorizePaymentSession(session.id, {})).rejects.toThrow('not authorized');
      await mine(2);
      const action = await delivered('request.paid');
      expect(action).toEqual({ action: 'captured', data: { session_id: session.id, amount: '19.90' } });
      await expect(
        delivered('request.paid', (body) => Buffer.concat([body, Buffer.from(' ')])),
      ).rejects.toThrow('signature');
      const payment = await service.authorizePaymentSession(session.id, {});
      const [paid] = await service.listPaymentCollections({ id: [session.payment_collection_id] });
      expect(paid).toMatchObject({ status: 'completed' });
      expect(payment?.captured_at).not.toBeNull();

      // Cancelling what is paid is refused, and changes nothing.
      await expect(service.cancelPayment(payment?.id ?? '')).rejects.toThrow('refund it');
      await service.refundPayment({ payment_id: payment?.id ?? '', amount: 5 });
      const part = await requestOf(session);
      expect(part).toMatchObject({ refunded: 33_068_783_069n, refunds: [{ state: expect.any(String) }] });
      await service.refundPayment({ payment_id: payment?.id ?? '', amount: 14.9 });
      const { refunds, refunded, amount } = await requestOf(session);
      const { refunds: known } = await service.retrievePayment(payment?.id ?? '', { relations: ['refunds'] });
      expect(refunds.map(({ refund_id }) => refund_id).sort()).toEqual(known?.map(({ id }) => id).sort());
      expect(refunded).toBe(amount);
      await expect(service.refundPayment({ payment_id: payment?.id ?? '', amount: 1 })).rejects.toThrow();
    });

    it('lets an order be placed before the confirmation, without a payment, where the merchant allows it', async () => {
      const session = await begin(19.9, {}, EARLY);
      await expect(service.authorizePaymentSession(session.id, {})).rejects.toThrow('not authorized');
      await pay(session.data);
      expect(await service.authorizePaymentSession(session.id, {})).toBeNull();
      expect(await service.retrievePaymentSession(session.id)).toMatchObject({
        status: 'pending_authorization',
      });
      await mine(2);
      expect(await service.authorizePaymentSession(session.id, {})).toMatchObject({ amount: 19.9 });
    });

    it('replaces the request of a session whose amount changes, and cancels that of a deleted one', async () => {
      const session = await begin();
      const changed = await service.updatePaymentSession({
        ...{ id: session.id, data: session.data, amount: 25, currency_code: 'eur' },
      });
      expect(await requestOf(session)).toMatchObject({ state: 'cancelled' });
      expect(await requestOf(changed)).toMatchObject({
        ...{ state: 'waiting', reference: `${session.id}/2`, price: { amount: '25.00' } },
      });
      await pay(changed.data, 1_000_000_000n);
      await expect(
        service.updatePaymentSession({
          id: session.id,
          data: changed.data,
          amount: 30,
          currency_code: 'eur',
        }),
      ).rejects.toThrow('has money');
      await service.deletePaymentSession(session.id);
      expect(await requestOf(changed)).toMatchObject({ state: 'cancelled' });
    });
  },
});
