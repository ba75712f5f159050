import { amount, sum, ZERO, type Amount } from '../../util/amount.js';
import { creditedOf } from '../../wallet/model/records.js';
import { blocksToUnlock, isUnlocked, secondsToUnlock } from '../../wallet/model/unlock-time.js';
import type { Accounts } from './accounts.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'clock' | 'store'>;

/** Sibling services. */
interface Services {
  readonly accounts: Accounts;
}

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

type Row = { -readonly [K in keyof AddressBalance]: AddressBalance[K] };

/** Depth in blocks below the tip at which an output without an unlock time can still be locked, at most. */
const LOCK_WINDOW = 60;

/** Computes balances from the same rows as the history. */
export class Balances {
  readonly #context: Context;
  readonly #services: Services;
  /** Balances of the current store version, by account and strictness. */
  readonly #cache = new Map<string, Balance>();
  #cacheVersion = 0;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * @param account undefined: every account.
   * @param strict counts confirmed outputs only; those spent by unconfirmed payments still count.
   * Source: wallet2.cpp `balance_per_subaddress`, `unlocked_balance_per_subaddress`.
   */
  of(account: number | undefined, strict: boolean): Balance {
    const { version } = this.#context.store;
    if (version !== this.#cacheVersion) this.#cache.clear();
    this.#cacheVersion = version;
    const key = `${account ?? 'all'} ${strict}`;
    const balance = this.#cache.get(key) ?? this.#compute(account, strict);
    // Not cached with a lock by time, which ends without a change of the store.
    if (balance.secondsToUnlock === 0) this.#cache.set(key, balance);
    return balance;
  }

  /**
   * Sum of unconfirmed change and payments to an account [atomic units].
   * @param minors empty: every address of it.
   */
  unconfirmed(account: number, minors: readonly number[]): Amount {
    const { addresses } = this.of(account, false);
    const wanted = addresses.filter(({ minor }) => minors.length === 0 || minors.includes(minor));
    return sum(wanted.map(({ unconfirmed }) => unconfirmed));
  }

  #compute(account: number | undefined, strict: boolean): Balance {
    const accounts = new Map<number, Map<number, Row>>();
    const row = (major: number, minor: number): Row => {
      const rows = accounts.get(major) ?? new Map<number, Row>();
      if (rows.size === 0) accounts.set(major, rows);
      const found = rows.get(minor) ?? emptyRow(major, minor);
      rows.set(minor, found);
      return found;
    };
    const chainHeight = this.#context.store.height();
    const now = this.#context.clock.now();
    this.#context.store.read((r) => {
      const place = account === undefined ? {} : { account };
      for (const balance of [
        ...r.balances.ofAddresses({ ...place, strict }),
        ...r.imported.balances(account),
      ]) {
        const at = row(balance.subaddress.major, balance.subaddress.minor);
        at.total = amount(at.total + balance.total);
        at.unlocked = at.total;
        at.unspentOutputs += balance.unspentCount;
      }
      const since = Math.max(0, chainHeight - LOCK_WINDOW - 1);
      const candidates = r.balances.maybeLocked({ ...place, strict, sinceHeight: since });
      for (const output of [...candidates, ...r.imported.unspent(account)]) {
        if (isUnlocked(output, chainHeight, now)) continue;
        const at = row(output.subaddress.major, output.subaddress.minor);
        at.unlocked = amount(at.unlocked - output.amount);
        at.blocksToUnlock = Math.max(at.blocksToUnlock, blocksToUnlock(output, chainHeight));
        at.secondsToUnlock = Math.max(at.secondsToUnlock, secondsToUnlock(output, now));
      }
      if (strict) return;
      for (const { txHash, account: major, change, destinations } of r.outgoing.list({
        states: ['prepared', 'pending'],
      })) {
        if (account !== undefined && major !== account) continue;
        // Undone by a reorganisation: its inputs still count, its change and payments do not.
        if (r.outputs.spentBy(txHash).length === 0) continue;
        // Change is paid to the first address, which is listed even if there is no change.
        addUnconfirmed(row(major, 0), change);
        for (const { address, amount: paid } of destinations) {
          const own = this.#services.accounts.ownIndex(address);
          if (own?.major === major) addUnconfirmed(row(major, own.minor), paid);
        }
      }
      for (const { outputs } of r.pool.list(account))
        for (const output of outputs) {
          const { subaddress } = output;
          if (account !== undefined && subaddress.major !== account) continue;
          addUnconfirmed(row(subaddress.major, subaddress.minor), creditedOf(output));
        }
    });
    const addresses = [...accounts.values()]
      .flatMap((rows) => [...rows.values()])
      .sort((a, b) => a.account - b.account || a.minor - b.minor);
    return {
      total: sum(addresses.map(({ total }) => total)),
      unlocked: sum(addresses.map(({ unlocked }) => unlocked)),
      blocksToUnlock: addresses.reduce((most, at) => Math.max(most, at.blocksToUnlock), 0),
      secondsToUnlock: addresses.reduce((most, at) => Math.max(most, at.secondsToUnlock), 0),
      addresses,
    };
  }
}

function addUnconfirmed(row: Row, value: Amount): void {
  row.total = amount(row.total + value);
  row.unconfirmed = amount(row.unconfirmed + value);
}

export const emptyRow = (account: number, minor: number): Row => ({
  account,
  minor,
  total: ZERO,
  unconfirmed: ZERO,
  unlocked: ZERO,
  unspentOutputs: 0,
  blocksToUnlock: 0,
  secondsToUnlock: 0,
});
