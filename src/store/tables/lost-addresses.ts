import type { SqlDatabase } from '../../util/sql-database.js';
import { MetaReader, MetaWriter } from './meta.js';

/**
 * Number of addresses that are left out before the first new addresses of an account. A wallet that is restored from
 * the seed looks for payments up to 200 addresses after the last paid address, so that as many further new addresses
 * may stay unpaid. Source: wallet2.cpp `SUBADDRESS_LOOKAHEAD_MINOR`.
 */
export const ADDRESS_GAP = 100;

/**
 * Number of accounts that are left out before the first new account, of the 50 accounts of the lookahead:
 * `SUBADDRESS_LOOKAHEAD_MAJOR`.
 */
export const ACCOUNT_GAP = 10;

/**
 * Reason why addresses may have been given out that the store does not know. `restored`: the store was made anew, from a
 * seed, from keys, or from a cache of the reference; `older copy`: it replaced a later state of itself.
 */
export type AddressLoss = 'restored' | 'older copy';

/** Caller that requests new addresses: a method of the reference, or a method that only this server has. */
export type AddressCaller = 'reference' | 'own';

/**
 * Place where addresses may have been given out: the next accounts of the wallet, or the next addresses of one account.
 */
type Place = 'accounts' | number;

interface State {
  readonly loss: AddressLoss;
  /**
   * First index after the gap that was left, by place, while the wallet lacks blocks; null once the wallet had all
   * blocks. Absent for a place without a gap.
   */
  readonly ends: { readonly [place: string]: number | null };
}

/** Reads the places where addresses may have been given out that the store does not know. */
export class LostAddressReader {
  readonly #db: SqlDatabase;
  readonly #meta: MetaReader;

  constructor(db: SqlDatabase) {
    this.#db = db;
    this.#meta = new MetaReader(db);
  }

  /**
   * Returns the number of addresses of an account, or of accounts, that must be left out before new ones.
   * @param count present number of addresses or accounts.
   */
  gapBefore(place: Place, count: number, caller: AddressCaller): number {
    const state = this.stateFor(caller);
    const end = state?.ends[place];
    if (state === undefined || end === null) return 0;
    const size = place === 'accounts' ? ACCOUNT_GAP : ADDRESS_GAP;
    if (end === undefined) return size;
    // Blocks that were read since then may pay addresses behind the gap, which were also lost.
    const last =
      place === 'accounts'
        ? this.#db.value<number | null>('SELECT max(account) FROM address_sum WHERE received > 0')
        : this.#db.value<number | null>(
            'SELECT max(minor) FROM address_sum WHERE account = ? AND received > 0',
            place,
          );
    const needed = (last ?? -1) + 1 + size;
    return needed > end ? Math.max(0, needed - count) : 0;
  }

  /** True if new addresses of an account must leave a gap, and no gap was left yet. */
  isUnknown(account: number, caller: AddressCaller): boolean {
    const state = this.stateFor(caller);
    return state !== undefined && state.ends[account] === undefined;
  }

  /** Returns the state if it concerns a caller; undefined otherwise. */
  protected stateFor(caller: AddressCaller): State | undefined {
    const text = this.#meta.get('lost_addresses');
    if (text === undefined) return undefined;
    const state = JSON.parse(text) as State;
    // Clients of the reference create the addresses of a restored wallet anew, in their order.
    return caller === 'reference' && state.loss === 'restored' ? undefined : state;
  }
}

/** Writes the places where gaps were left. As every writer, it exists only for the task of `WalletStore.write`. */
export class LostAddressWriter extends LostAddressReader {
  readonly #meta: MetaWriter;

  constructor(db: SqlDatabase) {
    super(db);
    this.#meta = new MetaWriter(db);
  }

  /** Records that any account may have given out addresses that the store does not know. */
  mark(loss: AddressLoss): void {
    this.#set({ loss, ends: {} });
  }

  /**
   * Records the gap that {@link gapBefore} asks for.
   * @param end first index after the gap. @param isComplete true if the wallet has all blocks: no payment to an address
   * behind the gap will be found.
   */
  leaveGap(place: Place, end: number, caller: AddressCaller, isComplete: boolean): void {
    const state = this.stateFor(caller);
    if (state === undefined || state.ends[place] === null) return;
    this.#set({ ...state, ends: { ...state.ends, [place]: isComplete ? null : end } });
  }

  #set(state: State): void {
    this.#meta.set('lost_addresses', JSON.stringify(state));
  }
}
