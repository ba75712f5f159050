import type { PayoutState } from '../../src/model/payout.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { PayoutEvent } from './payout-states.js';

/** Rule of approval, as a client of the file of credentials reads it. */
export interface ApprovalRule {
  /** Absent: all accounts. */
  readonly accounts?: readonly number[];
  /** Creator whose payouts it concerns; absent: any. */
  readonly creator?: string;
  /** Amount above which payouts need approvals [atomic units]. */
  readonly above: number;
  readonly approvals: number;
  /** Time between the last approval and the sending [s]. */
  readonly delay: number;
  /** True: an approval of the creator counts. */
  readonly own: boolean;
}

/** Approval that a client asked for. */
interface Approval {
  readonly by: string;
  /** Time before it was asked for [Unix s]. */
  readonly time: number;
  /** True once it was answered without an error. */
  isAnswered: boolean;
}

/** States in which a payout holds no money of the limits of its creator. */
const GIVEN_BACK: ReadonlySet<PayoutState> = new Set(['failed', 'cancelled', 'rejected', 'expired']);
const DAY = 86_400;
/** Largest difference of times that were rounded to seconds [s]. */
const ROUNDING = 1;

/**
 * Follows approvals and the rules that demand them, and checks that no payout is sent before the rules in force allow it,
 * and that no creator exceeds his limit.
 */
export class ApprovalModel {
  readonly #violate: (text: string) => void;
  /** Lists of rules that may be in force: more than one while the file is read again. */
  #possible: (readonly ApprovalRule[])[];
  readonly #approvals = new Map<string, Approval[]>();
  /** Times of the first events of payouts [Unix s]. */
  readonly #created = new Map<string, number>();
  /** Number of approvals that were answered without an error. */
  approved = 0;

  constructor(rules: readonly ApprovalRule[], violate: (text: string) => void) {
    this.#possible = [rules];
    this.#violate = violate;
  }

  /** Notes that the file has other rules now, which the server may read. */
  mayBecome(rules: readonly ApprovalRule[]): void {
    this.#possible.push(rules);
  }

  /** Notes that the server has read the latest rules, and that all events of before were entered. */
  became(): void {
    this.#possible = this.#possible.slice(-1);
  }

  /** Notes that an approval is asked for. @returns the approval, to be answered. */
  ask(id: string, by: string, time: number): Approval {
    const approval = { by, time, isAnswered: false };
    this.#approvals.set(id, [...(this.#approvals.get(id) ?? []), approval]);
    return approval;
  }

  /** Notes that an approval was answered without an error, or refused. */
  answer(id: string, approval: Approval, isGiven: boolean): void {
    approval.isAnswered = isGiven;
    if (isGiven) this.approved += 1;
    else
      this.#approvals.set(
        id,
        this.#approvalsOf(id).filter((one) => one !== approval),
      );
  }

  /** True if some rules that may be in force let a creator approve his own payout. */
  mayApproveOwn(creator: string, account: number, amount: number): boolean {
    return this.#possible.some((rules) => strictest(rules, { creator, account, amount })?.own === true);
  }

  /** Enters an event of a payout. @param creator credential that has created it. */
  enter({ type, timestamp, data }: PayoutEvent, creator: string): void {
    const id = String(data.payout_id);
    const time = Date.parse(timestamp) / 1000;
    if (data.was === undefined) this.#created.set(id, time);
    if (type !== 'payout.sending' && type !== 'payout.awaiting_signature') return;
    const reasons = this.#possible.map((rules) => this.#objection(rules, { id, time, creator, data }));
    if (!reasons.includes(undefined)) this.#violate(`${id}: ${type}, although ${reasons.join(', and ')}`);
  }

  /** Returns why rules forbid that a payout is sent; undefined: they allow it. */
  #objection(
    rules: readonly ApprovalRule[],
    sent: { readonly id: string; readonly time: number; readonly creator: string; readonly data: Loose },
  ): string | undefined {
    const { id, time, creator, data } = sent;
    const needed = strictest(rules, {
      creator,
      account: Number(data.account_index),
      amount: Number(data.amount),
    });
    if (needed === undefined) return undefined;
    const counting = this.#approvalsOf(id).filter(({ by }) => needed.own || by !== creator);
    const given = new Set(counting.map(({ by }) => by)).size;
    if (given < needed.approvals) return `${given} of ${needed.approvals} approvals were given`;
    const answered = counting.filter(({ isAnswered }) => isAnswered);
    // A second approval of one client counts at the time of the first one.
    const first = [...new Set(answered.map(({ by }) => by))].map((name) =>
      Math.min(...answered.filter(({ by }) => by === name).map((approval) => approval.time)),
    );
    const free = Math.max(this.#created.get(id) ?? 0, ...first) + needed.delay;
    if (time < free - ROUNDING) return `its delay ends ${Math.round(free - time)} s later`;
    return undefined;
  }

  #approvalsOf(id: string): readonly Approval[] {
    return this.#approvals.get(id) ?? [];
  }

  /** Compares the actions in a list of payouts with what clients have asked for, and been answered. */
  compare({ payout_id, history = [], state }: Loose): void {
    const id = String(payout_id);
    const asked = this.#approvalsOf(id);
    const told = (history as Loose[])
      .filter(({ action }) => action === 'approved')
      .map(({ by }) => String(by));
    const answered = new Set(asked.filter(({ isAnswered }) => isAnswered).map(({ by }) => by));
    for (const by of told)
      if (!asked.some((one) => one.by === by)) this.#violate(`${id}: ${by} has never approved it`);
    for (const by of answered) if (!told.includes(by)) this.#violate(`${id}: the approval of ${by} is lost`);
    if (new Set(told).size !== told.length) this.#violate(`${id}: an approval counts twice`);
    if (state === 'rejected' && !(history as Loose[]).some(({ action }) => action === 'rejected'))
      this.#violate(`${id}: is rejected, and nobody has rejected it`);
  }

  /**
   * Checks that the payouts of a creator which are not given back stay within the limit of a day.
   * @param listed payouts to others. @param limit limit [atomic units].
   */
  checkLimit(listed: readonly Loose[], creator: string, limit: number): void {
    const counted = listed.filter(
      ({ created_by: by, state }) => by === creator && !GIVEN_BACK.has(state as PayoutState),
    );
    for (const { created_at: end, payout_id: id } of counted) {
      const sum = counted
        .filter(({ created_at: time }) => time <= end && time > end - DAY)
        .reduce(
          (total, { amount, fee, max_fee: most = 0 }) => total + amount + (fee === 'payee' ? 0 : most),
          0,
        );
      if (sum > limit)
        return this.#violate(
          `${creator} owes ${sum} within the day before ${id}, above the limit of ${limit}`,
        );
    }
  }
}

/** Returns the strictest of the rules that concern a payout; undefined if none does. */
function strictest(
  rules: readonly ApprovalRule[],
  payout: { readonly creator: string; readonly account: number; readonly amount: number },
): Pick<ApprovalRule, 'approvals' | 'delay' | 'own'> | undefined {
  const [first, ...others] = rules.filter(
    ({ accounts, creator, above }) =>
      accounts?.includes(payout.account) !== false &&
      (creator ?? payout.creator) === payout.creator &&
      payout.amount > above,
  );
  if (first === undefined) return undefined;
  return others.reduce<Pick<ApprovalRule, 'approvals' | 'delay' | 'own'>>(
    (all, { approvals, delay, own }) => ({
      approvals: Math.max(all.approvals, approvals),
      delay: Math.max(all.delay, delay),
      own: all.own && own,
    }),
    first,
  );
}
