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

/** Rules of a file for the payouts of some accounts. */
export interface PayoutPolicy {
  /** Patterns of the names of wallets. */
  readonly wallets: readonly string[];
  /** Accounts of these wallets; absent: all accounts. */
  readonly accounts?: readonly number[];
  /** Approvals that payouts need; absent: none. */
  readonly approval?: ApprovalRule;
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
}

/** Rules of a server whose files have none. */
export const NO_PAYOUT_RULES: PayoutRules = { version: 0, of: () => [] };

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
