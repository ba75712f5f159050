import type { Loose } from '../support/network/json-rpc.js';
import type { Facts } from './facts.js';
import type { Random } from '../support/fakes/seeded-random.js';
import { ask, Refusal, type Callable } from './wallet-client.js';

/** Limits below the lookahead of a restored wallet: 50 accounts, 200 addresses of each. */
const MOST_ACCOUNTS = 40;
const MOST_ADDRESSES = 150;
export const SMALLEST_PAYMENT = 1_000_000_000;

/** Expected error codes of random calls: no money, spent inputs, a wallet switched meanwhile. */
export const EXPECTED_REFUSALS: ReadonlySet<number> = new Set([-4, -13, -16, -17, -37]);

/** Error codes of calls that may have run: a cluster does not know. */
const UNKNOWN_OUTCOMES: ReadonlySet<number> = new Set([-66]);

/** Context of random calls. Calls of one worker never concern the facts of another. */
export interface Caller {
  readonly server: Callable;
  readonly facts: Facts;
  readonly random: Random;
  readonly worker: number;
  readonly workers: number;
  /** Primary address of the wallet. */
  readonly address: string;
}

/** Sets one fact by one call. */
async function setFact(
  { server, facts }: Caller,
  fact: string,
  value: string,
  method: string,
  params: object,
): Promise<void> {
  // A lost call may still change it.
  if (facts.isUncertain(fact)) return;
  facts.send(fact, value);
  try {
    await ask(server, method, params);
    facts.acknowledge(fact, value);
  } catch (error) {
    if (error instanceof Refusal && !UNKNOWN_OUTCOMES.has(error.code)) facts.refuse(fact);
    throw error;
  }
}

/** Chooses a random acknowledged fact of this worker. @returns the last part of its name. */
function ownedFact({ facts, random, worker, workers }: Caller, prefix: string): string | undefined {
  const own = facts.names(prefix).filter((_, i) => i % workers === worker);
  return own[random.below(Math.max(own.length, 1))]?.slice(prefix.length);
}

const destination = ({ random, address }: Caller): { amount: number; address: string } => ({
  amount: SMALLEST_PAYMENT * (1 + random.below(5000)),
  address,
});

function recordPayment(facts: Facts, { tx_hash: txid, tx_key: key }: Loose): void {
  facts.acknowledge(`payment/${String(txid)}`, 'made');
  facts.acknowledge(`key/${String(txid)}`, String(key));
}

export type RandomCall = (caller: Caller) => Promise<void>;

type WeightedCalls = readonly (readonly [weight: number, call: RandomCall])[];

/** Calls that change records of a wallet, or read, with the relative frequency of each. */
export const RECORD_CALLS: WeightedCalls = [
  [
    4,
    async ({ server, facts, random }) => {
      if (facts.names('label/').length >= MOST_ADDRESSES) return;
      const label = random.text();
      const { address_index: index } = await ask(server, 'create_address', { account_index: 0, label });
      facts.acknowledge(`label/${String(index)}`, label);
    },
  ],
  [
    2,
    async ({ server, facts, random }) => {
      if (facts.names('label/').length >= MOST_ADDRESSES) return;
      const label = random.text();
      const { request_id: id, subaddr_index: index } = await ask(server, 'create_payment_request', {
        amount: SMALLEST_PAYMENT,
        label,
      });
      facts.acknowledge(`request/${String(id)}`, String(index.minor));
      facts.acknowledge(`label/${String(index.minor)}`, label);
    },
  ],
  [
    1,
    async ({ server, facts, random }) => {
      if (facts.names('account/').length >= MOST_ACCOUNTS) return;
      const label = random.text();
      const { account_index: index } = await ask(server, 'create_account', { label });
      facts.acknowledge(`account/${String(index)}`, label);
    },
  ],
  [
    3,
    async (caller) => {
      const index = ownedFact(caller, 'label/');
      if (index === undefined) return;
      const label = caller.random.text();
      await setFact(caller, `label/${index}`, label, 'label_address', {
        index: { major: 0, minor: Number(index) },
        label,
      });
    },
  ],
  [
    3,
    async (caller) => {
      const key = `k${caller.worker}-${caller.random.below(10)}`;
      const value = caller.random.text();
      await setFact(caller, `attribute/${key}`, value, 'set_attribute', { key, value });
    },
  ],
  [
    3,
    async (caller) => {
      const txid = ownedFact(caller, 'payment/');
      if (txid === undefined) return;
      const note = caller.random.text();
      await setFact(caller, `note/${txid}`, note, 'set_tx_notes', { txids: [txid], notes: [note] });
    },
  ],
  [
    2,
    async ({ server, facts, random, address }) => {
      const description = random.text();
      const { index } = await ask(server, 'add_address_book', { address, description });
      facts.acknowledge(`book/${String(index)}`, description);
    },
  ],
  [
    2,
    async (caller) => {
      const index = ownedFact(caller, 'book/');
      if (index === undefined) return;
      const description = caller.random.text();
      await setFact(caller, `book/${index}`, description, 'edit_address_book', {
        index: Number(index),
        set_description: true,
        description,
      });
    },
  ],
  [
    1,
    async (caller) => {
      const { server, random, worker, workers } = caller;
      const { transfers = [] } = await ask(server, 'incoming_transfers', { transfer_type: 'available' });
      // A reorganisation of the campaign can remove an output that is still locked.
      const own = (transfers as Loose[]).filter(
        ({ key_image, unlocked }) =>
          unlocked && Number.parseInt(String(key_image).slice(0, 4), 16) % workers === worker,
      );
      if (own.length === 0) return;
      const { key_image, frozen } = own[random.below(own.length)];
      const fact = `frozen/${String(key_image)}`;
      if (caller.facts.isUncertain(fact)) return;
      caller.facts.acknowledge(fact, String(frozen));
      await setFact(caller, fact, String(!frozen), frozen ? 'thaw' : 'freeze', { key_image });
    },
  ],
  [1, async ({ server }) => void (await ask(server, 'store'))],
  [2, async ({ server }) => void (await ask(server, 'refresh'))],
  [1, async ({ server }) => void (await ask(server, 'get_transfers', { in: true, out: true, pool: true }))],
];

/** Calls that pay. */
const PAYMENT_CALLS: WeightedCalls = [
  [
    6,
    async (caller) => {
      recordPayment(
        caller.facts,
        await ask(caller.server, 'transfer', { destinations: [destination(caller)], get_tx_key: true }),
      );
    },
  ],
  [
    2,
    async (caller) => {
      const { tx_hash_list: hashes, tx_key_list: keys } = await ask(caller.server, 'transfer_split', {
        destinations: Array.from({ length: 1 + caller.random.below(20) }, () => destination(caller)),
        get_tx_keys: true,
      });
      for (const [i, tx_hash] of (hashes as string[]).entries())
        recordPayment(caller.facts, { tx_hash, tx_key: (keys as string[])[i] });
    },
  ],
  [
    2,
    async (caller) => {
      const made = await ask(caller.server, 'transfer', {
        destinations: [destination(caller)],
        do_not_relay: true,
        get_tx_metadata: true,
        get_tx_key: true,
      });
      await ask(caller.server, 'relay_tx', { hex: made.tx_metadata });
      recordPayment(caller.facts, made);
    },
  ],
];

const CALLS: WeightedCalls = [...RECORD_CALLS, ...PAYMENT_CALLS];

/** Chooses one of several calls by their frequency. */
export function draw(random: Random, calls: WeightedCalls): RandomCall {
  let left = random.below(calls.reduce((total, [weight]) => total + weight, 0));
  for (const [weight, call] of calls) {
    if (left < weight) return call;
    left -= weight;
  }
  throw new Error('weights do not add up');
}

/**
 * Makes random calls until the connection breaks.
 * @returns the number of calls that were answered.
 * @throws Refusal for an answer that no random call should get.
 */
export async function callUntilKilled(caller: Caller): Promise<number> {
  for (let answered = 0; ; answered++)
    try {
      await draw(caller.random, CALLS)(caller);
    } catch (error) {
      if (!(error instanceof Refusal)) return answered;
      if (!EXPECTED_REFUSALS.has(error.code)) throw error;
    }
}
