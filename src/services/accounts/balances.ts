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

/** What one address holds. */
export interface AddressBalance {
  readonly account: number;
  readonly minor: number;
  readonly total: Amount;
  /** Of the total, the part that unconfirmed transactions bring: change, and payments to the address. */
  readonly unconfirmed: Amount;
  readonly unlocked: Amount;
  readonly unspentOutputs: number;
  readonly blocksToUnlock: number;
  readonly secondsToUnlock: number;
}

/** Sums over addresses. */
export interface Balance {
  readonly total: Amount;
  readonly unlocked: Amount;
  readonly blocksToUnlock: number;
  readonly secondsToUnlock: number;
  readonly addresses: readonly AddressBalance[];
}

type Row = { -readonly [K in keyof AddressBalance]: AddressBalance[K] };

/** Furthest below the tip at which an output without an unlock time can still be locked. */
const LOCK_WINDOW = 60;

/** What the wallet holds, from the same rows as its history. */
export class Balances {
  readonly #context: Context;
  readonly #services: Services;
  /** Of the store as it stands, by what was asked. */
  readonly #known = new Map<string, Balance>();
  #knownVersion = 0;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * @param account undefined is every account.
   * @param strict counts confirmed outputs only, and outputs spent by unconfirmed payments as ours still.
   * Source: wallet2.cpp `balance_per_subaddress`, `unlocked_balance_per_subaddress`.
   */
  of(account: number | undefined, strict: boolean): Balance {
    const { version } = this.#context.store;
    if (version !== this.#knownVersion) this.#known.clear();
    this.#knownVersion = version;
    const asked = `${account ?? 'all'} ${strict}`;
    const balance = this.#known.get(asked) ?? this.#count(account, strict);
    // A lock by time opens without a change to the store.
    if (balance.secondsToUnlock === 0) this.#known.set(asked, balance);
    return balance;
  }

  /**
   * Atomic units that unconfirmed transactions bring to an account.
   * @param minors empty: to every address of it.
   */
  unconfirmed(account: number, minors: readonly number[]): Amount {
    const { addresses } = this.of(account, false);
    const wanted = addresses.filter(({ minor }) => minors.length === 0 || minors.includes(minor));
    return sum(wanted.map(({ unconfirmed }) => unconfirmed));
  }

  #count(account: number | undefined, strict: boolean): Balance {
    const accounts = new Map<number, Map<number, Row>>();
    const row = (major: number, minor: number): Row => {
      const rows = accounts.get(major) ?? new Map<number, Row>();
      if (rows.size === 0) accounts.set(major, rows);
      const known = rows.get(minor) ?? emptyRow(major, minor);
      rows.set(minor, known);
      return known;
    };
    const chainHeight = this.#context.store.height();
    const now = this.#context.clock.now();
    this.#context.store.read((r) => {
      const place = account === undefined ? {} : { account };
      for (const held of [...r.balances.ofAddresses({ ...place, strict }), ...r.imported.balances(account)]) {
        const at = row(held.subaddress.major, held.subaddress.minor);
        at.total = held.total;
        at.unlocked = held.total;
        at.unspentOutputs = held.unspentCount;
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
        // Undone by a reorganisation: what it takes counts still, what it gives does not.
        if (r.outputs.spentBy(txHash).length === 0) continue;
        // Its change comes to the first address, which is listed even where there is none.
        bring(row(major, 0), change);
        for (const { address, amount: paid } of destinations) {
          const own = this.#services.accounts.ownIndex(address);
          if (own?.major === major) bring(row(major, own.minor), paid);
        }
      }
      for (const { outputs } of r.pool.list(account))
        for (const output of outputs) {
          const { subaddress } = output;
          if (account !== undefined && subaddress.major !== account) continue;
          bring(row(subaddress.major, subaddress.minor), creditedOf(output));
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

function bring(row: Row, value: Amount): void {
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
