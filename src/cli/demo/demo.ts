import * as z from 'zod';
import { coins, short, type DemoServer } from './demo-server.js';

/** Two wallet servers, and the node that both use. */
export interface DemoServers {
  readonly customer: DemoServer;
  readonly shop: DemoServer;
  readonly node: DemoServer;
}

/** Number of blocks after which the first rewards are unlocked, and enough outputs exist for decoys. */
const FIRST_BLOCKS = 80;
/** Number of blocks after which a received payment is unlocked. */
const LOCK_BLOCKS = 10;
const PRICE = 1_500_000_000_000n;
const MESSAGE = 'order 1, paid';
/** Time until the request expires [s]. */
const HOUR = 3600n;

const nothing = z.unknown();
const address = z.object({ address: z.string() });
const balance = z.object({ balance: z.bigint(), unlocked_balance: z.bigint() });
const payment = z.object({ tx_hash: z.string(), fee: z.bigint() });
const request = z.object({
  ...{ address: z.string(), uri: z.string(), state: z.string(), confirmations: z.bigint() },
  ...{ received: z.bigint(), received_unconfirmed: z.bigint() },
});
type RequestNow = z.output<typeof request>;
const proof = z.object({ signature: z.string() });
const verdict = z.object({ good: z.boolean(), received: z.bigint().default(0n) });

const stateOf = ({ state, received, received_unconfirmed: unmined }: RequestNow): string =>
  `the request is ${state}: ${coins(received)} in blocks, ${coins(unmined)} in the mempool`;

/**
 * Mines, requests, pays and proves a payment; prints a description of each step.
 * @param say prints a line. @throws Error if a step fails.
 */
export async function runDemo(
  { customer, shop, node }: DemoServers,
  say: (line: string) => void,
): Promise<void> {
  const open = async (server: DemoServer, filename: string): Promise<string> => {
    await server.call('create_wallet', { filename, password: '', language: 'English' }, nothing);
    return (await server.call('get_address', {}, address)).address;
  };
  const mine = async (blocks: number, to: string): Promise<void> => {
    await node.call('generateblocks', { amount_of_blocks: blocks, wallet_address: to }, nothing);
    await Promise.all([customer, shop].map((server) => server.call('refresh', {}, nothing)));
  };
  const funds = async (server: DemoServer): Promise<string> => {
    const { balance: all, unlocked_balance: free } = await server.call('get_balance', {}, balance);
    return `${coins(all)}, of which ${coins(free)} can be spent`;
  };

  say('1. Two wallets, each on a server of its own');
  const [ours, theirs] = [await open(customer, 'customer'), await open(shop, 'shop')];
  say(`   customer  ${short(ours)}`);
  say(`   shop      ${short(theirs)}`);

  say(`2. ${FIRST_BLOCKS} blocks are mined to the customer; what miners earn is locked for 60`);
  await mine(FIRST_BLOCKS, ours);
  say(`   customer has ${await funds(customer)}`);

  say('3. The shop requests a payment, the customer pays to the address of the request');
  const order = await shop.call(
    'create_payment_request',
    { amount: PRICE, expires_in: HOUR, label: 'order 1', reference: 'order 1' },
    request,
  );
  const now = async (): Promise<RequestNow> =>
    shop.call('get_payment_request', { reference: 'order 1' }, request);
  say(`   ${order.uri.slice(0, 20)}…${order.uri.slice(order.uri.indexOf('?'))}`);
  say(`   the request is ${order.state}, and needs ${order.confirmations} confirmations`);
  const paid = await customer.call(
    'transfer',
    { destinations: [{ address: order.address, amount: PRICE }] },
    payment,
  );
  say(`   paid ${coins(PRICE)} to ${short(order.address)}`);
  say(`   transaction ${short(paid.tx_hash)}, fee ${coins(paid.fee)}`);

  say('4. The shop sees it before any block holds it');
  await shop.call('refresh', {}, nothing);
  say(`   ${stateOf(await now())}`);

  say('5. In a block it is confirming; with the tenth block it is paid, and the shop can spend it');
  await mine(1, ours);
  say(`   ${stateOf(await now())}`);
  await mine(LOCK_BLOCKS - 1, ours);
  const done = await now();
  if (done.state !== 'paid') throw new Error(`the request is ${done.state}`);
  say(`   ${stateOf(done)}`);
  say(`   shop has ${await funds(shop)}`);

  say('6. The customer proves the payment; the shop checks the proof');
  const about = { txid: paid.tx_hash, address: order.address };
  const { signature } = await customer.call('get_tx_proof', { ...about, message: MESSAGE }, proof);
  const check = (message: string) => shop.call('check_tx_proof', { ...about, message, signature }, verdict);
  const honest = await check(MESSAGE);
  const altered = await check('order 2, paid');
  if (!honest.good || honest.received !== PRICE) throw new Error('the proof does not hold');
  if (altered.good) throw new Error('the proof also holds for another message');
  say(`   for "${MESSAGE}": good, ${coins(honest.received)} received`);
  say('   for "order 2, paid": not good');
}
