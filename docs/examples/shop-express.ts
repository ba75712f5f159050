/*
 * A whole shop with Express: orders in SQLite, prices in EUR, pay pages, webhooks, refunds. It may be killed at any time.
 *
 *   npm install express wallet-rpc-client
 *   wallet-rpc credential add shop --credentials … --wallet shop --method view --method receive \
 *     --method refund_payment_request --method add_webhook --method list_webhooks --method remove_webhook
 *   WALLET_RPC_TOKEN=… SHOP_URL=https://shop.example node shop-express.ts shop orders.db
 *
 * The server needs --pay-bind, and --webhook-allow-private for a shop on the same machine. Node.js 22.18 or later runs
 * TypeScript, and has SQLite.
 */
import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import express from 'express';
import {
  createClient,
  WalletRpcError,
  webhookHandler,
  type CreatePaymentRequestParams,
  type GetPaymentRequestResult,
  type WalletEvent,
} from 'wallet-rpc-client';

const { WALLET_RPC_URL: url = 'http://127.0.0.1:18083', WALLET_RPC_TOKEN: token } = process.env;
const { SHOP_URL = 'http://localhost:3000', PORT = '3000' } = process.env;
const { PAY_SECONDS = '3600', RATE = '150.00' } = process.env;
const [wallet = 'shop', file = 'orders.db'] = process.argv.slice(2);
const SETTLE_MS = 30_000;
const ATOMIC_PER_XMR = 10n ** 12n;
/** Events after which there may be something to do; late money can be refunded after `payment.confirmed`. */
const TYPES = [
  ...(['request.partial', 'request.seen', 'request.paid', 'request.overpaid', 'request.expired'] as const),
  ...(['request.late', 'request.reversed', 'request.refund', 'payment.confirmed'] as const),
];

/** States in which a refund stays. */
const DONE = ['confirmed', 'failed', 'cancelled', 'rejected', 'expired'];
/** Goods, with prices in cents. A song is downloaded, and worth the risk of a payment in no block. */
const GOODS = new Map([
  ['book', { name: 'A book', cents: 1990, atOnce: false }],
  ['song', { name: 'A song', cents: 99, atOnce: true }],
]);

interface Order {
  readonly id: string;
  readonly item: string;
  readonly terms: string;
  readonly address: string | null;
  readonly pay_url: string | null;
  readonly state: string;
  readonly delivered: number;
}

const db = new DatabaseSync(file);
db.exec(`
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, item TEXT NOT NULL, terms TEXT NOT NULL, address TEXT UNIQUE,
    pay_url TEXT, state TEXT NOT NULL DEFAULT 'new', delivered INTEGER NOT NULL DEFAULT 0, open INTEGER NOT NULL DEFAULT 1);
  CREATE TABLE IF NOT EXISTS wallet_event (id INTEGER PRIMARY KEY);
  CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
`);
const run = (sql: string, ...values: (string | number | null)[]) => db.prepare(sql).run(...values);
const one = <T>(sql: string, ...values: (string | number)[]) =>
  db.prepare(sql).get(...values) as T | undefined;
const all = <T>(sql: string, ...values: (string | number)[]) => db.prepare(sql).all(...values) as T[];
const setting = (name: string) =>
  one<{ value: string }>('SELECT value FROM setting WHERE name = ?', name)?.value;
const set = (name: string, value: string) => run('INSERT OR REPLACE INTO setting VALUES (?, ?)', name, value);
function inTransaction(change: () => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    change();
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

const client = createClient({ url, wallet, auth: token === undefined ? undefined : { token } });

/** Returns the terms of a payment request. They are kept with the order: a call that is repeated must have the same ones. */
function termsOf(id: string, name: string, cents: number, atOnce: boolean): CreatePaymentRequestParams {
  const amount = Number((BigInt(cents) * ATOMIC_PER_XMR) / BigInt(RATE.replace('.', '')));
  const rate_time = Math.floor(Date.now() / 1000);
  return {
    ...{ amount, label: name, reference: id, idempotency_key: id, refunds: 'ask' },
    price: { currency: 'EUR', amount: (cents / 100).toFixed(2), rate: RATE, rate_time },
    ...{ expires_in: Number(PAY_SECONDS), return_url: `${SHOP_URL}/orders/${id}`, return: 'auto' },
    ...(atOnce && { zero_conf: { max_amount: amount } }),
  };
}

/** Returns the kind of refund that the customer is owed; none after a person has stopped one. */
function owed({ state, synced, refunds, refundable, ...sums }: GetPaymentRequestResult) {
  if (refunds.some((one) => one.state === 'cancelled' || one.state === 'rejected')) return undefined;
  if (state === 'cancelled' || (state === 'expired' && synced)) return refundable > 0n ? 'all' : undefined;
  const returned = (kind: string) =>
    refunds.reduce((sum, one) => sum + (one.kind === kind && one.state !== 'failed' ? one.amount : 0n), 0n);
  if (state !== 'paid') return undefined;
  return (['excess', 'late'] as const).find((kind) => (sums[kind] ?? 0n) > returned(kind));
}

/** Asks for a refund that is owed. The number of former ones in its id makes each once. */
async function refund(request: GetPaymentRequestResult): Promise<GetPaymentRequestResult> {
  const { request_id, reference, refunds, refund_address } = request;
  const amount = owed(request);
  if (amount === undefined || refund_address === undefined) return request;
  const refund_id = `${reference} refund ${refunds.length + 1}`;
  try {
    return await client.refund_payment_request({ request_id, refund_id, amount });
  } catch (error) {
    if (!(error instanceof WalletRpcError)) throw error;
    // Money that is not confirmed yet is refused: its next event, or the next round, tries again.
    console.error(`no refund of ${reference} yet: ${error.message}`);
    return request;
  }
}

/** Brings an order in line with its payment request, and records the event that was the reason. Harmless to repeat. */
async function settle({ id, address, terms }: Order, event?: number): Promise<void> {
  const request = await refund(
    address === null
      ? await client.create_payment_request(JSON.parse(terms) as CreatePaymentRequestParams)
      : await client.get_payment_request({ reference: id }),
  );
  const isOpen = !['paid', 'expired', 'cancelled'].includes(request.state) || owed(request) !== undefined;
  const isReturning = request.refunds.some(({ state }) => !DONE.includes(state));
  inTransaction(() => {
    run(
      'UPDATE orders SET address = ?, pay_url = ?, state = ?, open = ? WHERE id = ?',
      ...[request.address, request.pay_url ?? null, request.state, Number(isOpen || isReturning), id],
    );
    // A real shop puts the parcel into its queue here.
    const once = 'UPDATE orders SET delivered = 1 WHERE id = ? AND delivered = 0';
    if (request.state === 'paid' && run(once, id).changes) console.log(`deliver ${id}`);
    if (event !== undefined) run('INSERT OR IGNORE INTO wallet_event VALUES (?)', event);
  });
}

const seen = (id: number): boolean =>
  id <= Number(setting('cursor') ?? 0) || one('SELECT 1 FROM wallet_event WHERE id = ?', id) !== undefined;
async function apply(event: WalletEvent): Promise<void> {
  const address = 'address' in event.data ? event.data.address : undefined;
  const order = address && one<Order>('SELECT * FROM orders WHERE address = ?', address);
  if (event.type === 'request.reversed') console.error(`stop the parcel of ${event.data.reference}`);
  if (order) await settle(order, event.id);
}

/** Reads the events that no webhook has brought. */
async function catchUp(): Promise<void> {
  for (;;) {
    const after = setting('cursor');
    const answer = await client.get_events({
      ...(after && { after: Number(after) }),
      types: TYPES,
      limit: 1000,
    });
    for (const event of answer.events) if (!seen(event.id)) await apply(event);
    inTransaction(() => {
      set('cursor', String(answer.cursor));
      run('DELETE FROM wallet_event WHERE id <= ?', answer.cursor);
    });
    if (answer.events.length === 0) return;
  }
}

/** Adds the webhook of this shop unless it is there. @returns its secret. */
async function addWebhook(): Promise<string> {
  const target = `${SHOP_URL}/webhook`;
  const { webhooks } = await client.list_webhooks();
  const kept = setting('webhook secret');
  const own = webhooks.filter(({ url: to }) => to === target);
  if (own.length === 1 && kept !== undefined) return kept;
  for (const { id } of own) await client.remove_webhook({ id });
  const { secret } = await client.add_webhook({ url: target, types: TYPES });
  set('webhook secret', secret);
  return secret;
}

async function round(): Promise<void> {
  try {
    await catchUp();
    for (const order of all<Order>('SELECT * FROM orders WHERE open = 1'))
      await settle(order).catch((error: unknown) => console.error(`order ${order.id}:`, error));
  } catch (error) {
    console.error(error);
    // The events after the cursor have expired, or a backup of the server was restored: read all that there are.
    if (error instanceof WalletRpcError && [-57, -65].includes(error.code))
      run("DELETE FROM setting WHERE name = 'cursor'");
  }
  setTimeout(() => void round(), SETTLE_MS);
}

const page = (body: string) => `<!doctype html><meta charset="utf-8"><title>Shop</title>${body}`;
const app = express();
const webhook = webhookHandler({ secret: await addWebhook(), events: { seen }, onEvent: apply });
app.post('/webhook', webhook.express);
app.use(express.urlencoded());
app.get('/', (_, response) => {
  const buttons = Array.from(
    GOODS,
    ([item, { name, cents }]) =>
      `<button name="item" value="${item}">${name}, ${(cents / 100).toFixed(2)} EUR</button>`,
  );
  response.send(page(`<form method="post" action="/orders">${buttons.join(' ')}</form>`));
});
app.post('/orders', async ({ body }, response) => {
  const good = GOODS.get(body.item);
  if (good === undefined) return void response.status(400).send('no such item');
  const id = randomUUID();
  const terms = JSON.stringify(termsOf(id, good.name, good.cents, good.atOnce));
  run('INSERT INTO orders (id, item, terms) VALUES (?, ?, ?)', id, body.item, terms);
  response.redirect(303, `/orders/${id}`);
});
app.get('/orders/:id', async ({ params }, response) => {
  const read = () => one<Order>('SELECT * FROM orders WHERE id = ?', params.id);
  const order = read();
  if (order === undefined) return void response.status(404).send('no such order');
  // The server may be away: the order is kept, and settled in the next round.
  await settle(order).catch(console.error);
  const { item, pay_url, state, delivered } = read() ?? order;
  const link = pay_url === null ? '<p>Reload the page in a moment.' : `<p><a href="${pay_url}">Pay page</a>`;
  response.send(page(`<h1>${GOODS.get(item)?.name}</h1><p>${state}${delivered ? ', delivered' : ''}${link}`));
});
app.listen(Number(PORT), () => {
  console.log(`shop at ${SHOP_URL}`);
  void round();
});
