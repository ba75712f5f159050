import type { Hash } from '../../monero/crypto/types.js';
import { requirementOf, type PayoutRules } from '../../model/payout-rule.js';
import { badPayout, termsHash, type Payout, type PayoutClient } from '../../model/payout.js';
import { WalletError } from '../../model/wallet-error.js';
import { betweenWrites } from '../../store/between-writes.js';
import { uncovered } from '../../store/tables/request-refunds.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import type { WalletWriter } from '../../store/wallet-writer.js';
import type { Amount } from '../../util/amount.js';
import { equalBytes } from '../../util/bytes.js';
import { unixSeconds } from '../../util/clock.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'assertOpen' | 'clock' | 'name' | 'payoutSettings' | 'store'>;

type Reader = Pick<WalletReader | WalletWriter, 'payouts' | 'refunds' | 'requests'>;

/** Standing of a payout under the rules of approval. */
export type Release =
  /** It may be sent. */
  | { readonly kind: 'released' }
  /** It needs further approvals. */
  | { readonly kind: 'approval'; readonly needed: number; readonly given: number }
  /** It has its approvals, and may be sent at a time [Unix s]. */
  | { readonly kind: 'delay'; readonly time: number }
  /** It refunds a payment that was reversed meanwhile: an amount is missing [atomic units]. */
  | { readonly kind: 'reversed'; readonly missing: Amount };

/** Number of payouts that are judged in one turn of the event loop. */
const AT_ONCE = 200;

/** Name of clients with all rights among approvers; no credential has this name. */
const FULL = '';

const nameOf = ({ credential }: PayoutClient): string => credential ?? FULL;

/**
 * Approvals of payouts by other persons. A payout is judged by the present rules whenever it is to be sent, so that a
 * changed rule holds for all payouts that were not sent yet.
 */
export class PayoutApprovals {
  readonly #context: Context;
  /** Version of the rules by which waiting payouts were judged last. */
  #judged: number | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  get #rules(): PayoutRules {
    return this.#context.payoutSettings.rules;
  }

  /** Judges a payout by the present rules, and a refund by the payments that it returns. */
  releaseOf(r: Reader, payout: Payout): Release {
    const release = this.#approvalOf(r, payout);
    if (release.kind === 'approval' || payout.refund === undefined) return release;
    const { store, clock } = this.#context;
    const missing = uncovered(r, payout, { tip: store.height() - 1, now: unixSeconds(clock) });
    return missing > 0n ? { kind: 'reversed', missing } : release;
  }

  #approvalOf(r: Reader, payout: Payout): Release {
    const rules = this.#rules.of(this.#context.name, payout.account, payout.creator);
    const requirement = requirementOf(rules, payout.amount);
    if (requirement === undefined) return { kind: 'released' };
    const { approvals, delay, own } = requirement;
    const terms = termsHash(payout);
    const approved = new Map<string, number>();
    for (const action of r.payouts.actionsOn(payout.sequence)) {
      if (action.action !== 'approved' || action.terms === undefined || !equalBytes(action.terms, terms))
        continue;
      const approver = nameOf(action.client);
      if (approver !== (payout.creator ?? FULL) || own) approved.set(approver, action.time);
    }
    if (approved.size < approvals) return { kind: 'approval', needed: approvals, given: approved.size };
    const time = Math.max(payout.created, ...approved.values()) + delay;
    return time > unixSeconds(this.#context.clock) ? { kind: 'delay', time } : { kind: 'released' };
  }

  /** Returns the state in which a new payout, or one whose rules have changed, waits. */
  stateOf(r: Reader, payout: Payout): 'awaiting_approval' | 'queued' {
    return this.releaseOf(r, payout).kind === 'approval' ? 'awaiting_approval' : 'queued';
  }

  /**
   * Records an approval. @param terms hash of the terms that the client has seen.
   * @throws WalletError `bad_payout`, `payout_mismatch` for other terms
   */
  approve(w: WalletWriter, payout: Payout, client: PayoutClient, terms: Hash): void {
    if (payout.state !== 'awaiting_approval') throw badPayout(`the payout is ${payout.state}`);
    if (!equalBytes(terms, termsHash(payout)))
      throw new WalletError({ kind: 'payout_mismatch', payoutId: payout.payoutId, field: 'approval_hash' });
    const rules = this.#rules.of(this.#context.name, payout.account, payout.creator);
    const isOwn = nameOf(client) === (payout.creator ?? FULL);
    if (isOwn && requirementOf(rules, payout.amount)?.own !== true)
      throw badPayout('the client that created a payout does not approve it');
    const before = w.payouts.actionsOn(payout.sequence);
    const isKnown = before.some(
      (known) => known.action === 'approved' && nameOf(known.client) === nameOf(client),
    );
    if (!isKnown)
      w.payouts.act(payout.sequence, 'approved', client, { time: unixSeconds(this.#context.clock), terms });
    if (this.stateOf(w, payout) === 'queued') w.events.payouts.move(payout, 'queued');
  }

  /** Records a rejection, which ends the payout. @throws WalletError `bad_payout` */
  reject(w: WalletWriter, payout: Payout, client: PayoutClient): void {
    if (payout.state !== 'awaiting_approval') throw badPayout(`the payout is ${payout.state}`);
    w.payouts.act(payout.sequence, 'rejected', client, { time: unixSeconds(this.#context.clock) });
    w.events.payouts.move(payout, 'rejected');
  }

  /**
   * Releases waiting payouts that need no further approval by the present rules, and holds back queued ones that do, if
   * the rules have changed since they were judged last.
   */
  async judge(): Promise<void> {
    const { version } = this.#rules;
    if (version === this.#judged) return;
    const { store } = this.#context;
    for (let last = 0; ;) {
      this.#context.assertOpen();
      const waiting = store.read((r) => r.payouts.waitingAfter(last, AT_ONCE));
      const changed = store.read((r) => waiting.filter((payout) => this.stateOf(r, payout) !== payout.state));
      if (changed.length > 0)
        store.write((w) => {
          for (const payout of changed) w.events.payouts.move(payout, this.stateOf(w, payout));
        });
      const end = waiting.at(-1);
      if (end === undefined || waiting.length < AT_ONCE) break;
      last = end.sequence;
      await betweenWrites(store);
    }
    this.#judged = version;
  }
}
