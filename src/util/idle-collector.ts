import { performance } from 'node:perf_hooks';
import { runInNewContext } from 'node:vm';
import { COLLECTION_FLAG, setV8Flags } from './v8-flags.js';

/** Utilization of the event loop up to which a thread counts as idle (0 to 1). */
const IDLE_UTILIZATION = 0.05;

/** Total busy time of idle intervals after which garbage is collected as well [s]. */
const SMALL_WORK = 1;

/**
 * Collects garbage once when a thread becomes idle after work, or after many small pieces of work. V8 itself collects
 * only when it needs memory, so that an idle process would keep the memory of a large answer or a refresh.
 */
export class IdleCollector {
  readonly #utilization: () => number;
  readonly #collect: () => void;
  readonly #interval: number;
  #worked = false;
  /** Total busy time of idle intervals since the last collection [s]. */
  #smallWork = 0;

  /**
   * @param utilization returns the busy share of the time since its last call (0 to 1). @param collect collects
   * garbage.
   * @param interval time between two checks [s].
   */
  constructor(utilization: () => number, collect: () => void, interval: number) {
    this.#utilization = utilization;
    this.#collect = collect;
    this.#interval = interval;
  }

  /** Checks whether to collect garbage; to be called after each interval. */
  check(): void {
    const utilization = this.#utilization();
    if (utilization > IDLE_UTILIZATION) {
      this.#worked = true;
      return;
    }
    this.#smallWork += utilization * this.#interval;
    if (!this.#worked && this.#smallWork < SMALL_WORK) return;
    this.#collect();
    this.#worked = false;
    this.#smallWork = 0;
  }
}

/**
 * Kind of collection: `last-resort` also returns free pages to the operating system, and takes twice as long as
 * `regular`.
 */
type Flavor = 'last-resort' | 'regular';

/**
 * Collects garbage whenever this thread becomes idle, and returns free memory to the operating system. Does not keep
 * the process alive.
 * @param interval time between two checks [s]. @param dropCaches called before each collection.
 */
export function collectWhenIdle(
  flavor: Flavor,
  interval: number,
  dropCaches: () => void = () => undefined,
): void {
  const collect = collectorOfV8(flavor);
  let last = performance.eventLoopUtilization();
  const collector = new IdleCollector(
    () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    () => {
      dropCaches();
      collect();
    },
    interval,
  );
  setInterval(() => collector.check(), 1000 * interval).unref();
}

/** Returns V8's full garbage collection; a function without effect if this V8 does not expose it. */
function collectorOfV8(flavor: Flavor): () => void {
  // Only a context that is created after the flag was set has the function `gc`.
  setV8Flags([COLLECTION_FLAG]);
  const gc = runInNewContext("typeof gc === 'function' ? gc : () => undefined") as (options: object) => void;
  return () => gc({ type: 'major', execution: 'sync', flavor });
}
