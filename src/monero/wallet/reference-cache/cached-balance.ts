import type { SubaddressIndex } from '../../cryptonote/types.js';
import { amount, U64_MAX, ZERO } from '../../../util/amount.js';
import { toHex } from '../../../util/bytes.js';
import type { TransferDetails } from '../exchange/transfer-details.js';
import type { CachedBalance, CachedBalances } from './imported-wallet.js';
import { blocksToUnlock, isUnlocked } from '../../cryptonote/unlock-time.js';
import type { ReferenceCache } from './cache.js';
import { hasFailed } from './payments.js';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Returns the number of blocks that the cache knows. */
export const cachedHeight = ({ chain }: Pick<ReferenceCache, 'chain'>): number =>
  chain.offset + chain.hashes.length;

/** Balances by address, to which amounts are added. */
class Sums {
  readonly #rows = new Map<string, Writable<CachedBalance>>();

  row({ major, minor }: SubaddressIndex): Writable<CachedBalance> {
    const name = `${major} ${minor}`;
    const row = this.#rows.get(name) ?? {
      ...{ subaddress: { major, minor }, total: ZERO, locked: ZERO, unconfirmed: ZERO },
      ...{ unspentCount: 0, blocksToUnlock: 0 },
    };
    this.#rows.set(name, row);
    return row;
  }

  addUnconfirmed(index: SubaddressIndex, value: bigint): void {
    const row = this.row(index);
    row.unconfirmed = amount(row.unconfirmed + value);
  }

  get rows(): readonly CachedBalance[] {
    return [...this.#rows.values()];
  }
}

/**
 * Returns true if an output is spent in a block. All other outputs belong to the balance, because the import forgets
 * unmined payments.
 */
export const isSpentInBlock = ({ spent, spentHeight }: TransferDetails): boolean => spent && spentHeight > 0;

/**
 * Computes the balances that the reference shows from a cache without asking a daemon. Locks are evaluated at the last
 * block of the cache; a lock by time counts as closed. Source: wallet2.cpp `balance_per_subaddress`,
 * `unlocked_balance_per_subaddress`.
 */
export function cachedBalances(cache: ReferenceCache): CachedBalances {
  const height = cachedHeight(cache);
  const sumsOf = (isSpent: (output: TransferDetails) => boolean): Sums => {
    const sums = new Sums();
    for (const output of cache.transfers) {
      if (output.frozen || isSpent(output)) continue;
      const row = sums.row(output.subaddress);
      const lock = { height: output.height, unlockTime: output.tx.unlockTime };
      row.total = amount(row.total + output.amount);
      row.unspentCount += 1;
      if (isUnlocked(lock, height, 0)) continue;
      row.locked = amount(row.locked + output.amount);
      row.blocksToUnlock = Math.max(row.blocksToUnlock, blocksToUnlock(lock, height));
    }
    return sums;
  };
  const all = sumsOf(({ spent }) => spent);
  const strict = sumsOf(isSpentInBlock);
  addUnmined(all, cache);
  return { height, all: all.rows, strict: strict.rows };
}

function addUnmined(sums: Sums, cache: ReferenceCache): void {
  const own = new Map(cache.subaddresses.map(([key, index]) => [toHex(key), index]));
  for (const [, paid] of cache.unconfirmed) {
    if (hasFailed(paid)) continue;
    sums.addUnconfirmed({ major: paid.account, minor: 0 }, paid.change === U64_MAX ? 0n : paid.change);
    for (const { address, amount: value } of paid.destinations) {
      const index = own.get(toHex(address.spendPublicKey));
      if (index?.major === paid.account) sums.addUnconfirmed(index, value);
    }
  }
  for (const [, { payment }] of cache.poolPayments) sums.addUnconfirmed(payment.subaddress, payment.amount);
}
