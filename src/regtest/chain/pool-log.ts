import type { Hash } from '../../crypto/types.js';
import { toHex } from '../../util/bytes.js';
import type { Clock } from './chain.js';

/** Leavings remembered at most. */
const KEPT = 10_000;

/** Which transactions left the pool, so that a wallet that asks again need not be told everything. */
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

  /** To be told after every change. @param present all that is in the pool now. */
  note(present: readonly Hash[]): void {
    const now = byName(present);
    const time = this.#clock();
    for (const [name, hash] of this.#present) if (!now.has(name)) this.#removed.push({ time, hash });
    this.#present = now;
    const dropped = this.#removed.splice(0, Math.max(0, this.#removed.length - KEPT));
    this.#since = dropped.at(-1)?.time ?? this.#since;
  }

  /** What left since a time, in Unix seconds; undefined where that is not known any more. */
  removedSince(time: number): Hash[] | undefined {
    if (time <= this.#since) return undefined;
    return this.#removed.filter((entry) => entry.time >= time).map(({ hash }) => hash);
  }
}

const byName = (hashes: readonly Hash[]): Map<string, Hash> =>
  new Map(hashes.map((hash) => [toHex(hash), hash]));
