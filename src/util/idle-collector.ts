import { performance } from 'node:perf_hooks';
import { runInNewContext } from 'node:vm';
import { COLLECTION_FLAG, setV8Flags } from './v8-flags.js';

/** Highest utilization of the event loop at which a thread counts as idle. */
const IDLE_UTILIZATION = 0.05;

/** Busy time of idle intervals after which garbage is collected too [s]. */
const SMALL_WORK = 1;

/**
 * Collects garbage once when a thread becomes idle after work, or after much work in small parts. V8 collects only when it needs memory: without this an
 * idle process would keep the memory of a large answer or a refresh.
 */
export class IdleCollector {
  readonly #utilization: () => number;
  readonly #collect: () => void;
  readonly #interval: number;
  #worked = false;
  /** Busy time of idle intervals since the last collection [s]. */
  #smallWork = 0;

  /** @param utilization share of busy time since its last call, 0 to 1. @param interval between two checks [s]. */
  constructor(utilization: () => number, collect: () => void, interval: number) {
    this.#utilization = utilization;
    this.#collect = collect;
    this.#interval = interval;
  }

  /** Called after each interval. */
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

/** `last-resort` also returns free pages to the system, and takes twice as long as `regular`. */
type Flavor = 'last-resort' | 'regular';

/**
 * Collects garbage whenever this thread becomes idle, and returns free memory to the system. Does not keep the process
 * alive.
 * @param interval time between two checks [s]. @param dropCaches runs before each collection.
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

/** @returns V8's full garbage collection, or a function without effect if this V8 does not expose it. */
function collectorOfV8(flavor: Flavor): () => void {
  // A context has `gc` only if it was created after the flag was set.
  setV8Flags([COLLECTION_FLAG]);
  const gc = runInNewContext("typeof gc === 'function' ? gc : () => undefined") as (options: object) => void;
  return () => gc({ type: 'major', execution: 'sync', flavor });
}
