import { sum, type Amount } from '../../util/amount.js';
import { creditedOf } from '../../wallet/model/records.js';
import { blocksToUnlock, isUnlocked, secondsToUnlock } from '../../wallet/model/unlock-time.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import type { Accounts } from './accounts.js';
import { BalanceTally, emptyRow, type Balance } from './balance-tally.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'clock' | 'store'>;

/** Sibling services. */
interface Services {
  readonly accounts: Accounts;
}

/** Depth in blocks below the tip at which an output without an unlock time can still be locked, at most. */
const LOCK_WINDOW = 60;

/** Computes balances from the same rows as the history. */
export class Balances {
  readonly #context: Context;
  readonly #services: Services;
  /** Balances of the current store version, by account and strictness. */
  readonly #cache = new Map<string, Balance>();
  /** Sums of accounts of that version, without unconfirmed amounts: each is read from the rows of all its addresses. */
  readonly #sums = new Map<string, Amount>();
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
    const key = keyOf(account, strict);
    const balance = this.#known(account, strict) ?? this.#compute(account, strict);
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

  /**
   * Balance of an account that lists selected addresses only: in their order, also addresses without outputs. The other
   * addresses are part of the sums.
   * @param minors at least one.
   */
  ofAddresses(account: number, minors: readonly number[], strict: boolean): Balance {
    const isListed = new Set(minors);
    const known = this.#known(account, strict);
    const { addresses, ...sums } = known ?? this.#compute(account, strict, isListed);
    const rows = new Map(addresses.map((at) => [at.minor, at]));
    return { ...sums, addresses: [...isListed].map((minor) => rows.get(minor) ?? emptyRow(account, minor)) };
  }

  /** Cached balance; undefined if the store has changed since. */
  #known(account: number | undefined, strict: boolean): Balance | undefined {
    const { version } = this.#context.store;
    if (version !== this.#cacheVersion) {
      this.#cache.clear();
      this.#sums.clear();
    }
    this.#cacheVersion = version;
    return this.#cache.get(keyOf(account, strict));
  }

  /** Sum of the outputs of an account; to be called after {@link #known}. */
  #sumOf(r: WalletReader, account: number, strict: boolean): Amount {
    const key = keyOf(account, strict);
    const total = this.#sums.get(key) ?? r.balances.ofAccount(account, strict);
    this.#sums.set(key, total);
    return total;
  }

  /** @param listed addresses of the account with a row; absent: all. */
  #compute(account: number | undefined, strict: boolean, listed?: ReadonlySet<number>): Balance {
    const tally = new BalanceTally(listed);
    const chainHeight = this.#context.store.height();
    const now = this.#context.clock.now();
    this.#context.store.read((r) => {
      const place = account === undefined ? {} : { account };
      if (account === undefined || listed === undefined) {
        for (const found of r.balances.ofAddresses({ ...place, strict })) tally.add(found);
      } else {
        const rows = [...listed].flatMap(
          (minor) => r.balances.ofAddress({ major: account, minor }, strict) ?? [],
        );
        tally.addSum(this.#sumOf(r, account, strict), rows);
      }
      for (const found of r.imported.balances(account)) tally.add(found);
      const since = Math.max(0, chainHeight - LOCK_WINDOW - 1);
      const candidates = r.balances.maybeLocked({ ...place, strict, sinceHeight: since });
      for (const output of [...candidates, ...r.imported.unspent(account)])
        if (!isUnlocked(output, chainHeight, now))
          tally.lock(output.subaddress, output.amount, {
            blocks: blocksToUnlock(output, chainHeight),
            seconds: secondsToUnlock(output, now),
          });
      if (strict) return;
      for (const { txHash, account: major, change, destinations } of r.outgoing.list({
        states: ['prepared', 'pending'],
      })) {
        if (account !== undefined && major !== account) continue;
        // Undone by a reorganisation: its inputs still count, its change and payments do not.
        if (r.outputs.spentBy(txHash).length === 0) continue;
        // Change is paid to the first address, which is listed even if there is no change.
        tally.addUnconfirmed({ major, minor: 0 }, change);
        for (const { address, amount: paid } of destinations) {
          const own = this.#services.accounts.ownIndex(address);
          if (own?.major === major) tally.addUnconfirmed(own, paid);
        }
      }
      for (const { outputs } of r.pool.list(account))
        for (const output of outputs)
          if (account === undefined || output.subaddress.major === account)
            tally.addUnconfirmed(output.subaddress, creditedOf(output));
    });
    return tally.balance();
  }
}

const keyOf = (account: number | undefined, strict: boolean): string => `${account ?? 'all'} ${strict}`;
