import * as z from 'zod';
import { formatAddress, tryParseAddress } from '../../monero/cryptonote/address.js';
import type { ApprovalRule, ConsolidationRule, PayoutPolicy, SweepRule } from '../../model/payout-rule.js';
import { atomicUnits, whole, strictObject } from './file-values.js';

const MOST_APPROVALS = 10;
/** Longest delay after the last approval: 30 days [s]. */
const LONGEST_DELAY = 30 * 86_400;
const MAX_ACCOUNT = 0xffff_ffff;

/** Accounts of a wallet. */
export const accountList = z
  .array(whole({ least: 0, most: MAX_ACCOUNT }))
  .min(1, 'at least one account is expected');

/** Members of a rule by which other persons approve payouts. */
export const approvalMembers = {
  approve_above: atomicUnits.optional(),
  approvals: whole({ least: 0, most: MOST_APPROVALS }).optional(),
  delay: whole({ least: 0, most: LONGEST_DELAY }).optional(),
  own: z.boolean('true or false is expected').optional(),
};

interface ApprovalEntry {
  readonly approve_above?: string | undefined;
  readonly approvals?: number | undefined;
  readonly delay?: number | undefined;
  readonly own?: boolean | undefined;
}

/**
 * Returns the rule of approval of an entry; undefined if the entry has none. Without a number of approvals, two are
 * needed.
 */
export function approvalOf(entry: ApprovalEntry): { readonly approval?: ApprovalRule } {
  const { approve_above: above, approvals, delay, own } = entry;
  if ([above, approvals, delay, own].every((member) => member === undefined)) return {};
  return {
    approval: {
      approveAbove: BigInt(above ?? 0),
      approvals: approvals ?? 2,
      delay: delay ?? 0,
      own: own ?? false,
    },
  };
}

/** Shortest and longest time between two sweeps [s]. */
const SWEEP_INTERVAL = { least: 1, most: 30 * 86_400 };
const USUAL_SWEEP_INTERVAL = 3600;
const MOST_OUTPUTS = 1_000_000;
const MOST_KEPT = 1000;
const MAX_FEE_RATE = 1_000_000_000;

const sweepSchema = strictObject({
  keep: atomicUnits,
  above: atomicUnits,
  to: z.string().refine((text) => tryParseAddress(text) !== undefined, 'this is no address'),
  interval: whole(SWEEP_INTERVAL).optional(),
}).refine(({ keep, above }) => BigInt(above) >= BigInt(keep), 'above is at least keep');

const consolidationSchema = strictObject({
  above: whole({ least: 16, most: MOST_OUTPUTS }),
  max_fee_rate: whole({ most: MAX_FEE_RATE }),
  hours: z
    .string()
    .regex(/^([01]\d|2[0-3])-([01]\d|2[0-3])$/, 'two hours of the day in UTC such as 02-05 are expected')
    .optional(),
});

/** Entry of the member `payouts` of a file of credentials. */
export const policySchema = strictObject({
  wallets: z.array(z.string().min(1).max(200)).min(1, 'at least one wallet is expected'),
  accounts: accountList.optional(),
  ...approvalMembers,
  sweep: sweepSchema.optional(),
  consolidate: consolidationSchema.optional(),
  low_water: atomicUnits.optional(),
  outputs: whole({ least: 2, most: MOST_KEPT }).optional(),
}).refine(
  ({ accounts, sweep, consolidate, low_water: lowWater, outputs }) =>
    accounts !== undefined || [sweep, consolidate, lowWater, outputs].every((rule) => rule === undefined),
  'sweep, consolidate, low_water and outputs need accounts',
);

const consolidationOf = ({
  above,
  max_fee_rate: maxFeeRate,
  hours = '00-00',
}: z.output<typeof consolidationSchema>): ConsolidationRule => {
  const [from = 0, to = 0] = hours.split('-').map(Number);
  return { above, maxFeeRate: BigInt(maxFeeRate), hours: { from, to } };
};

const sweepOf = ({ keep, above, to, interval }: z.output<typeof sweepSchema>): SweepRule[] => {
  const address = tryParseAddress(to);
  if (address === undefined) return [];
  return [
    {
      ...{ keep: BigInt(keep), above: BigInt(above), to: formatAddress(address) },
      interval: interval ?? USUAL_SWEEP_INTERVAL,
    },
  ];
};

/** Returns the policy of an entry. */
export function policyOf({
  wallets,
  accounts,
  sweep,
  consolidate,
  low_water: lowWater,
  outputs,
  ...entry
}: z.output<typeof policySchema>): PayoutPolicy {
  const [sweepRule] = sweep === undefined ? [] : sweepOf(sweep);
  return {
    wallets,
    ...(accounts === undefined ? {} : { accounts }),
    ...approvalOf(entry),
    ...(sweepRule === undefined ? {} : { sweep: sweepRule }),
    ...(consolidate === undefined ? {} : { consolidation: consolidationOf(consolidate) }),
    ...(lowWater === undefined ? {} : { lowWater: BigInt(lowWater) }),
    ...(outputs === undefined ? {} : { outputs }),
  };
}
