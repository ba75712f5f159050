import type { Hash } from '../../monero/crypto/types.js';
import { toHex } from '../../util/bytes.js';
import type { Clock } from './chain.js';

/** Maximum number of recorded removals. */
const MAX_REMOVED = 10_000;

/** Log of transactions removed from the pool, for incremental answers to wallets. */
export class PoolLog {
  readonly #clock: Clock;
  #since: number;
  #present = new Map<string, Hash>();
  #removed: { readonly time: number; readonly hash: Hash }[] = [];

  constructor(clock: Clock, present: readonly Hash[]) {
    this.#clock = clock;
    this.#since = clock();
    this.#present = byName(present);
  }

  /** Records the removals since the last call. @param present all transactions in the pool. */
  update(present: readonly Hash[]): void {
    const now = byName(present);
    const time = this.#clock();
    for (const [name, hash] of this.#present) if (!now.has(name)) this.#removed.push({ time, hash });
    this.#present = now;
    const dropped = this.#removed.splice(0, Math.max(0, this.#removed.length - MAX_REMOVED));
    this.#since = dropped.at(-1)?.time ?? this.#since;
  }

  /** Transactions removed since a time [Unix s]; undefined when the log does not reach back that far. */
  removedSince(time: number): Hash[] | undefined {
    if (time <= this.#since) return undefined;
    return this.#removed.filter((entry) => entry.time >= time).map(({ hash }) => hash);
  }
}

const byName = (hashes: readonly Hash[]): Map<string, Hash> =>
  new Map(hashes.map((hash) => [toHex(hash), hash]));
