import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  addToCartWorkflow,
  cancelOrderWorkflow,
  createCartWorkflow,
  createPaymentCollectionForCartWorkflow,
  createPaymentSessionsWorkflow,
  createRegionsWorkflow,
  refundPaymentWorkflow,
} from '@medusajs/core-flows';
import type { MedusaContainer, PaymentSessionDTO } from '@medusajs/framework/types';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import { medusaIntegrationTestRunner } from '@medusajs/test-utils';
import processPaid from '../examples/process-paid.js';
import { customer, home, mine, pay, shop, until } from './wallets.js';

/* The provider in a whole shop with the configuration of the example, whose route for webhooks the server of the wallet calls. */

const PROVIDER = 'pp_wallet-rpc_monero';
let webhookId: string;

/** Source of rates of the shop, whose port is then free for the shop. */
const rates = createServer((_, response) => {
  response.end(JSON.stringify({ rate: '151.20', time: Math.floor(Date.now() / 1000) }));
});

/** Listens at a free port. */
const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, () => resolve((server.address() as AddressInfo).port));
  });

/** Finds a free port. */
async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const addWebhook = (port: string | undefined) =>
  shop.add_webhook({
    url: `http://127.0.0.1:${port}/hooks/payment/wallet-rpc_monero`,
    types: ['request.paid', 'request.overpaid', 'request.late', 'request.reversed'],
  });

beforeAll(async () => {
  const port = String(await freePort());
  const { id, secret } = await addWebhook(port);
  webhookId = id;
  Object.assign(process.env, {
    ...{ PORT: port, WALLET_RPC_WEBHOOK_SECRET: secret },
    RATES_URL: `http://127.0.0.1:${await listen(rates)}/`,
    ...{ JWT_SECRET: 'test', COOKIE_SECRET: 'test', STORE_CORS: '*', ADMIN_CORS: '*', AUTH_CORS: '*' },
  });
});
afterAll(() => {
  rates.close();
  shop.close();
  customer.close();
});

/** Puts a lamp in a cart, and begins its payment. */
async function checkOut(container: MedusaContainer): Promise<{ cart: string; session: PaymentSessionDTO }> {
  const { result: regions } = await createRegionsWorkflow(container).run({
    input: {
      regions: [{ name: 'Europe', currency_code: 'eur', countries: ['de'], payment_providers: [PROVIDER] }],
    },
  });
  const items = [{ title: 'Lamp', quantity: 1, unit_price: 19.9, requires_shipping: false }];
  const { result: cart } = await createCartWorkflow(container).run({
    input: { region_id: regions[0]?.id ?? '', currency_code: 'eur', email: 'customer@shop.example', items },
  });
  const { result: collection } = await createPaymentCollectionForCartWorkflow(container).run({
    input: { cart_id: cart.id },
  });
  const { result: session } = await createPaymentSessionsWorkflow(container).run({
    input: {
      ...{ payment_collection_id: collection.id, provider_id: PROVIDER, context: {} },
      data: { refund_address: await home() },
    },
  });
  return { cart: cart.id, session };
}

medusaIntegrationTestRunner({
  medusaConfigFile: join(__dirname, '../examples'),
  testSuite: ({ getContainer }) => {
    /** Finds the order of a cart, with its payment. */
    const orderOf = async (cart: string) => {
      const { data } = await getContainer()
        .resolve(ContainerRegistrationKeys.QUERY)
        .graph({
          entity: 'order_cart',
          fields: ['id', 'items.*', 'payment_collections.*', 'payment_collections.payments.*'].map(
            (name) => `order.${name}`,
          ),
          filters: { cart_id: cart },
        });
      return data[0]?.order;
    };

    it('completes the cart of a customer who has paid, and refunds the order', async () => {
      const container = getContainer();
      const { cart, session } = await checkOut(container);
      expect(session.data).toMatchObject({ state: 'waiting', pay_url: expect.stringContaining('/pay/') });
      await pay(session.data);
      await mine(2);
      const order = await until('the order', () => orderOf(cart));
      const [collection] = order.payment_collections;
      expect(collection).toMatchObject({ status: 'completed', captured_amount: 19.9 });
      const payment = collection.payments[0];
      expect(payment.captured_at).not.toBeNull();

      await refundPaymentWorkflow(container).run({ input: { payment_id: payment.id, amount: 5 } });
      // A cancelled order is refunded by Medusa as far as it was not.
      await cancelOrderWorkflow(container).run({ input: { order_id: order.id } });
      const request = await shop.get_payment_request({ request_id: String(session.data['request_id']) });
      expect(request.refunds).toHaveLength(2);
      expect(request.refunded).toBe(request.amount);
    });

    it('keeps a cart as it is once its payment was seen', async () => {
      const container = getContainer();
      const { cart, session } = await checkOut(container);
      await pay(session.data);
      const items = [{ title: 'Lantern', quantity: 1, unit_price: 90, requires_shipping: false }];
      const change = addToCartWorkflow(container).run({ input: { cart_id: cart, items } });
      // Not an Error of this realm.
      await expect(change).rejects.toMatchObject({ message: 'Could not delete all payment sessions' });
      await mine(2);
      const order = await until('the order', () => orderOf(cart));
      expect(order.items).toMatchObject([{ title: 'Lamp' }]);
      expect(order.payment_collections).toMatchObject([{ captured_amount: 19.9 }]);
    });

    it('completes the cart by the job, if the webhook was lost', async () => {
      await shop.remove_webhook({ id: webhookId });
      const container = getContainer();
      const { cart, session } = await checkOut(container);
      await processPaid(container);
      expect(await orderOf(cart)).toBeUndefined();
      await pay(session.data);
      await mine(2);
      for (let i = 0; i < 2; i++) await processPaid(container);
      const order = await orderOf(cart);
      expect(order.payment_collections).toMatchObject([{ status: 'completed', captured_amount: 19.9 }]);
    });
  },
});
