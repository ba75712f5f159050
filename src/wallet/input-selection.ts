import type { Amount } from '../util/amount.js';
import { equalBytes, toHex } from '../util/bytes.js';
import { shuffled, uniformInt, type Rng } from '../util/random.js';
import type { OwnedOutput } from './records.js';

/*
 * Which outputs to spend together. Two of one transaction or of neighbouring blocks tell an observer that they
 * have one owner, so the least related go first. Source: wallet2.cpp `get_output_relatedness`,
 * `pop_best_value_from`, `pick_preferred_rct_inputs`.
 */
const SAME_TX = 1;
const SAME_BLOCK = 0.9;
const NEXT_BLOCK = 0.8;
const NEAR = 0.2;
const NEAR_BLOCKS = 10;

function relatednessOfHeights(distance: number): number {
  if (distance === 0) return SAME_BLOCK;
  if (distance === 1) return NEXT_BLOCK;
  return distance < NEAR_BLOCKS ? NEAR : 0;
}

/** 0 for strangers to 1 for outputs of one transaction; only the order means something. */
export const relatedness = (a: OwnedOutput, b: OwnedOutput): number =>
  equalBytes(a.txHash, b.txHash) ? SAME_TX : relatednessOfHeights(Math.abs(a.height - b.height));

/** The outputs chosen so far, and how related any other is to the closest of them. */
export class Selection {
  readonly #outputs: OwnedOutput[] = [];
  readonly #transactions = new Set<string>();
  readonly #heights = new Map<number, number>();

  constructor(outputs: readonly OwnedOutput[] = []) {
    for (const output of outputs) this.add(output);
  }

  get outputs(): readonly OwnedOutput[] {
    return this.#outputs;
  }

  add(output: OwnedOutput): void {
    this.#outputs.push(output);
    this.#transactions.add(toHex(output.txHash));
    for (let distance = 1 - NEAR_BLOCKS; distance < NEAR_BLOCKS; distance++) {
      const at = output.height + distance;
      const score = relatednessOfHeights(Math.abs(distance));
      this.#heights.set(at, Math.max(score, this.#heights.get(at) ?? 0));
    }
  }

  /** Of any output in that block that shares no transaction. */
  relatednessOfHeight(height: number): number {
    return this.#heights.get(height) ?? 0;
  }

  relatednessOf(output: OwnedOutput): number {
    const score = this.relatednessOfHeight(output.height);
    // One transaction lies in one block: only there is it worth a look.
    return score === SAME_BLOCK && this.#sharesTransaction(output) ? SAME_TX : score;
  }

  #sharesTransaction({ txHash }: OwnedOutput): boolean {
    return this.#transactions.has(toHex(txHash));
  }
}

/** Draws before a pool is searched in order. */
const DRAWS = 32;

/** Outputs still to be had. Taking one takes constant time in the usual case of a large, spread out pool. */
export class InputPool {
  readonly #rng: Rng;
  readonly #outputs: OwnedOutput[];
  readonly #places = new Map<OwnedOutput, number>();
  readonly #byHeight = new Map<number, OwnedOutput[]>();

  constructor(outputs: readonly OwnedOutput[], rng: Rng) {
    this.#rng = rng;
    this.#outputs = shuffled(outputs, rng);
    this.#outputs.forEach((output, place) => {
      this.#places.set(output, place);
      const block = this.#byHeight.get(output.height);
      if (block === undefined) this.#byHeight.set(output.height, [output]);
      else block.push(output);
    });
  }

  get size(): number {
    return this.#outputs.length;
  }

  countFrom(value: bigint): number {
    return this.#outputs.reduce((count, output) => (output.amount >= value ? count + 1 : count), 0);
  }

  /** Removes an output; one that is not there is ignored. */
  take(output: OwnedOutput): void {
    const place = this.#places.get(output);
    const last = this.#outputs.at(-1);
    if (place === undefined || last === undefined) return;
    this.#outputs[place] = last;
    this.#places.set(last, place);
    this.#outputs.pop();
    this.#places.delete(output);
    const block = this.#byHeight.get(output.height) ?? [];
    block.splice(block.indexOf(output), 1);
    if (block.length === 0) this.#byHeight.delete(output.height);
  }

  /** Removes a random one of those least related to what is selected already. */
  takeLeastRelated(selection: Selection): OwnedOutput | undefined {
    const found = this.#leastRelated(selection);
    if (found !== undefined) this.take(found);
    return found;
  }

  /** The smallest of those least related; it stays. */
  smallestLeastRelated(selection: Selection): OwnedOutput | undefined {
    let best: OwnedOutput | undefined;
    let lowest = Infinity;
    for (const output of this.#outputs) {
      const score = selection.relatednessOf(output);
      if (score < lowest || (score === lowest && best !== undefined && output.amount < best.amount)) {
        best = output;
        lowest = score;
      }
    }
    return best;
  }

  /** Usually a few draws find a stranger; else the blocks are searched, and their outputs only at the last. */
  #leastRelated(selection: Selection): OwnedOutput | undefined {
    const drawn = this.#draw([this.#outputs], (output) => selection.relatednessOf(output) === 0);
    if (drawn !== undefined) return drawn;
    let lowest = Infinity;
    let blocks: OwnedOutput[][] = [];
    for (const [height, block] of this.#byHeight) {
      const score = selection.relatednessOfHeight(height);
      if (score > lowest) continue;
      if (score < lowest) blocks = [];
      lowest = score;
      blocks.push(block);
    }
    const fits = (output: OwnedOutput): boolean => selection.relatednessOf(output) === lowest;
    const candidates = (): OwnedOutput[] => blocks.flat();
    return this.#draw(blocks, fits) ?? this.#any(candidates().filter(fits)) ?? this.#any(candidates());
  }

  /** Draws from lists taken as one until an output fits, undefined when none does for long. */
  #draw(lists: readonly OwnedOutput[][], fits: (output: OwnedOutput) => boolean): OwnedOutput | undefined {
    const count = lists.reduce((total, list) => total + list.length, 0);
    for (let draw = 0; draw < DRAWS && count > 0; draw++) {
      const output = nth(lists, uniformInt(count, this.#rng));
      if (output !== undefined && fits(output)) return output;
    }
    return undefined;
  }

  #any(outputs: readonly OwnedOutput[]): OwnedOutput | undefined {
    return outputs.length === 0 ? undefined : outputs[uniformInt(outputs.length, this.#rng)];
  }
}

/** Of lists taken as one. */
function nth<T>(lists: readonly (readonly T[])[], place: number): T | undefined {
  let left = place;
  for (const list of lists) {
    if (left < list.length) return list[left];
    left -= list.length;
  }
  return undefined;
}

const byAge = (a: OwnedOutput, b: OwnedOutput): number =>
  a.height - b.height || a.globalIndex - b.globalIndex;

/**
 * The inputs of the usual payment: the oldest output that pays all alone, or two of one address that do and are
 * as little related as can be, the oldest again; empty when there are none.
 */
export function preferredInputs(outputs: readonly OwnedOutput[], needed: bigint): OwnedOutput[] {
  const ordered = [...outputs].sort(byAge);
  const single = ordered.find(({ amount }) => amount >= needed);
  if (single !== undefined) return [single];
  let pair: OwnedOutput[] = [];
  let lowest = SAME_TX;
  for (const group of groupByAddress(ordered).map(({ outputs: own }) => own)) {
    const largest = group.reduce((most, { amount }) => (amount > most ? amount : most), 0n);
    for (const [i, first] of group.entries()) {
      if (first.amount + largest < needed) continue;
      for (let j = i + 1; j < group.length; j++) {
        const second = group[j];
        if (second === undefined || first.amount + second.amount < needed) continue;
        const score = relatedness(first, second);
        if (score === 0) return [first, second];
        if (score < lowest) {
          lowest = score;
          pair = [first, second];
        }
      }
    }
  }
  return pair;
}

/** The outputs of one address. */
export interface AddressGroup {
  readonly minor: number;
  readonly outputs: readonly OwnedOutput[];
  readonly total: bigint;
}

/** One group an address, the richest first: few addresses are then seen to belong together. */
export function groupByAddress(outputs: readonly OwnedOutput[]): AddressGroup[] {
  const groups = new Map<number, { minor: number; outputs: OwnedOutput[]; total: bigint }>();
  for (const output of outputs) {
    const { minor } = output.subaddress;
    const group = groups.get(minor) ?? { minor, outputs: [], total: 0n };
    group.outputs.push(output);
    group.total += output.amount;
    groups.set(minor, group);
  }
  return [...groups.values()].sort((a, b) =>
    a.total > b.total ? -1 : a.total < b.total ? 1 : a.minor - b.minor,
  );
}

/** Which outputs a sweep takes. */
export interface SweepFilter {
  /** Addresses to empty; empty with `allAddresses` false: one chosen at random, the account's own last. */
  readonly minors: readonly number[];
  readonly allAddresses: boolean;
  /** Only outputs of less than this; 0 takes all. */
  readonly below: Amount;
}

/** @param outputs what may be spent now. Source: wallet2.cpp `create_transactions_all`. */
export function sweepInputs(outputs: readonly OwnedOutput[], filter: SweepFilter, rng: Rng): OwnedOutput[] {
  const wanted = outputs.filter(
    ({ amount, subaddress }) =>
      (filter.below === 0n || amount < filter.below) &&
      (filter.minors.length === 0 || filter.minors.includes(subaddress.minor)),
  );
  if (filter.allAddresses || filter.minors.length > 0) return wanted;
  const groups = groupByAddress(wanted);
  const others = groups.filter(({ minor }) => minor !== 0);
  const choice = others.length > 0 ? others : groups;
  return choice.length === 0 ? [] : [...(choice[uniformInt(choice.length, rng)]?.outputs ?? [])];
}
