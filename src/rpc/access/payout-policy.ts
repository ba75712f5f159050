import * as z from 'zod';
import type { ApprovalRule, PayoutPolicy } from '../../model/payout-rule.js';
import { atomicUnits, whole } from './file-values.js';

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

/** Entry of the member `payouts` of a file of credentials. */
export const policySchema = z.strictObject({
  wallets: z.array(z.string().min(1).max(200)).min(1, 'at least one wallet is expected'),
  accounts: accountList.optional(),
  ...approvalMembers,
});

/** Returns the policy of an entry. */
export const policyOf = ({ wallets, accounts, ...entry }: z.output<typeof policySchema>): PayoutPolicy => ({
  wallets,
  ...(accounts === undefined ? {} : { accounts }),
  ...approvalOf(entry),
});
