import * as z from 'zod';
import type { Json } from '../../util/json.js';
import { coins, short, until, type DemoServer } from './demo-server.js';

/** Persons of the exchange, with the families of methods that their credentials allow. */
export const PERSONS = {
  admin: ['view', 'receive', 'admin'],
  clerk: ['view', 'payout_create'],
  anna: ['view', 'payout_approve'],
  night: ['view', 'payout_send'],
} as const;
export type Person = keyof typeof PERSONS;

/** Rule that payouts above 10 XMR need the approval of another person. */
export const APPROVAL_RULE = { wallets: ['hot'], approve_above: '10000000000000', approvals: 1 };

/** Parts of the demo of payouts. */
export interface PayoutDemoParts {
  /** Returns the hot wallet of the exchange under the credential of a person. */
  hot(person: Person): DemoServer;
  /** Returns a wallet on the server of the payees. */
  payee(wallet: 'customer' | 'cold'): DemoServer;
  readonly node: DemoServer;
  /** Sets the rules for payouts of the file of credentials, and has the server of the exchange read them. */
  setRules(payouts: readonly object[]): void;
}

/** Number of blocks after which the first rewards are unlocked, and enough outputs exist for decoys. */
const FIRST_BLOCKS = 80;
const CONFIRMATIONS = 10;
const COIN = 1_000_000_000_000n;
const [KEEP, ABOVE] = [100n * COIN, 200n * COIN];
const RECEIPT = 'receipt of w-1';

const nothing = z.unknown();
const address = z.object({ address: z.string() });
const balance = z.object({ balance: z.bigint(), unlocked_balance: z.bigint() });
const payout = z.object({
  ...{ payout_id: z.string(), state: z.string(), amount: z.bigint() },
  approval_hash: z.string().optional(),
  waiting_for: z
    .object({ approval: z.object({ needed: z.bigint(), given: z.bigint() }).optional() })
    .optional(),
  ...{ tx_hash: z.string().optional(), received: z.bigint().optional(), fee_share: z.bigint().optional() },
});
type Payout = z.output<typeof payout>;
const results = z.object({
  results: z.array(
    z.object({ payout: payout.optional(), error: z.object({ message: z.string() }).optional() }),
  ),
});
const list = z.object({ payouts: z.array(payout) });
const proof = z.object({ signature: z.string() });
const verdict = z.object({ good: z.boolean(), received: z.bigint() });

/** Describes a payout in one line. */
function lineOf({ payout_id, amount, state, waiting_for, received, fee_share }: Payout): string {
  const approval = waiting_for?.approval;
  const waits =
    approval === undefined ? 'waits for others' : `has ${approval.given} of ${approval.needed} approvals`;
  const detail =
    received === undefined || fee_share === undefined
      ? waits
      : `the payee receives ${coins(received)}, its share of the fee is ${coins(fee_share)}`;
  return `   ${payout_id}  ${coins(amount)}  ${state}; ${detail}`;
}

/**
 * Creates, approves, sends and proves payouts, and sweeps the rest to the cold store; prints a description of each step.
 * @param say prints a line. @throws Error if a step fails.
 */
export async function runPayoutDemo(
  { hot, payee, node, setRules }: PayoutDemoParts,
  say: (line: string) => void,
): Promise<void> {
  const open = async (server: DemoServer): Promise<string> => {
    await server.call('create_wallet', { password: '', language: 'English' }, nothing);
    return (await server.call('get_address', {}, address)).address;
  };
  const mine = async (blocks: number, to: string): Promise<void> => {
    await node.call('generateblocks', { amount_of_blocks: blocks, wallet_address: to }, nothing);
    const wallets = [hot('admin'), payee('customer'), payee('cold')];
    await Promise.all(wallets.map((server) => server.call('refresh', {}, nothing)));
  };
  const all = async (filter: Readonly<Record<string, Json>> = {}): Promise<Payout[]> =>
    (await hot('clerk').call('list_payouts', filter, list)).payouts.reverse();
  const show = async (): Promise<void> => (await all()).forEach((one) => say(lineOf(one)));
  const create = async (...payouts: Readonly<Record<string, Json>>[]) =>
    (await hot('clerk').call('create_payouts', { payouts }, results)).results;
  const approve = async ({ payout_id, approval_hash = '' }: Payout): Promise<void> => {
    const {
      results: [result],
    } = await hot('anna').call('approve_payouts', { payouts: [{ payout_id, approval_hash }] }, results);
    if (result?.payout === undefined) throw new Error(result?.error?.message ?? 'not approved');
  };

  say('1. The hot wallet of an exchange; a customer and the cold store have wallets on another server');
  const [ours, theirs, store] = [
    await open(hot('admin')),
    await open(payee('customer')),
    await open(payee('cold')),
  ];
  say(`   hot       ${short(ours)}`);
  say(`   customer  ${short(theirs)}`);
  say(`   cold      ${short(store)}`);

  say(`2. ${FIRST_BLOCKS} blocks are mined to the hot wallet`);
  await mine(FIRST_BLOCKS, ours);
  const { unlocked_balance: funds } = await hot('admin').call('get_balance', {}, balance);
  say(`   it can spend ${coins(funds)}`);

  say('3. The clerk creates payouts; above 10 XMR another person must approve');
  const first = { payout_id: 'w-1', address: theirs, amount: COIN };
  const second = { payout_id: 'w-2', address: theirs, amount: 2n * COIN, fee: 'payee' };
  const third = { payout_id: 'w-3', address: theirs, amount: 25n * COIN };
  await create(first, second, third);
  await show();

  say('4. The clerk repeats the call, as after a lost answer, and errs in an amount');
  const [same, other] = await create(first, { ...second, amount: 3n * COIN });
  if (same?.payout === undefined || (await all()).length !== 3) throw new Error('a payout was created twice');
  say(`   w-1  the same payout: there are ${(await all()).length}`);
  say(`   w-2  refused: ${other?.error?.message}`);

  say('5. Anna approves w-3 by the hash of its terms, and the night shift sends what is queued');
  for (const one of await all({ states: ['awaiting_approval'] })) await approve(one);
  await hot('night').call('send_payouts', {}, nothing);
  const sent = await all({ states: ['sent'] });
  const [{ tx_hash: txid = '' } = {}] = sent;
  if (sent.length !== 3 || sent.some(({ tx_hash }) => tx_hash !== txid))
    throw new Error('not sent in one batch');
  say(`   transaction ${short(txid)} pays all three`);
  await show();

  say(`6. A block has it; with ${CONFIRMATIONS} confirmations it is confirmed`);
  for (const blocks of [1, CONFIRMATIONS - 1]) {
    await mine(blocks, theirs);
    say(`   ${(await all()).map(({ payout_id, state }) => `${payout_id} ${state}`).join(', ')}`);
  }

  say('7. The exchange gives the customer a receipt, and the customer checks it');
  const about = { txid, address: theirs, message: RECEIPT };
  const { signature } = await hot('clerk').call('get_tx_proof', about, proof);
  const check = await payee('customer').call('check_tx_proof', { ...about, signature }, verdict);
  if (!check.good) throw new Error('the proof does not hold');
  say(`   "${RECEIPT}": good, the transaction pays ${coins(check.received)} to the customer`);

  say(
    `8. A policy sends what is above ${coins(KEEP)} to the cold store, once more than ${coins(ABOVE)} can be spent`,
  );
  setRules([
    APPROVAL_RULE,
    {
      ...{ wallets: ['hot'], accounts: [0] },
      sweep: { keep: String(KEEP), above: String(ABOVE), to: store },
    },
  ]);
  const sweep = await until('the sweep', async () => (await all({ reference: 'sweep' }))[0]);
  say(lineOf(sweep));
  await approve(sweep);
  await hot('night').call('send_payouts', {}, nothing);
  await mine(CONFIRMATIONS, theirs);
  say('   Anna approves it, the night shift sends it, blocks are mined');
  const { balance: kept } = await payee('cold').call('get_balance', {}, balance);
  if (kept === 0n) throw new Error('the cold store has received nothing');
  say(`   the cold store has ${coins(kept)}`);
}
