import type { Hash } from '../../monero/crypto/types.js';
import { toHex } from '../../util/bytes.js';
import { unixSeconds, type TimeOfDay } from '../../util/clock.js';

/** Largest number of removals that are kept. */
const MAX_REMOVED = 10_000;

/** Log of the transactions that were removed from the pool, from which wallets get incremental answers. */
export class PoolLog {
  readonly #clock: TimeOfDay;
  #since: number;
  #present = new Map<string, Hash>();
  #removed: { readonly time: number; readonly hash: Hash }[] = [];

  constructor(clock: TimeOfDay, present: readonly Hash[]) {
    this.#clock = clock;
    this.#since = unixSeconds(clock);
    this.#present = byName(present);
  }

  /**
   * Records which transactions were removed since the last call.
   * @param present hashes of all transactions in the pool.
   */
  update(present: readonly Hash[]): void {
    const now = byName(present);
    const time = unixSeconds(this.#clock);
    for (const [name, hash] of this.#present) if (!now.has(name)) this.#removed.push({ time, hash });
    this.#present = now;
    const dropped = this.#removed.splice(0, Math.max(0, this.#removed.length - MAX_REMOVED));
    this.#since = dropped.at(-1)?.time ?? this.#since;
  }

  /**
   * Returns the transactions that were removed since a time [Unix s]; undefined if the log does not reach back that
   * far.
   */
  removedSince(time: number): Hash[] | undefined {
    if (time <= this.#since) return undefined;
    return this.#removed.filter((entry) => entry.time >= time).map(({ hash }) => hash);
  }
}

const byName = (hashes: readonly Hash[]): Map<string, Hash> =>
  new Map(hashes.map((hash) => [toHex(hash), hash]));
