/*
 * Requests a payment for an order, and follows it until it is paid or has expired:
 *
 *   npm install wallet-rpc
 *   WALLET_RPC_URL=http://127.0.0.1:18083 node payment-request.ts shop "order 1" 1000000000000
 *
 * Run it again with the same order: the request is the same one. Node.js 22.18 or later runs TypeScript as it is.
 * WALLET_RPC_TOKEN is the token of a credential, if the server wants one.
 */
import { createClient } from 'wallet-rpc/client';

const { WALLET_RPC_URL: url = 'http://127.0.0.1:18083', WALLET_RPC_TOKEN: token } = process.env;
const [wallet = 'shop', order = 'order 1', price = '1000000000000'] = process.argv.slice(2);
const HOUR = 3600;

const client = createClient({ url, wallet, auth: token === undefined ? undefined : { token } });
const { address, uri } = await client.create_payment_request({
  amount: BigInt(price),
  expires_in: HOUR,
  label: order,
  reference: order,
  metadata: { basket: ['book', 'pen'] },
  idempotency_key: order,
});
console.log(address);
console.log(uri);

const types = [
  'request.partial',
  'request.seen',
  'request.paid',
  'request.overpaid',
  'request.expired',
  'request.late',
  'request.reversed',
] as const;
// A shop keeps the id of the last event with its orders, and goes on from there after a restart.
for await (const event of client.events({ after: 0, types })) {
  // Narrows the type of the data to that of payment requests.
  if (!('request_id' in event.data) || event.data.reference !== order) continue;
  console.log(`${event.type}: ${event.data.received} mined, ${event.data.received_unconfirmed} in the pool`);
  // The event says that something changed; the request says how it stands now.
  const { state } = await client.get_payment_request({ reference: order });
  if (state === 'paid') {
    console.log(`${order} is paid`);
    break;
  }
  if (state === 'expired' || state === 'cancelled') {
    console.log(`${order} is ${state}`);
    process.exitCode = 1;
    break;
  }
}
