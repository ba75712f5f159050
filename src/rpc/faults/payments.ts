import type { Unlock } from '../../model/wallet-error.js';
import { sum, type Amount } from '../../util/amount.js';
import { MAX_PAYEES } from '../../monero/wallet/select/transfer-request.js';
import { formatCoins } from '../../monero/cryptonote/coins.js';
import { causeText, orText, reasonOf, type FaultTable } from './fault-entry.js';

interface Shortage {
  readonly available: Amount;
  readonly needed: Amount;
}

const shortage =
  (what: string) =>
  ({ available, needed }: Shortage): string =>
    `not enough ${what}: ${formatCoins(available)} available, ${formatCoins(needed)} needed with the fee`;

/** Returns a time with the minute, in UTC. @param seconds Unix time. */
const minuteOf = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 16)}Z`;

/** Writes when locked money is unlocked. @param missing amount that is needed more. */
function unlocking(unlocks: readonly Unlock[], missing: bigint): string {
  const [first] = unlocks;
  const last = unlocks.at(-1);
  if (first === undefined || last === undefined)
    return 'the rest is in transactions that no block has yet, and is unlocked ten blocks after its block';
  const at = ({ height, time }: Unlock): string => `at height ${height} (about ${minuteOf(time)})`;
  const isEnough = sum(unlocks.map((one) => one.amount)) >= missing;
  const next = `${formatCoins(first.amount)} more is unlocked ${at(first)}`;
  if (first === last && isEnough) return `${next}, which is enough`;
  return isEnough
    ? `${next}, enough ${at(last)}`
    : `${next}, and the rest is in transactions that no block has yet`;
}

/** Faults of payments, their fees and their relaying. */
export const paymentFaults = {
  no_destination: {
    code: -20,
    text: 'Transaction has no destination',
    explanation: 'no destination',
  },
  zero_destination: {
    code: -20,
    text: 'transaction has no destination',
    explanation: 'no destination with an amount',
  },
  zero_amount: {
    code: -46,
    text: 'destination amount is zero',
    explanation: 'a destination has a zero amount',
  },
  not_enough_money: { code: -17, text: 'not enough money', explanation: shortage('money') },
  not_enough_unlocked_money: {
    code: -37,
    text: 'not enough unlocked money',
    explanation: ({ unlocks, ...amounts }) =>
      shortage('unlocked money')(amounts) +
      (unlocks === undefined ? '' : `; ${unlocking(unlocks, amounts.needed - amounts.available)}`),
    facts: ({ available, needed, unlocks = [] }) => ({
      ...{ available, needed },
      unlocks: unlocks.map(({ amount, height, time }) => ({ amount, height, time })),
    }),
  },
  not_enough_ring_members: {
    code: -19,
    text: 'not enough outputs to use Please use sweep_dust.',
    explanation: ({ ringSize }) => `the chain has too few outputs for rings of ${ringSize}`,
  },
  tx_not_possible: { code: -16, text: orText('tx not possible'), explanation: reasonOf },
  needs_split: {
    code: -18,
    text: 'Transaction would be too large.  try /transfer_split.',
    explanation: ({ transactions }) =>
      `the payment needs ${transactions} transactions, of which each has at most ${MAX_PAYEES} destinations and a limited weight: use transfer_split`,
  },
  tx_too_large: {
    code: -4,
    text: 'transaction would be too big',
    explanation: ({ weight, limit }) => `a transaction of weight ${weight} exceeds the limit of ${limit}`,
  },
  fee_too_high: {
    code: -4,
    explanation: ({ fee, ceiling }) =>
      `the daemon asks for a fee of ${formatCoins(fee)}, above the local ceiling of ${formatCoins(ceiling)}`,
  },
  tx_rejected: {
    code: -4,
    text: 'transaction was rejected by daemon',
    explanation: ({ reason }) => `the daemon rejected the transaction${reason === '' ? '' : `: ${reason}`}`,
  },
  partly_relayed: { code: -4, text: causeText, explanation: reasonOf },
  transfer_failed: { code: -4, text: causeText, explanation: reasonOf },
  nonzero_unlock_time: {
    code: -50,
    text: 'Transaction cannot have non-zero unlock time',
    explanation: 'unlock_time other than 0 is no longer relayed by the network',
  },
  bad_priority: {
    code: -53,
    text: 'Invalid priority value. Must be between 0 and 4.',
    explanation: ({ priority }) => `priority ${priority} is out of range: 0 to 4`,
  },
  priority_unknown: {
    code: -1,
    text: 'Failed to get adjusted fee priority',
    explanation: 'the priority depends on the state of chain and pool, and the daemon cannot be asked for it',
  },
  fee_rates_unknown: {
    code: -4,
    text: 'Failed to get height',
    explanation: ({ reason }) => `the daemon cannot be asked for the fee rates: ${reason}`,
  },
} satisfies Partial<FaultTable>;
