import type { PublicKey } from '../../monero/crypto/types.js';
import type { ImportFacts } from '../../store/tables/output-row.js';
import { amount, type Amount } from '../../util/amount.js';

const KEY_BYTES = 32;
/** Bits of the flags of an output. */
const FLAG = { frozen: 1, spent: 2, spentByUnknown: 4 };

/**
 * Facts of the outputs that an import of key images covers, in a few typed arrays: with one object for each of 10,000
 * outputs, garbage collection took longer than reading.
 */
export class CoveredOutputs {
  readonly #publicKeys: Uint8Array;
  readonly #amounts: BigUint64Array;
  readonly #flags: Uint8Array;
  #count = 0;
  #height = 0;

  /** @param most largest number of outputs that are added. */
  constructor(most: number) {
    this.#publicKeys = new Uint8Array(KEY_BYTES * most);
    this.#amounts = new BigUint64Array(most);
    this.#flags = new Uint8Array(most);
  }

  /** Adds the next output, in the order of the list. */
  add({ publicKey, amount: value, height, frozen, isSpent, isSpentByUnknown }: ImportFacts): void {
    this.#publicKeys.set(publicKey, KEY_BYTES * this.#count);
    this.#amounts[this.#count] = value;
    this.#flags[this.#count] =
      (frozen ? FLAG.frozen : 0) | (isSpent ? FLAG.spent : 0) | (isSpentByUnknown ? FLAG.spentByUnknown : 0);
    this.#height = height;
    this.#count++;
  }

  get count(): number {
    return this.#count;
  }

  /** Height of the output that was added last; 0 without outputs. */
  get height(): number {
    return this.#height;
  }

  publicKey(place: number): PublicKey {
    return this.#publicKeys.subarray(KEY_BYTES * place, KEY_BYTES * (place + 1)) as PublicKey;
  }

  /** True if the wallet has recorded a spend of an output. */
  isSpent(place: number): boolean {
    return this.#has(place, FLAG.spent);
  }

  /** True if a transaction that the wallet has seen spends an output: the daemon cannot revoke such a spend. */
  hasSeenSpend(place: number): boolean {
    return this.isSpent(place) && !this.#has(place, FLAG.spentByUnknown);
  }

  /**
   * Adds up the outputs that are not frozen [atomic units]. @param isSpent returns true if the output at a place counts
   * as spent.
   */
  totals(isSpent: (place: number) => boolean): { readonly spent: Amount; readonly unspent: Amount } {
    const totals = { spent: 0n, unspent: 0n };
    for (let place = 0; place < this.#count; place++)
      if (!this.#has(place, FLAG.frozen))
        totals[isSpent(place) ? 'spent' : 'unspent'] += this.#amounts[place] ?? 0n;
    return { spent: amount(totals.spent), unspent: amount(totals.unspent) };
  }

  #has(place: number, flag: number): boolean {
    return ((this.#flags[place] ?? 0) & flag) !== 0;
  }
}
