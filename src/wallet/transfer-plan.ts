import { MAX_OUTPUTS, MAX_TX_WEIGHT, RING_SIZE } from '../cryptonote/constants.js';
import { estimateWeight, feeOfWeight, feePerByte, type FeeRates } from '../cryptonote/fees.js';
import type { Address } from '../cryptonote/types.js';
import { amount, sum, ZERO, type Amount } from '../util/amount.js';
import { shuffled, type Rng } from '../util/random.js';
import { WalletError } from './fault.js';
import type { OwnedOutput } from './records.js';

/** Where money goes. */
export interface Payee {
  readonly address: Address;
  /** As the caller wrote it. */
  readonly text: string;
  readonly amount: Amount;
}

/** What a caller wants paid. */
export interface TransferRequest {
  readonly payees: readonly Payee[];
  readonly account: number;
  /** 0 to 4; 0 is the default. */
  readonly priority: number;
  readonly unlockTime: bigint;
}

/** One transaction's share of a request: who is paid from what, at an estimated fee. */
export interface FundedTransfer {
  readonly payees: readonly Payee[];
  readonly inputs: readonly OwnedOutput[];
  /** From an upper estimate of the weight. */
  readonly fee: Amount;
}

/** One output is left for change. */
const MAX_PAYEES = MAX_OUTPUTS - 1;

/** Inputs that fit a transaction with all its outputs. */
const MAX_INPUTS = ((): number => {
  let inputs = 1;
  while (weightOf(inputs + 1, MAX_OUTPUTS) <= MAX_TX_WEIGHT) inputs++;
  return inputs;
})();

/** Public key, nonce with a payment id, and one additional key an output. */
function weightOf(inputs: number, outputs: number): number {
  return estimateWeight(inputs, RING_SIZE, outputs, 33 + 11 + 3 + 32 * outputs);
}

/**
 * The order in which outputs are used. One output that pays all comes first; then two of one address; else
 * address by address, the richest first, so that as few addresses as possible are seen to belong together.
 * Source: wallet2.cpp `pick_preferred_rct_inputs`, `create_transactions_2`.
 */
export function orderInputs(unspent: readonly OwnedOutput[], needed: Amount, rng: Rng): OwnedOutput[] {
  const byAmount = [...unspent].sort((a, b) => (a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : 0));
  const byAddress = new Map<number, OwnedOutput[]>();
  for (const output of shuffled(unspent, rng)) {
    const { minor } = output.subaddress;
    byAddress.set(minor, [...(byAddress.get(minor) ?? []), output]);
  }
  const single = byAmount.find((output) => output.amount >= needed);
  const preferred = single === undefined ? (pairFor(byAddress, needed) ?? []) : [single];
  const groups = [...byAddress.values()]
    .map((outputs) => ({ outputs, total: sum(outputs.map((output) => output.amount)) }))
    .sort((a, b) => (a.total > b.total ? -1 : a.total < b.total ? 1 : 0));
  const rest = groups.flatMap(({ outputs }) => outputs.filter((output) => !preferred.includes(output)));
  return [...preferred, ...rest];
}

function pairFor(
  byAddress: ReadonlyMap<number, readonly OwnedOutput[]>,
  needed: Amount,
): OwnedOutput[] | undefined {
  for (const outputs of byAddress.values()) {
    const sorted = [...outputs].sort((a, b) => (a.amount < b.amount ? -1 : 1));
    let low = 0;
    let high = sorted.length - 1;
    let best: [OwnedOutput, OwnedOutput] | undefined;
    // The smallest sufficient partner for each, walking from both ends.
    while (low < high) {
      const [a, b] = [sorted[low], sorted[high]];
      if (a === undefined || b === undefined) break;
      if (a.amount + b.amount >= needed) {
        best = [a, b];
        high -= 1;
      } else low += 1;
    }
    if (best !== undefined) return best;
  }
  return undefined;
}

/**
 * Divides a request into transactions: at most 15 payees each, within the weight limit, a payment cut in two
 * where its inputs do not fit one.
 * @param unspent what may be spent now. @param locked what will be spendable later, for the fault's text.
 * @throws WalletError for a request that cannot be paid.
 */
export function planTransfers(
  request: TransferRequest,
  unspent: readonly OwnedOutput[],
  locked: Amount,
  rates: FeeRates,
  rng: Rng,
): FundedTransfer[] {
  if (request.payees.length === 0) throw new WalletError({ kind: 'no_destination' });
  if (request.payees.some((payee) => payee.amount === 0n)) throw new WalletError({ kind: 'zero_amount' });
  const rate = feePerByte(rates, request.priority);
  const feeFor = (inputs: number, payees: number): Amount =>
    feeOfWeight(weightOf(inputs, payees + 1), rate, rates);
  const wanted = request.payees.reduce((total, payee) => total + payee.amount, 0n);
  const available = sum(unspent.map((output) => output.amount));
  const smallest = feeFor(1, Math.min(request.payees.length, MAX_PAYEES));
  const short = (needed: bigint): WalletError => {
    const facts = { available, needed: amount(needed) };
    return new WalletError(
      needed <= available + locked
        ? { kind: 'not_enough_unlocked_money', ...facts }
        : { kind: 'not_enough_money', ...facts },
    );
  };
  if (wanted >= 1n << 64n)
    throw new WalletError({ kind: 'not_enough_money', available, needed: amount((1n << 64n) - 1n) });
  if (wanted + smallest > available) throw short(wanted + smallest);

  const queue = [...request.payees];
  const order = orderInputs(unspent, amount(wanted + feeFor(2, Math.min(queue.length, MAX_PAYEES))), rng);
  const planned: FundedTransfer[] = [];
  while (queue.length > 0) {
    const payees = queue.splice(0, MAX_PAYEES);
    const inputs: OwnedOutput[] = [];
    const target = (): bigint =>
      payees.reduce((total, payee) => total + payee.amount, 0n) +
      feeFor(Math.max(1, inputs.length), payees.length);
    let held: Amount = ZERO;
    while (held < target() && inputs.length < MAX_INPUTS) {
      const next = order.shift();
      if (next === undefined)
        throw short(wanted + sum(planned.map(({ fee }) => fee)) + feeFor(inputs.length + 1, payees.length));
      inputs.push(next);
      held = amount(held + next.amount);
    }
    if (held < target()) cutToFit(payees, queue, held, () => feeFor(inputs.length, payees.length));
    planned.push({ payees, inputs, fee: feeFor(inputs.length, payees.length) });
  }
  return planned;
}

/** Sends payees that the inputs do not cover back to the queue, the first of them in part. */
function cutToFit(payees: Payee[], queue: Payee[], held: Amount, fee: () => Amount): void {
  for (;;) {
    const last = payees.pop();
    if (last === undefined)
      throw new WalletError({
        kind: 'tx_not_possible',
        reason: 'the inputs are too small to pay their own fee',
      });
    const before = payees.reduce((total, payee) => total + payee.amount, 0n);
    payees.push(last);
    const left = held - before - fee();
    if (left <= 0n) {
      payees.pop();
      queue.unshift(last);
      continue;
    }
    if (left < last.amount) {
      payees[payees.length - 1] = { ...last, amount: amount(left) };
      queue.unshift({ ...last, amount: amount(last.amount - left) });
    }
    return;
  }
}
