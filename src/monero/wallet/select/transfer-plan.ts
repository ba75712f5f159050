import { MAX_TX_WEIGHT, RING_SIZE } from '../../cryptonote/constants.js';
import {
  costOfInput,
  estimateWeight,
  feeOfWeight,
  feePerByte,
  feeShares,
  TARGET_WEIGHT,
  weightOf,
  type FeeRates,
  type Prices,
} from './fees.js';
import { amount, sum, totalOf, U64_MAX, ZERO, type Amount } from '../../../util/amount.js';
import type { Rng } from '../../../util/random.js';
import { AddressOutputs } from './address-outputs.js';
import { preferredInputs, Selection } from './input-selection.js';
import type { ChangeSplit } from './change-split.js';
import { nameOf, type SpendableOutput, type Funds, type SpendableOutputs } from './spendable-outputs.js';
import type { OwnedOutput } from '../scan/findings.js';
import {
  PlanError,
  checkTransfer,
  MAX_PAYEES,
  type Payee,
  type TransferRequest,
} from './transfer-request.js';

/** One planned transaction of a payment: payees, inputs and an estimated fee. */
export interface PaymentPlan<C extends SpendableOutput = OwnedOutput> {
  /** Account that pays and gets the change. */
  readonly account: number;
  readonly unlockTime: bigint;
  readonly prices: Prices;
  readonly payees: readonly Payee[];
  readonly inputs: readonly C[];
  /** Fee for an upper estimate of the weight [atomic units]; the inputs cover it. */
  readonly fee: Amount;
  /** Indices of the payees from whose amounts the fee is subtracted; empty: the fee is paid in addition. */
  readonly feeFrom: readonly number[];
  /** True: the payees of `feeFrom` pay their shares of the fee among all payees; absent: the whole fee. */
  readonly feeAmongAll?: boolean;
  /** Division of the change into outputs; absent: one output. */
  readonly changeSplit?: ChangeSplit;
}

/**
 * Amount of a large output [atomic units]. A large output is not used as an optional second input while fewer than
 * {@link KEPT_LARGE_OUTPUTS} of them remain. Source: wallet2.cpp `DEFAULT_MIN_OUTPUT_VALUE`.
 */
const LARGE_OUTPUT = 2_000_000_000_000n;
const KEPT_LARGE_OUTPUTS = 5;

export const notPossible = (reason: string): PlanError => new PlanError({ kind: 'tx_not_possible', reason });

/**
 * The reference's message for a fee that payees pay in a payment of several transactions. Source: wallet2.cpp
 * `create_transactions_2`.
 */
const FEE_IS_SPLIT = 'subtractfeefrom transfers cannot be split over multiple transactions yet';

/** Returns the error of an impossible payment. @param text the reference's message for the same cause. */
export const failed = (reason: string, text: string): PlanError =>
  new PlanError({ kind: 'transfer_failed', reason, text });

/**
 * Returns the part of a fee that the wallet pays in addition to the amounts of the payees [atomic units].
 * @param payees number of payees. @param feeFrom indices of the payees that pay the fee, or their shares of it.
 */
function feeOnTop(fee: Amount, payees: number, feeFrom: readonly number[], feeAmongAll: boolean): Amount {
  if (feeFrom.length === 0) return fee;
  if (!feeAmongAll) return ZERO;
  const isPayer = new Set(feeFrom);
  return sum(feeShares(fee, payees).filter((_, i) => !isPayer.has(i)));
}

/** A transaction that is being planned. */
interface Draft<C extends SpendableOutput> {
  readonly selection: Selection<C>;
  readonly payees: Payee[];
  /** True if the last payee is paid in part; the remainder is still to be paid by another transaction. */
  partial: boolean;
}

/** Number of outputs that are tried in order of their size; they fill some transactions. */
const MOST_LARGEST = 1000;

/** Which outputs a plan spends, and in which order. */
interface InputOrder<C extends SpendableOutput> {
  /** Outputs that the first transaction spends in any case. */
  readonly required: readonly C[];
  /** True: the largest outputs are taken first; false: the least related outputs are taken first. */
  readonly largestFirst: boolean;
}

/**
 * Pays destinations in their order from one output after the other. A transaction is completed when it is full or all
 * destinations are paid, and its inputs cover its fee. Source: wallet2.cpp `create_transactions_2`.
 */
class TransferPlanner<C extends SpendableOutput> {
  readonly #queue: Payee[];
  readonly #pools: AddressOutputs<C>[];
  /** Outputs in ascending order of amount, taken from the end; undefined if the least related outputs are taken. */
  readonly #largest: C[] | undefined;
  readonly #preferred: C[];
  readonly #feeOf: (inputs: number, payees: readonly Payee[]) => Amount;
  readonly #feeFrom: readonly number[];
  readonly #feeAmongAll: boolean;
  readonly #changeSplit: ChangeSplit;
  readonly #savesOutputs: boolean;
  readonly #terms: Pick<PaymentPlan, 'account' | 'unlockTime' | 'prices'>;

  constructor(
    request: TransferRequest,
    spendable: SpendableOutputs<C>,
    rates: FeeRates,
    rng: Rng,
    { required, largestFirst }: InputOrder<C>,
  ) {
    const { account, unlockTime, priority } = request;
    this.#terms = { account, unlockTime, prices: { rates, priority } };
    const rate = feePerByte(rates, priority);
    const least = costOfInput(rates, request.priority);
    this.#changeSplit = { outputs: request.changeOutputs ?? 1, least };
    this.#feeOf = (inputs, payees) => feeOfWeight(this.#weightOf(inputs, payees), rate, rates);
    this.#feeFrom = request.feeFrom ?? [];
    this.#feeAmongAll = request.feeAmongAll ?? false;
    this.#savesOutputs = request.savesOutputs ?? false;
    this.#queue = [...request.payees];
    const first = this.#queue.slice(0, MAX_PAYEES);
    const wanted = totalOf(request.payees);
    const usual = preferredInputs(spendable, wanted + this.#feeOnTop(2, first), least);
    const enough = wanted + this.#feeOnTop(1, first);
    const alone = usual.length > 0 ? undefined : spendable.oldest(enough > least ? enough : least);
    this.#preferred = required.length > 0 ? [...required] : alone === undefined ? usual : [alone];
    const { addresses } = spendable.funds(least);
    if (largestFirst) {
      const isRequired = new Set(required.map(nameOf));
      this.#largest = [...spendable.largestCoins(least, MOST_LARGEST)]
        .reverse()
        .filter((coin) => !isRequired.has(nameOf(coin)));
      this.#preferred = [...required];
    }
    const minor = this.#preferred[0]?.subaddress.minor;
    const ordered = [
      ...addresses.filter((address) => address.minor === minor),
      ...addresses.filter((address) => address.minor !== minor),
    ];
    this.#pools = ordered.map((address) => new AddressOutputs(spendable, address, least, rng));
    for (const output of required) for (const pool of this.#pools) pool.take(output);
  }

  /** Returns the fee that the inputs must cover in addition to the payees' amounts [atomic units]. */
  #feeOnTop(inputs: number, payees: readonly Payee[]): Amount {
    return feeOnTop(this.#feeOf(inputs, payees), payees.length, this.#feeFrom, this.#feeAmongAll);
  }

  plan(): PaymentPlan<C>[] {
    const planned: PaymentPlan<C>[] = [];
    while (this.#queue.length > 0) {
      const draft: Draft<C> = { selection: new Selection(), payees: [], partial: false };
      this.#fill(draft);
      this.#coverFee(draft);
      if (this.#queue.length === 0 && !this.#savesOutputs) this.#addSecondInput(draft);
      planned.push(this.#close(draft));
    }
    if (this.#feeFrom.length > 0 && planned.length > 1)
      throw failed('the fee cannot be taken from a payment of more than one transaction', FEE_IS_SPLIT);
    return planned;
  }

  /** Adds inputs, and the payees that these inputs can pay. */
  #fill(draft: Draft<C>): void {
    for (;;) {
      const input = this.#preferred.pop() ?? this.#next(draft);
      this.#poolInUse()?.take(input);
      draft.selection.add(input);
      const full = this.#payFrom(draft, input.amount);
      if (full || this.#isHeavy(draft) || (draft.payees.length === MAX_PAYEES && !draft.partial)) return;
      if (this.#queue.length === 0 && this.#preferred.length === 0) return;
    }
  }

  /** Takes another input. @throws PlanError `tx_not_possible` if there is no further input. */
  #next({ selection }: Draft<C>): C {
    const input =
      this.#largest === undefined ? this.#poolInUse()?.takeLeastRelated(selection) : this.#largest.pop();
    if (input === undefined) throw notPossible('the unlocked outputs do not cover the payment and its fee');
    return input;
  }

  /** Pays payees from an input. @returns true if the transaction is full although a part of the input is left. */
  #payFrom(draft: Draft<C>, value: Amount): boolean {
    let left: bigint = value;
    for (;;) {
      const next = this.#queue[0];
      if (next === undefined || left === 0n) return false;
      const last = draft.payees.at(-1);
      const continues = draft.partial && last !== undefined;
      if (!continues && (draft.payees.length === MAX_PAYEES || this.#isHeavy(draft))) return true;
      const paid = left < next.amount ? left : next.amount;
      if (continues) draft.payees[draft.payees.length - 1] = { ...last, amount: amount(last.amount + paid) };
      else draft.payees.push({ ...next, amount: amount(paid) });
      left -= paid;
      draft.partial = paid < next.amount;
      if (draft.partial) this.#queue[0] = { ...next, amount: amount(next.amount - paid) };
      else this.#queue.shift();
    }
  }

  #weightOf(inputs: number, payees: readonly Payee[]): number {
    return weightOf(inputs, payees, this.#changeSplit.outputs);
  }

  #isHeavy({ selection, payees }: Draft<C>): boolean {
    return this.#weightOf(selection.outputs.length, payees) >= TARGET_WEIGHT;
  }

  /**
   * Covers the fee of a transaction: takes the fee from a payee that is paid in part, and needs another transaction
   * anyway; otherwise adds inputs.
   */
  #coverFee(draft: Draft<C>): void {
    for (;;) {
      const missing = this.#missing(draft.selection.outputs, draft.payees);
      if (missing <= 0n) return;
      const last = draft.payees.at(-1);
      const waiting = this.#queue[0];
      if (draft.partial && last !== undefined && waiting !== undefined && last.amount > missing) {
        draft.payees[draft.payees.length - 1] = { ...last, amount: amount(last.amount - missing) };
        this.#queue[0] = { ...waiting, amount: amount(waiting.amount + missing) };
        return;
      }
      draft.selection.add(this.#next(draft));
    }
  }

  #missing(inputs: readonly C[], payees: readonly Payee[]): bigint {
    return totalOf(payees) + this.#feeOnTop(inputs.length, payees) - totalOf(inputs);
  }

  /** Adds a small unrelated second input to a payment that has one input, because most transactions have two. */
  #addSecondInput(draft: Draft<C>): void {
    const [first, other] = draft.selection.outputs;
    const pool = this.#pools[0];
    if (this.#largest !== undefined || other !== undefined || first === undefined || pool === undefined)
      return;
    if (pool.minor !== first.subaddress.minor) return;
    const second = pool.smallestUnrelated(first);
    if (second === undefined) return;
    const isScarce = (): boolean => pool.countFrom(LARGE_OUTPUT, KEPT_LARGE_OUTPUTS) < KEPT_LARGE_OUTPUTS;
    if (second.amount >= LARGE_OUTPUT && isScarce()) return;
    pool.take(second);
    draft.selection.add(second);
  }

  #close({ selection: { outputs: inputs }, payees }: Draft<C>): PaymentPlan<C> {
    const weight = this.#weightOf(inputs.length, payees);
    if (weight > MAX_TX_WEIGHT) throw new PlanError({ kind: 'tx_too_large', weight, limit: MAX_TX_WEIGHT });
    return {
      ...this.#terms,
      ...{ payees, inputs, fee: this.#feeOf(inputs.length, payees), feeFrom: this.#feeFrom },
      ...(this.#feeAmongAll ? { feeAmongAll: true } : {}),
      ...(this.#changeSplit.outputs === 1 ? {} : { changeSplit: this.#changeSplit }),
    };
  }

  /** Returns the first address that has remaining outputs. */
  #poolInUse(): AddressOutputs<C> | undefined {
    while (this.#pools.length > 1 && this.#pools[0]?.size === 0) this.#pools.shift();
    return this.#pools[0];
  }
}

/**
 * Checks that the funds cover amounts and fee. The reference adds amounts modulo 2^64; so a sum above 64 bits is
 * reported as a lack of money only if its remainder exceeds the funds.
 * @throws PlanError `not_enough_money`, `not_enough_unlocked_money`; `tx_not_possible` for a sum above 64 bits.
 * Source: wallet2.cpp `create_transactions_2`.
 */
function assertFunds(request: TransferRequest, { available, locked }: Funds, rates: FeeRates): void {
  const least = estimateWeight(1, RING_SIZE, 2, 0);
  const fee = feeOfWeight(least, feePerByte(rates, request.priority), rates);
  const wanted = totalOf(request.payees);
  const { payees, feeFrom = [], feeAmongAll = false } = request;
  const subtracting = feeFrom.length > 0 && !feeAmongAll;
  const exact = subtracting
    ? wanted > fee
      ? wanted
      : fee
    : wanted + feeOnTop(fee, payees.length, feeFrom, feeAmongAll);
  const needed = amount(exact > U64_MAX ? U64_MAX : exact);
  const compared = exact % (U64_MAX + 1n);
  if (compared <= available && exact <= U64_MAX) return;
  const balance = amount(available + locked + (request.unconfirmed ?? 0n));
  if (compared > balance) throw new PlanError({ kind: 'not_enough_money', available: balance, needed });
  if (compared > available) throw new PlanError({ kind: 'not_enough_unlocked_money', available, needed });
  throw notPossible('the amounts and the fee exceed 64 bits');
}

/**
 * Divides a request into transactions of at most 15 payees within the weight limit. A payment whose inputs do not fit
 * into one transaction is divided among several. The change is one output if the fee of several outputs is not covered,
 * or would need one more transaction. Inputs are chosen at random, unrelated outputs first. If chance chooses so many
 * small inputs that the payment fails, or needs several transactions although one suffices, the largest outputs are
 * taken instead: whether a request can be paid never depends on chance.
 * @param required outputs that the first transaction spends in any case.
 * @throws PlanError if the request cannot be paid.
 */
export function planTransfers<C extends SpendableOutput>(
  request: TransferRequest,
  spendable: SpendableOutputs<C>,
  rates: FeeRates,
  rng: Rng,
  required: readonly C[] = [],
): PaymentPlan<C>[] {
  checkTransfer(request);
  assertFunds(request, spendable.funds(costOfInput(rates, request.priority)), rates);
  const planBy = (changeOutputs: number, largestFirst: boolean): PaymentPlan<C>[] =>
    new TransferPlanner({ ...request, changeOutputs }, spendable, rates, rng, {
      ...{ required, largestFirst },
    }).plan();
  const planWith = (changeOutputs: number): PaymentPlan<C>[] => {
    const usual = planOrFault(() => planBy(changeOutputs, false));
    if (!(usual instanceof PlanError) && usual.length === 1) return usual;
    const largest = planOrFault(() => planBy(changeOutputs, true));
    if (!(largest instanceof PlanError) && (largest.length === 1 || usual instanceof PlanError))
      return largest;
    if (usual instanceof PlanError) throw usual;
    return usual;
  };
  const { changeOutputs = 1 } = request;
  if (changeOutputs > 1) {
    const planned = planOrFault(() => planWith(changeOutputs));
    if (!(planned instanceof PlanError) && planned.length === 1) return planned;
  }
  return planWith(1);
}

/** Makes a plan. @returns the plan, or the error if the request cannot be paid. */
function planOrFault<T>(plan: () => T): T | PlanError {
  try {
    return plan();
  } catch (cause) {
    if (cause instanceof PlanError) return cause;
    throw cause;
  }
}
