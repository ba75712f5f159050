import type { AddressBalance as OutputSum } from '../../store/tables/balances.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import { amount, ZERO, type Amount } from '../../util/amount.js';

/** Balance of one address. */
export interface AddressBalance {
  readonly account: number;
  readonly minor: number;
  readonly total: Amount;
  /** Part of the total from unconfirmed transactions: change, and payments to the address. */
  readonly unconfirmed: Amount;
  readonly unlocked: Amount;
  readonly unspentOutputs: number;
  readonly blocksToUnlock: number;
  readonly secondsToUnlock: number;
}

/** Balance of an account or of the wallet, with its addresses. */
export interface Balance {
  readonly total: Amount;
  readonly unlocked: Amount;
  readonly blocksToUnlock: number;
  readonly secondsToUnlock: number;
  readonly addresses: readonly AddressBalance[];
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Rows of a balance: one for each address, for each account (as its address 0), or for the addresses that a function
 * chooses.
 */
export type BalanceRows = 'addresses' | 'accounts' | ((address: SubaddressIndex) => boolean);

/** Methods that add amounts which the sums of the store do not contain: locked, unconfirmed and imported amounts. */
export type Adjusted = Pick<BalanceTally, 'add' | 'lock' | 'addUnconfirmed'>;

/** Adds up outputs, locks and unconfirmed payments to a balance with one row for each address or account. */
export class BalanceTally {
  readonly #rows: BalanceRows;
  readonly #accounts = new Map<number, Map<number, Writable<AddressBalance>>>();
  readonly #sums: Writable<Omit<Balance, 'addresses'>> = {
    total: ZERO,
    unlocked: ZERO,
    blocksToUnlock: 0,
    secondsToUnlock: 0,
  };

  constructor(rows: BalanceRows) {
    this.#rows = rows;
  }

  /** Adds the outputs of an address. */
  add(found: OutputSum): void {
    this.addSum(found.total, [found]);
  }

  /**
   * Adds the outputs of several addresses.
   * @param total sum of all these outputs. @param rows sums of the addresses that get a row, which are included in the
   * total.
   */
  addSum(total: Amount, rows: readonly OutputSum[]): void {
    this.#sums.total = amount(this.#sums.total + total);
    this.#sums.unlocked = amount(this.#sums.unlocked + total);
    for (const { subaddress, total: own, unspentCount } of rows) {
      const at = this.#row(subaddress);
      if (at === undefined) continue;
      at.total = amount(at.total + own);
      at.unlocked = amount(at.unlocked + own);
      at.unspentOutputs += unspentCount;
    }
  }

  /** Locks an added output. @param wait time until it is unlocked [blocks; seconds]. */
  lock(
    subaddress: SubaddressIndex,
    value: Amount,
    wait: { readonly blocks: number; readonly seconds: number },
  ): void {
    for (const at of [this.#sums, this.#row(subaddress)]) {
      if (at === undefined) continue;
      at.unlocked = amount(at.unlocked - value);
      at.blocksToUnlock = Math.max(at.blocksToUnlock, wait.blocks);
      at.secondsToUnlock = Math.max(at.secondsToUnlock, wait.seconds);
    }
  }

  /**
   * Adds change or a payment of a transaction that is not mined, or subtracts an output of such a transaction that
   * another transaction spends.
   * @param value atomic units; negative if the amount is subtracted.
   */
  addUnconfirmed(subaddress: SubaddressIndex, value: bigint): void {
    this.#sums.total = atLeastZero(this.#sums.total + value);
    const at = this.#row(subaddress);
    if (at === undefined) return;
    at.total = atLeastZero(at.total + value);
    at.unconfirmed = atLeastZero(at.unconfirmed + value);
  }

  /** Returns the balance with its rows by account and address. */
  balance(): Balance {
    const addresses = [...this.#accounts.values()]
      .flatMap((rows) => [...rows.values()])
      .sort((a, b) => a.account - b.account || a.minor - b.minor);
    return { ...this.#sums, addresses };
  }

  #row({ major, minor: index }: SubaddressIndex): Writable<AddressBalance> | undefined {
    const minor = this.#rows === 'accounts' ? 0 : index;
    if (typeof this.#rows !== 'string' && !this.#rows({ major, minor })) return undefined;
    const rows = this.#accounts.get(major) ?? new Map<number, Writable<AddressBalance>>();
    if (rows.size === 0) this.#accounts.set(major, rows);
    const found = rows.get(minor) ?? emptyRow(major, minor);
    rows.set(minor, found);
    return found;
  }
}

/** A payment that another wallet with the same keys made counts at address 0; its outputs may be at other addresses. */
const atLeastZero = (value: bigint): Amount => (value < 0n ? ZERO : amount(value));

/** Returns a row with zero amounts, for an address without outputs. */
export const emptyRow = (account: number, minor: number): AddressBalance => ({
  account,
  minor,
  total: ZERO,
  unconfirmed: ZERO,
  unlocked: ZERO,
  unspentOutputs: 0,
  blocksToUnlock: 0,
  secondsToUnlock: 0,
});
