import { MAX_OUTPUTS } from '../../monero/cryptonote/constants.js';
import type { Address } from '../../monero/cryptonote/types.js';
import { MAX_CHANGE_OUTPUTS } from '../../monero/wallet/select/change-split.js';
import {
  feeOfWeight,
  feePerByte,
  feeShares,
  weightOf,
  type Prices,
} from '../../monero/wallet/select/fees.js';
import { MAX_PAYEES } from '../../monero/wallet/select/transfer-request.js';
import type { Payout } from '../../model/payout.js';
import { faultOf } from '../../model/wallet-error.js';
import { amount, sum, ZERO, type Amount } from '../../util/amount.js';

/** Number of queued payouts of an account that one look considers. */
export const MOST_CONSIDERED = 2000;

/** A queued payout that may be sent now. */
export interface Candidate {
  readonly payout: Payout;
  readonly address: Address;
  /** Numbers of its failed batches that can still be mined, as one text; empty: none. */
  readonly earlier: string;
  /** Time since which it could have been sent [Unix s]. */
  readonly since: number;
}

/** Reason why a payout waits although it may be sent. */
export type Shortfall =
  | {
      readonly kind: 'unlocked';
      /** Amount that must be unlocked in addition [atomic units]. */
      readonly missing: Amount;
    }
  | {
      /** Unlocked money is kept for another payout. */
      readonly kind: 'behind';
      readonly payoutId: string;
    }
  | {
      readonly kind: 'fee';
      /** Share of the fee that it would pay now [atomic units]. */
      readonly fee: Amount;
    };

/** State of the paying account and of the network. */
export interface ComposeTerms {
  /** Sum of the outputs that can be spent now [atomic units]. */
  readonly available: bigint;
  /** Sum of the outputs that are locked now [atomic units]. */
  readonly locked: bigint;
  /** Prices for each priority of a payout, 0 to 4. @throws WalletError `fee_too_high` */
  readonly pricesFor: (priority: number) => Prices;
  /** Highest fee rate [atomic units per byte]; undefined: any rate. */
  readonly maxFeeRate: bigint | undefined;
  /** Largest number of payouts of the batch. */
  readonly most: number;
  /** Number of outputs by which the account should grow, if that is possible. */
  readonly lackingOutputs: number;
  /** Number of outputs that can be spent now, up to two for each batch of the queue; absent: as many. */
  readonly spendableOutputs?: number;
  /** Present time [Unix s]. */
  readonly now: number;
  /** Time from which money is kept for the oldest payout [s]. */
  readonly patience: number;
}

/** A batch that can be paid, and the payouts that must wait. */
export interface Composition {
  readonly batch: readonly Candidate[];
  /** Prices of the batch; absent without a batch. */
  readonly prices?: Prices;
  readonly changeOutputs: number;
  /** True: the account has too few outputs for two inputs in each batch of the queue. Absent: it has enough. */
  readonly savesOutputs?: boolean;
  /** Largest fee of the batch that every payout in it accepts [atomic units]; undefined: any fee. */
  readonly maxFee?: Amount;
  /** Reasons of the payouts that are not in the batch, by their numbers; payouts without a reason wait for their turn. */
  readonly shortfalls: ReadonlyMap<number, Shortfall>;
}

/** Number of inputs with which the fee of a batch is estimated before its inputs are known. */
const USUAL_INPUTS = 2;

/** Largest number of payees that give up their places so that the change can be divided. */
const PLACES_FOR_CHANGE = 7;

/**
 * Chooses the payouts of the next batch of an account: by priority, then by age, as many as unlocked money and one
 * transaction allow. A payout that is too large for the unlocked money does not stop smaller ones, until it is the oldest
 * and has waited longer than the patience: then money is kept for it, if the locked money is enough for it. All payouts of a batch have the same prices; an integrated address is alone,
 * and payouts whose earlier batches may still be mined are only with payouts of the same batches.
 * @param candidates by priority, then by age.
 */
export function composeBatch(candidates: readonly Candidate[], terms: ComposeTerms): Composition {
  const shortfalls = new Map<number, Shortfall>();
  let refused = new Set<Candidate>();
  // Without a payout whose share is too high, the shares of the others change.
  for (;;) {
    const picked = pick(candidates, refused, terms, shortfalls);
    const tooDear = picked.batch.filter((candidate, i) => {
      const share = picked.shares[i] ?? ZERO;
      if (!isTooDear(candidate.payout, share)) return false;
      shortfalls.set(candidate.payout.sequence, { kind: 'fee', fee: share });
      return true;
    });
    if (tooDear.length === 0) return compositionOf(picked, terms, shortfalls, candidates.length);
    refused = new Set([...refused, ...tooDear]);
  }
}

/** True if a payout does not accept a share of the fee, or if its payee would receive nothing. */
export const isTooDear = ({ maxFee, feePayer, amount: value }: Payout, share: Amount): boolean =>
  (maxFee !== undefined && share > maxFee) || (feePayer === 'payee' && share >= value);

/** Payouts that fit together, with estimates of their shares of the fee. */
interface Picked {
  readonly batch: readonly Candidate[];
  readonly shares: readonly Amount[];
  readonly prices: Prices | undefined;
}

function pick(
  candidates: readonly Candidate[],
  refused: ReadonlySet<Candidate>,
  terms: ComposeTerms,
  shortfalls: Map<number, Shortfall>,
): Picked {
  const batch: Candidate[] = [];
  const oldest = oldestOf(candidates.filter((candidate) => !refused.has(candidate)));
  const forChange = candidates.length > MAX_PAYEES ? Math.min(terms.lackingOutputs, PLACES_FOR_CHANGE) : 0;
  const room = Math.min(terms.most, MAX_PAYEES - forChange);
  let prices: Prices | undefined;
  for (const candidate of candidates) {
    if (refused.has(candidate)) continue;
    const { payout } = candidate;
    const own = pricesOr(terms, payout.priority);
    if ('fee' in own) {
      shortfalls.set(payout.sequence, { kind: 'fee', fee: own.fee });
      continue;
    }
    const rate = feePerByte(own.rates, own.priority);
    if (terms.maxFeeRate !== undefined && rate > terms.maxFeeRate) {
      shortfalls.set(payout.sequence, { kind: 'fee', fee: costOf([candidate], own) });
      continue;
    }
    if (!fitsTogether(batch, prices, candidate, own)) continue;
    if (batch.length >= room) break;
    const missing = needed([...batch, candidate], own) - terms.available;
    if (missing <= 0n) {
      batch.push(candidate);
      prices = own;
      shortfalls.delete(payout.sequence);
      continue;
    }
    const alone = needed([candidate], own) - terms.available;
    if (alone <= 0n) continue;
    shortfalls.set(payout.sequence, { kind: 'unlocked', missing: amount(alone) });
    // Money is not kept for a payout that would wait for a lower fee then.
    if (isTooDear(payout, costOf([candidate], own))) continue;
    if (candidate === oldest && terms.now - candidate.since > terms.patience && alone <= terms.locked) {
      // Payouts of a higher priority may have been picked before; they wait, too.
      for (const { payout: other } of candidates)
        if (other !== payout) shortfalls.set(other.sequence, { kind: 'behind', payoutId: payout.payoutId });
      return { batch: [], shares: [], prices: undefined };
    }
  }
  const shares = prices === undefined ? [] : feeShares(costOf(batch, prices), batch.length);
  return { batch, shares, prices };
}

/** Returns the prices of a priority, or the fee of a usual transaction if that is too high. @throws WalletError, others */
function pricesOr({ pricesFor }: ComposeTerms, priority: number): Prices | { readonly fee: Amount } {
  try {
    return pricesFor(priority);
  } catch (error) {
    const fault = faultOf(error);
    if (fault?.kind === 'fee_too_high') return { fee: fault.fee };
    throw error;
  }
}

const oldestOf = (candidates: readonly Candidate[]): Candidate | undefined =>
  candidates.reduce<Candidate | undefined>(
    (oldest, one) => (oldest === undefined || one.payout.sequence < oldest.payout.sequence ? one : oldest),
    undefined,
  );

/** True if one transaction may pay a candidate together with the payouts of a batch. */
function fitsTogether(
  batch: readonly Candidate[],
  prices: Prices | undefined,
  candidate: Candidate,
  own: Prices,
): boolean {
  const [first] = batch;
  if (first === undefined) return true;
  return (
    prices?.priority === own.priority &&
    first.earlier === candidate.earlier &&
    first.address.paymentId === undefined &&
    candidate.address.paymentId === undefined
  );
}

/** Estimates the fee of a batch [atomic units]. */
const costOf = (batch: readonly Candidate[], { rates, priority }: Prices): Amount =>
  feeOfWeight(weightOf(USUAL_INPUTS, batch), feePerByte(rates, priority), rates);

/** Estimates the money that a batch needs [atomic units]. */
function needed(batch: readonly Candidate[], prices: Prices): bigint {
  const shares = feeShares(costOf(batch, prices), batch.length);
  return batch.reduce(
    (total, { payout }, i) =>
      total + payout.amount + (payout.feePayer === 'wallet' ? (shares[i] ?? ZERO) : ZERO),
    0n,
  );
}

function compositionOf(
  { batch, prices }: Picked,
  { available, lackingOutputs, spendableOutputs = Infinity }: ComposeTerms,
  shortfalls: ReadonlyMap<number, Shortfall>,
  candidates: number,
): Composition {
  if (batch.length === 0 || prices === undefined) return { batch: [], changeOutputs: 1, shortfalls };
  const limits = batch.flatMap(({ payout }) => (payout.maxFee === undefined ? [] : [payout.maxFee]));
  const least = limits.reduce<Amount | undefined>(
    (lowest, limit) => (lowest === undefined || limit < lowest ? limit : lowest),
    undefined,
  );
  return {
    ...{ batch, prices, shortfalls },
    changeOutputs: changeOutputsOf(batch, available, lackingOutputs),
    ...(spendableOutputs < outputsOfTwo(candidates) ? { savesOutputs: true } : {}),
    ...(least === undefined ? {} : { maxFee: amount(least * BigInt(batch.length)) }),
  };
}

/** Returns the number of outputs that batches of a number of payouts spend with two inputs each. */
export const outputsOfTwo = (payouts: number): number => 2 * Math.ceil(payouts / MAX_PAYEES);

/**
 * Returns the number of outputs into which the change of a batch is divided. An output that is smaller than the batch
 * would pay no further batch.
 */
function changeOutputsOf(batch: readonly Candidate[], available: bigint, lackingOutputs: number): number {
  const paid = sum(batch.map(({ payout }) => payout.amount));
  const worthwhile = paid === 0n ? 1n : (available - paid) / paid;
  const most = Math.min(MAX_CHANGE_OUTPUTS, MAX_OUTPUTS - batch.length, 1 + lackingOutputs);
  return Math.max(1, worthwhile < BigInt(most) ? Number(worthwhile) : most);
}
