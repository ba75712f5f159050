import { setFlagsFromString } from 'node:v8';
import { performance } from 'node:perf_hooks';
import { runInNewContext } from 'node:vm';

/**
 * Flags of V8 that a server sets when it starts, each with its gain in a wallet of 10,000 payments. `bin/wallet-rpc`
 * sets `--max-semi-space-size=4`, an option of Node.js that applies from the first allocation on: 113 MiB at the peak
 * in place of 150.
 */
export const SERVER_FLAGS = [
  // Collects a heap once it has grown by half; by default V8 lets it grow up to four times: 113 MiB at the peak in place
  // of 127.
  '--heap-growing-percent=50',
] as const;

/**
 * Flag that gives every context created afterwards the function `gc`, with which an idle thread collects garbage. After 75 s
 * of rest a server holds 49.1 MiB with a wallet of 1,000 payments, 50.5 without these collections; with a new wallet 48.1
 * and 47.3 (`Anonymous` of `/proc/PID/smaps_rollup`, medians of 3 by turns, Node.js 26, on a busy machine).
 */
export const COLLECTION_FLAG = '--expose-gc';

/**
 * Newest version of V8, major and minor, that was checked to have all flags in this file. Source: `node --v8-options`.
 */
const CHECKED_VERSION = '14.6';

const numbersOf = (version: string): [major: number, minor: number] => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return [major, minor];
};

/**
 * True if a V8 version is not newer than a given version. Only major and minor numbers are compared.
 * @param version version of V8, such as 11.3.244.8-node.38. @param last newest version that is accepted, such as 14.6.
 */
export function isUpTo(version: string, last: string): boolean {
  const [major, minor] = numbersOf(version);
  const [lastMajor, lastMinor] = numbersOf(last);
  return major < lastMajor || (major === lastMajor && minor <= lastMinor);
}

/** True if the running V8 is known to have the flags in this file; V8 itself cannot be asked for them. */
export const hasKnownFlags = (version: string = process.versions.v8): boolean =>
  isUpTo(version, CHECKED_VERSION);

/** Sets flags of V8, unless the running V8 may lack them: it prints an error for an unknown flag. */
export function setV8Flags(flags: readonly string[], version?: string): void {
  if (hasKnownFlags(version)) for (const flag of flags) setFlagsFromString(flag);
}

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
