import { creditedOf, type PoolTx } from '../../monero/wallet/scan/findings.js';
import type { OutgoingTx } from '../../monero/wallet/build/outgoing-tx.js';
import { unixSeconds } from '../../util/clock.js';
import { CachedRead, type VersionedStore } from '../../store/cached-read.js';
import { addressesOf } from '../../store/tables/balances.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import { sum, type Amount } from '../../util/amount.js';
import {
  blocksToUnlock,
  isUnlocked,
  lockableHeights,
  secondsToUnlock,
  type Lockable,
} from '../../monero/cryptonote/unlock-time.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { Accounts } from './accounts.js';
import { BalanceTally, emptyRow, type Adjusted, type Balance } from './balance-tally.js';
import { PagedBalance } from './paged-balance.js';
import { UnlockTimes } from './unlock-times.js';
import type { WalletContext } from '../context/wallet-context.js';
import { readCachedBalances } from '../../store/import-wallet.js';
import type { CachedBalances } from '../../monero/wallet/reference-cache/imported-wallet.js';
import type { LostInput } from '../../store/tables/lost-inputs.js';
import { equalBytes, toHex } from '../../util/bytes.js';

type Context = Pick<WalletContext, 'assertOpen' | 'clock' | 'store'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly accounts: Accounts;
}

/** Lock of an imported output: an offline wallet does not know its block. */
const IMPORTED: Lockable = { height: 0, unlockTime: 0n };

/** Number of rows up to which a balance is computed in one step. */
const MAX_ROWS_AT_ONCE = 1000;

/** Number up to which the rows of a balance are counted; a balance with more rows counts as having this number. */
const MAX_COUNTED_ROWS = 20_000;

/** Computes balances from the same rows as the history. */
export class Balances {
  /** Times at which locked money is unlocked. */
  readonly unlockTimes: UnlockTimes;
  readonly #context: Context;
  readonly #services: Services;
  readonly #rowsAtOnce: number;
  readonly #imported: ImportedBalance;
  /** Number of blocks of the chain when the wallet arrived here; 0 without a history, infinite until it is known. */
  readonly #arrival: CachedRead<number>;
  /** Balances of the current store version, by account and strictness. */
  readonly #cache = new Map<string, Balance>();
  #cacheVersion = 0;
  /** Paged balances, by the account sums that they were made from. */
  readonly #paged = new WeakMap<Balance, PagedBalance>();

  /** @param rowsAtOnce number of rows up to which a balance is computed in one step. */
  constructor(context: Context, services: Services, rowsAtOnce = MAX_ROWS_AT_ONCE) {
    this.#context = context;
    this.#services = services;
    this.#rowsAtOnce = rowsAtOnce;
    this.unlockTimes = new UnlockTimes(context);
    this.#imported = new ImportedBalance(context.store);
    this.#arrival = new CachedRead(context.store, (r) => r.events.arrivalHeight());
  }

  /**
   * Returns the balance with a row for each address that has outputs or unconfirmed amounts.
   * @param account undefined: every account.
   * @param strict counts confirmed outputs only; outputs spent by unconfirmed payments still count. Source: wallet2.cpp
   * `balance_per_subaddress`, `unlocked_balance_per_subaddress`.
   */
  of(account: number | undefined, strict: boolean): Balance {
    return this.#cached(account, strict, 'addresses');
  }

  /**
   * Returns the total and the unlocked balance of each account that has outputs or unconfirmed amounts, by account
   * index.
   */
  ofAccounts(strict: boolean): ReadonlyMap<number, Pick<Balance, 'total' | 'unlocked'>> {
    return new Map(this.#cached(undefined, strict, 'accounts').addresses.map((sums) => [sums.account, sums]));
  }

  /** Returns the unlocked balance of an account [atomic units], without a look at unconfirmed payments, which are locked. */
  unlocked(account: number): Amount {
    if (this.#imported.balances !== undefined) return this.#compute(account, false, 'accounts').unlocked;
    const tally = new BalanceTally(() => false);
    this.#context.store.read((r) => {
      for (const { total } of r.balances.ofAccounts({ account, strict: false })) tally.addSum(total, []);
      this.#lock(tally, r, account, false);
    });
    return tally.balance().unlocked;
  }

  /**
   * Returns a balance that reads its rows page by page, if there are many rows. Without `minors`, the balance is the
   * same object until the store changes.
   * @param account undefined: every account.
   * @param minors minor indices of the listed addresses of one account; absent: the addresses that {@link of} lists.
   * @returns undefined if the balance has few rows.
   */
  paged(account: number | undefined, strict: boolean, minors?: readonly number[]): PagedBalance | undefined {
    if (this.#imported.balances !== undefined) return undefined;
    const range = addressesOf(account);
    const count =
      minors?.length ??
      this.#context.store.read((r) => r.balances.countUpTo(MAX_COUNTED_ROWS, range, strict));
    if (count <= this.#rowsAtOnce) return undefined;
    const sums = this.#cached(account, strict, 'accounts');
    const known = minors === undefined ? this.#paged.get(sums) : undefined;
    if (known !== undefined) return known;
    const balance = new PagedBalance(this.#context, {
      ...{ account, strict, minors, sums },
      adjust: (tally, r) => this.#adjust(tally, r, account, strict),
    });
    if (minors === undefined) this.#paged.set(sums, balance);
    return balance;
  }

  /**
   * Adds up unconfirmed change and payments to an account [atomic units].
   * @param minors counted addresses by minor index; empty: all addresses of the account.
   */
  unconfirmed(account: number, minors: readonly number[]): Amount {
    const wanted = new Set(minors);
    const tally = new BalanceTally(({ minor }) => wanted.size === 0 || wanted.has(minor));
    const imported = this.#imported.balances;
    if (imported !== undefined) addCached(tally, imported, account, false);
    else this.#context.store.read((r) => this.#addUnconfirmed(tally, r, account));
    return sum(tally.balance().addresses.map(({ unconfirmed }) => unconfirmed));
  }

  /**
   * Returns the balance of an account with a row for each selected address, also for an address without outputs, in the
   * order of `minors`. The sums contain all addresses of the account.
   * @param minors minor indices, at least one.
   */
  ofAddresses(account: number, minors: readonly number[], strict: boolean): Balance {
    const isListed = new Set(minors);
    const known = this.#known(keyOf(account, strict, 'addresses'));
    const { addresses, ...sums } = known ?? this.#compute(account, strict, isListed);
    const rows = new Map(addresses.map((at) => [at.minor, at]));
    return { ...sums, addresses: [...isListed].map((minor) => rows.get(minor) ?? emptyRow(account, minor)) };
  }

  #cached(account: number | undefined, strict: boolean, rows: 'addresses' | 'accounts'): Balance {
    const key = keyOf(account, strict, rows);
    const balance = this.#known(key) ?? this.#compute(account, strict, rows);
    // A balance with a lock by time is not cached, because such a lock ends without a change of the store.
    if (balance.secondsToUnlock === 0) this.#cache.set(key, balance);
    return balance;
  }

  /** Returns a cached balance; undefined if the store has changed since. */
  #known(key: string): Balance | undefined {
    const { version } = this.#context.store;
    if (version !== this.#cacheVersion) this.#cache.clear();
    this.#cacheVersion = version;
    return this.#cache.get(key);
  }

  /** True once the blocks up to the arrival of a wallet with a history are scanned. */
  get isScanned(): boolean {
    return this.#context.store.height() >= this.#arrival.value;
  }

  /** Computes a balance from the store. @param rows a set: minor indices of the addresses that get a row. */
  #compute(
    account: number | undefined,
    strict: boolean,
    rows: 'addresses' | 'accounts' | ReadonlySet<number>,
  ): Balance {
    const tally = new BalanceTally(typeof rows === 'string' ? rows : ({ minor }) => rows.has(minor));
    const imported = this.#imported.balances;
    if (imported !== undefined) {
      addCached(tally, imported, account, strict);
      return tally.balance();
    }
    this.#context.store.read((r) => {
      const place = account === undefined ? {} : { account };
      if (rows === 'addresses')
        for (const found of r.balances.ofAddresses({ ...place, strict })) tally.add(found);
      else
        for (const { account: major, total } of r.balances.ofAccounts({ ...place, strict })) {
          const at = (minor: number) => ({ major, minor });
          const listed =
            rows === 'accounts'
              ? [{ subaddress: at(0), total, unspentCount: 0 }]
              : [...rows].flatMap((minor) => r.balances.ofAddress(at(minor), strict) ?? []);
          tally.addSum(total, listed);
        }
      this.#adjust(tally, r, account, strict);
    });
    return tally.balance();
  }

  /** Adds imported, locked and unconfirmed amounts to the sums of the store. */
  #adjust(tally: Adjusted, r: WalletReader, account: number | undefined, strict: boolean): void {
    this.#lock(tally, r, account, strict);
    if (!strict) this.#addUnconfirmed(tally, r, account);
  }

  /** Adds imported and locked amounts to the sums of the store. */
  #lock(tally: Adjusted, r: WalletReader, account: number | undefined, strict: boolean): void {
    const chainHeight = this.#context.store.height();
    const now = unixSeconds(this.#context.clock);
    const candidates = r.balances.maybeLocked({
      ...(account === undefined ? {} : { account }),
      ...{ strict, ...lockableHeights(chainHeight) },
    });
    const lockUntilOpen = (output: Lockable, subaddress: SubaddressIndex, value: Amount): void => {
      if (!isUnlocked(output, chainHeight, now))
        tally.lock(subaddress, value, {
          blocks: blocksToUnlock(output, chainHeight),
          seconds: secondsToUnlock(output, now),
        });
    };
    for (const output of candidates) lockUntilOpen(output, output.subaddress, output.amount);
    for (const found of r.imported.balances(account)) {
      tally.add(found);
      lockUntilOpen(IMPORTED, found.subaddress, found.total);
    }
  }

  /** Adds change and payments of transactions that are not mined yet. */
  #addUnconfirmed(tally: Adjusted, r: WalletReader, account: number | undefined): void {
    const ownIndex = (address: string) => this.#services.accounts.ownIndex(address);
    for (const { subaddress, value } of unconfirmedAmounts(r, account, ownIndex))
      tally.addUnconfirmed(subaddress, value);
  }
}

const keyOf = (account: number | undefined, strict: boolean, rows: string): string =>
  `${account ?? 'all'} ${strict} ${rows}`;

/** Balance in the imported cache of the reference, shown until the wallet has reached the daemon's tip. */
class ImportedBalance {
  readonly #text: CachedRead<string | undefined>;
  /** Stored text that was read last, with the balances decoded from it. */
  #read: { readonly text: string; readonly balances: CachedBalances } | undefined;

  constructor(store: VersionedStore) {
    this.#text = new CachedRead(store, (r) => r.meta.get('imported_balances'));
  }

  /**
   * Balances of the imported cache; undefined for a wallet that was not imported, and after the wallet has reached the
   * tip.
   */
  get balances(): CachedBalances | undefined {
    const text = this.#text.value;
    if (text === undefined) this.#read = undefined;
    else if (this.#read?.text !== text) this.#read = { text, balances: readCachedBalances(text) };
    return this.#read?.balances;
  }
}

/** Adds balances of a cache to a tally. @param account undefined: every account. */
function addCached(
  tally: BalanceTally,
  { all, strict: mined }: CachedBalances,
  account: number | undefined,
  strict: boolean,
): void {
  for (const found of strict ? mined : all) {
    const { subaddress, locked, unconfirmed } = found;
    if (account !== undefined && subaddress.major !== account) continue;
    tally.add(found);
    if (locked > 0n) tally.lock(subaddress, locked, { blocks: found.blocksToUnlock, seconds: 0 });
    if (unconfirmed > 0n) tally.addUnconfirmed(subaddress, unconfirmed);
  }
}

/** Part of the balance of an address that comes from a transaction which is not mined. */
interface UnconfirmedAmount {
  readonly subaddress: SubaddressIndex;
  /**
   * Amount in atomic units; negative for an output of an unmined transaction that another unmined transaction spends.
   */
  readonly value: bigint;
}

/** Returns whether a payment counts in the balance; see {@link unconfirmedAmounts}. */
type Counts = (payment: OutgoingTx) => boolean;

/**
 * Returns the function that decides which of some payments count; it takes no time in a wallet without lost inputs.
 * @param lost inputs that reorganisations took from payments, by the hash of the payment in hex.
 */
function countsBy(
  r: WalletReader,
  payments: readonly OutgoingTx[],
  pool: readonly PoolTx[],
  lost: ReadonlyMap<string, readonly LostInput[]>,
): Counts {
  const counted = new Map<string, boolean>();
  const isHeld =
    (major: number) =>
    ({ txHash, outputIndex, subaddress }: LostInput): boolean => {
      if (subaddress.major !== major) return false;
      const pooled = pool.find((tx) => equalBytes(tx.txHash, txHash));
      if (pooled?.outputs.some((output) => output.outputIndex === outputIndex) === true) return true;
      const parent = payments.find((payment) => equalBytes(payment.txHash, txHash));
      return parent?.account === major && counts(parent);
    };
  const counts: Counts = ({ txHash, account: major }) => {
    const key = toHex(txHash);
    const inputs = lost.get(key);
    if (inputs === undefined) return r.outputs.spentBy(txHash).length > 0;
    const result = counted.get(key) ?? inputs.every(isHeld(major));
    counted.set(key, result);
    return result;
  };
  return counts;
}

/**
 * Lists change, payments to own addresses and payments from the mempool. A payment counts while its inputs belong to
 * the wallet: outputs that the payment reserves, or outputs that a reorganisation took out of a block and that come
 * from other transactions which count; outputs of the second kind are subtracted. The inputs of a payment that does not
 * count still belong to the wallet.
 * @param account undefined: every account.
 * @param ownIndex finds the subaddress of an address of this wallet.
 */
function unconfirmedAmounts(
  r: WalletReader,
  account: number | undefined,
  ownIndex: (address: string) => SubaddressIndex | undefined,
): UnconfirmedAmount[] {
  const payments = r.outgoing.list({ states: ['prepared', 'pending'] });
  const lost = Map.groupBy(r.lostInputs.list(), ({ payment }) => toHex(payment));
  const pool = r.pool.list(account);
  const counts = countsBy(r, payments, pool, lost);
  const amounts: UnconfirmedAmount[] = [];
  for (const payment of payments) {
    const { txHash, account: major, change, destinations } = payment;
    if (account !== undefined && major !== account) continue;
    if (!counts(payment)) {
      for (const { subaddress, amount } of r.outputs.spentBy(txHash))
        amounts.push({ subaddress, value: amount });
      continue;
    }
    // Change is paid to address 0, which gets a row even if the change is zero.
    amounts.push({ subaddress: { major, minor: 0 }, value: change });
    for (const { address, amount } of destinations) {
      const own = ownIndex(address);
      if (own?.major === major) amounts.push({ subaddress: own, value: amount });
    }
    for (const { subaddress, amount } of lost.get(toHex(txHash)) ?? [])
      amounts.push({ subaddress, value: -amount });
  }
  for (const { outputs } of pool)
    for (const output of outputs)
      if (account === undefined || output.subaddress.major === account)
        amounts.push({ subaddress: output.subaddress, value: creditedOf(output) });
  // Amounts that are subtracted come last, so that no sum is negative meanwhile.
  return amounts.sort((a, b) => Number(a.value < 0n) - Number(b.value < 0n));
}
