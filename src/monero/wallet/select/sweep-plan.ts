import { MAX_OUTPUTS } from '../../cryptonote/constants.js';
import { costOfInput, feeOfWeight, feePerByte, TARGET_WEIGHT, weightOf, type FeeRates } from './fees.js';
import { amount, descending, totalOf, type Amount } from '../../../util/amount.js';
import { shuffled, type Rng } from '../../../util/random.js';
import { InputPool, Selection } from './input-selection.js';
import type { AddressFunds, SpendableOutput, SpendableOutputs } from './spendable-outputs.js';
import { failed, notPossible, type PaymentPlan } from './transfer-plan.js';
import type { SweepRequest } from './transfer-request.js';

/** Message for outputs whose sum is less than the fee. Source: wallet2.cpp `create_transactions_from`. */
export const CANNOT_PAY_FOR_ITSELF = 'Transaction cannot pay for itself';

/** Message for too many outputs of a transaction. Source: bulletproofs_plus.cc. */
const TOO_MANY_OUTPUTS = 'sv/gamma are too large';

/** Computes the fees of the transactions of a sweep. */
class SweepFees {
  /**
   * Smallest amount that is worth spending [atomic units]: a smaller output would decrease the amount that a sweep
   * pays.
   */
  readonly least: bigint;
  /** Largest number of inputs in a transaction. */
  readonly mostInputs: number;
  readonly #request: SweepRequest;
  readonly #rates: FeeRates;

  /**
   * @throws PlanError `tx_not_possible` if transactions are to have no outputs, `transfer_failed` if they are to have
   * too many.
   */
  constructor(request: SweepRequest, rates: FeeRates) {
    const { outputs } = request;
    if (!Number.isInteger(outputs) || outputs < 1) throw notPossible('a sweep makes at least one output');
    if (outputs > MAX_OUTPUTS)
      throw failed(`a transaction has at most ${MAX_OUTPUTS} outputs, not ${outputs}`, TOO_MANY_OUTPUTS);
    this.#request = request;
    this.#rates = rates;
    this.least = costOfInput(rates, request.priority);
    let inputs = 1;
    while (this.#weightOf(inputs) < TARGET_WEIGHT) inputs += 1;
    this.mostInputs = inputs;
  }

  #weightOf(inputs: number): number {
    const { address, outputs } = this.#request;
    return weightOf(
      inputs,
      Array.from({ length: outputs }, () => ({ address })),
    );
  }

  /** Returns the fee for an upper estimate of the weight [atomic units]. */
  of(inputs: number): Amount {
    const rate = feePerByte(this.#rates, this.#request.priority);
    return feeOfWeight(this.#weightOf(inputs), rate, this.#rates);
  }

  /** Returns true if inputs with this sum pay their fee, and at least one atomic unit to each output. */
  arePaidBy(inputs: number, value: bigint): boolean {
    return value >= this.of(inputs) + BigInt(this.#request.outputs);
  }

  /** Returns true if some of the outputs together pay for one transaction. */
  canPay(outputs: readonly SpendableOutput[]): boolean {
    // The first outputs usually pay for a transaction; then thousands of outputs need not be sorted.
    const first = outputs.slice(0, this.mostInputs);
    return this.arePaidBy(first.length, totalOf(first)) || this.payable(outputs).length > 0;
  }

  /**
   * Returns the largest outputs, as many as possible, that together pay for one transaction; empty if no outputs do.
   */
  payable<C extends SpendableOutput>(outputs: readonly C[]): readonly C[] {
    const largest = [...outputs].sort((a, b) => descending(a.amount, b.amount)).slice(0, this.mostInputs);
    for (let count = largest.length; count > 0; count--) {
      const chosen = largest.slice(0, count);
      if (this.arePaidBy(count, totalOf(chosen))) return chosen;
    }
    return [];
  }
}

/** Rules for the outputs that a sweep takes. */
export interface SweepFilter {
  /**
   * True: only the outputs of one address, chosen at random; the account's primary address only if no other address has
   * outputs. False: outputs of all addresses.
   */
  readonly oneAddress: boolean;
  /** Upper bound of the amounts, exclusive [atomic units]; 0 for no bound. */
  readonly below: Amount;
}

/**
 * Selects the outputs that a sweep takes, which are the outputs that are worth spending. If the sweep takes one
 * address, its outputs pay for a transaction, if any address has such outputs.
 * @throws PlanError `tx_not_possible` if transactions are to have no outputs, `transfer_failed` if they are to have too
 * many. Source: wallet2.cpp `create_transactions_all`.
 */
export function sweepInputs<C extends SpendableOutput>(
  spendable: SpendableOutputs<C>,
  { oneAddress, below }: SweepFilter,
  request: SweepRequest,
  rates: FeeRates,
  rng: Rng,
): C[] {
  const fees = new SweepFees(request, rates);
  const { addresses } = spendable.funds(fees.least);
  const outputsOf = ({ minor }: AddressFunds): C[] =>
    spendable.coins(minor, fees.least).filter((output) => below === 0n || output.amount < below);
  if (!oneAddress) return addresses.flatMap(outputsOf);
  const others = addresses.filter(({ minor }) => minor !== 0);
  const candidates = [...shuffled(others, rng), ...addresses.filter(({ minor }) => minor === 0)];
  let anyOutputs: C[] = [];
  for (const address of candidates) {
    // Outputs whose sum is too small are not read.
    if (anyOutputs.length > 0 && !fees.arePaidBy(1, address.total)) continue;
    const outputs = outputsOf(address);
    if (fees.canPay(outputs)) return outputs;
    if (anyOutputs.length === 0) anyOutputs = outputs;
  }
  return anyOutputs;
}

/** Divides `value` into `count` parts that differ by at most one atomic unit, larger parts first. */
function split(value: bigint, count: number): Amount[] {
  const [part, remainder] = [value / BigInt(count), Number(value % BigInt(count))];
  return Array.from({ length: count }, (_, i) => amount(part + (i < remainder ? 1n : 0n)));
}

/**
 * Plans to transfer all given outputs to one address, in as many transactions as needed; without a transaction if no
 * output is worth spending. There is no change: the fee is subtracted from the payees' amounts. If only some
 * transactions can pay for themselves, the outputs of the other transactions are left out; if no transaction can, the
 * largest outputs are tried together.
 * @throws PlanError `tx_not_possible` if transactions are to have no outputs, `transfer_failed` if too many, and if
 * the inputs are worth less than the fee for spending them. Source: wallet2.cpp `create_transactions_from`.
 */
export function planSweep<C extends SpendableOutput>(
  request: SweepRequest,
  outputs: readonly C[],
  rates: FeeRates,
  rng: Rng,
): PaymentPlan<C>[] {
  const fees = new SweepFees(request, rates);
  const worth = outputs.filter((output) => output.amount >= fees.least);
  const groups = groupsOf(worth, fees.mostInputs, rng).filter((inputs) =>
    fees.arePaidBy(inputs.length, totalOf(inputs)),
  );
  if (groups.length === 0 && worth.length > 0) {
    const largest = fees.payable(worth);
    if (largest.length === 0)
      throw failed('the outputs hold less than the fee of spending them', CANNOT_PAY_FOR_ITSELF);
    groups.push(largest);
  }
  const { address, text, outputs: count, account, unlockTime, priority } = request;
  return groups.map((inputs) => ({
    ...{ account, unlockTime, prices: { rates, priority } },
    inputs,
    payees: split(totalOf(inputs), count).map((value) => ({ address, text, amount: value })),
    fee: fees.of(inputs.length),
    feeFrom: Array.from({ length: count }, (_, index) => index),
  }));
}

/** Divides outputs into groups, each for one transaction; outputs in a group are as little related as possible. */
function groupsOf<C extends SpendableOutput>(
  outputs: readonly C[],
  most: number,
  rng: Rng,
): (readonly C[])[] {
  const pool = new InputPool(outputs, rng);
  const groups: (readonly C[])[] = [];
  while (pool.size > 0) {
    const selection = new Selection<C>();
    while (pool.size > 0 && selection.outputs.length < most) {
      const input = pool.takeLeastRelated(selection);
      if (input !== undefined) selection.add(input);
    }
    groups.push(selection.outputs);
  }
  return groups;
}
