import * as z from 'zod';
import { formatCoins } from '../../monero/cryptonote/coins.js';
import { amount } from '../../util/amount.js';
import type { DemoServer } from './demo-client.js';

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
/** Largest number of reads of the shop's pool in search of a payment, 100 ms apart. */
const MAX_POLLS = 100;

const nothing = z.unknown();
const address = z.object({ address: z.string() });
const balance = z.object({ balance: z.bigint(), unlocked_balance: z.bigint() });
const payment = z.object({ tx_hash: z.string(), fee: z.bigint() });
const transfers = z.object({
  pool: z.array(z.object({ txid: z.string(), amount: z.bigint() })).default([]),
});
const proof = z.object({ signature: z.string() });
const verdict = z.object({ good: z.boolean(), received: z.bigint().default(0n) });

const coins = (value: bigint): string => `${formatCoins(amount(value)).replace(/\.?0+$/, '')} XMR`;
const short = (text: string): string => `${text.slice(0, 12)}…${text.slice(-6)}`;

/**
 * Mines, pays, and proves a payment; prints a description of each step.
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

  say('3. The shop makes an address for the order, the customer pays to it');
  const order = await shop.call('create_address', { account_index: 0n, label: 'order 1' }, address);
  const paid = await customer.call(
    'transfer',
    { destinations: [{ address: order.address, amount: PRICE }] },
    payment,
  );
  say(`   paid ${coins(PRICE)} to ${short(order.address)}`);
  say(`   transaction ${short(paid.tx_hash)}, fee ${coins(paid.fee)}`);

  say('4. The shop sees it before any block holds it');
  say(`   ${coins(await amountInPool(shop, paid.tx_hash))} are on their way`);

  say(`5. ${LOCK_BLOCKS} blocks later they are the shop's to spend`);
  await mine(LOCK_BLOCKS, ours);
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

/**
 * Reads the shop's pool until it contains a payment. @returns received amount [atomic units].
 * @throws Error if the payment does not appear in time.
 */
async function amountInPool(shop: DemoServer, txHash: string): Promise<bigint> {
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    const { pool } = await shop.call('get_transfers', { pool: true }, transfers);
    const found = pool.find(({ txid }) => txid === txHash);
    if (found !== undefined) return found.amount;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the payment did not appear in the shop's pool");
}
