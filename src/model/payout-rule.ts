import type { Amount } from '../util/amount.js';

/** Rule by which other persons must approve payouts. */
export interface ApprovalRule {
  /** Amount above which a payout needs approvals [atomic units]. */
  readonly approveAbove: bigint;
  /** Number of approvals by different credentials; 0: the delay alone. */
  readonly approvals: number;
  /** Time between the last approval and the sending [s]. */
  readonly delay: number;
  /** True: an approval of the creator counts. */
  readonly own: boolean;
}

/** Approvals and delay that one payout needs. */
export type Requirement = Omit<ApprovalRule, 'approveAbove'>;

/** Rule by which money above a balance is sent to a fixed address. */
export interface SweepRule {
  /** Unlocked money that stays in the account [atomic units]. */
  readonly keep: bigint;
  /** Unlocked money above which the rule sends [atomic units]; at least `keep`. */
  readonly above: bigint;
  /** Address of the cold store, in the standard spelling. */
  readonly to: string;
  /** Shortest time between two sweeps [s]. */
  readonly interval: number;
}

/** Rule by which many small outputs are joined. */
export interface ConsolidationRule {
  /** Number of outputs above which the smallest ones are joined. */
  readonly above: number;
  /** Highest fee rate [atomic units per byte]. */
  readonly maxFeeRate: bigint;
  /** Hours of the day in UTC, from the first one until the second one begins; equal hours: the whole day. */
  readonly hours: { readonly from: number; readonly to: number };
}

/** Name of the creator of payouts that a rule makes; no credential has this name. */
export const POLICY = '(policy)';

/** Rules of a file for the payouts of some accounts. */
export interface PayoutPolicy {
  /** Patterns of the names of wallets. */
  readonly wallets: readonly string[];
  /** Accounts of these wallets; absent: all accounts. */
  readonly accounts?: readonly number[];
  /** Approvals that payouts need; absent: none. */
  readonly approval?: ApprovalRule;
  /** Sweep to the cold store; absent: none. */
  readonly sweep?: SweepRule;
  /** Joining of small outputs; absent: none. */
  readonly consolidation?: ConsolidationRule;
  /** Number of outputs that the account keeps, also before its first payout; absent: as many as its batches need. */
  readonly outputs?: number;
  /** Balance below which `balance.low` is reported [atomic units]; absent: it is not reported. */
  readonly lowWater?: bigint;
}

/** Rules of payouts that files give. Clients cannot change them. */
export interface PayoutRules {
  /** Increases when rules may have changed. */
  readonly version: number;
  /**
   * Lists the rules for payouts of an account, those of the credential that created them too.
   * @param creator name of the credential; undefined: a client with all rights.
   */
  of(wallet: string, account: number, creator: string | undefined): readonly ApprovalRule[];
  /** Lists the policies for the accounts of a wallet. */
  policiesOf(wallet: string): readonly PayoutPolicy[];
}

/** Rules of a server whose files have none. */
export const NO_PAYOUT_RULES: PayoutRules = { version: 0, of: () => [], policiesOf: () => [] };

/** Returns the strictest requirement of all rules that concern an amount; undefined if none does. */
export function requirementOf(rules: readonly ApprovalRule[], amount: Amount): Requirement | undefined {
  const applying = rules.filter(({ approveAbove }) => amount > approveAbove);
  if (applying.length === 0) return undefined;
  return {
    approvals: Math.max(...applying.map(({ approvals }) => approvals)),
    delay: Math.max(...applying.map(({ delay }) => delay)),
    own: applying.every(({ own }) => own),
  };
}
