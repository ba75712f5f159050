import { performance } from 'node:perf_hooks';
import { runInNewContext } from 'node:vm';
import { setV8Flag } from './v8-flags.js';

/** Share of its time that a thread may be at work and still counts as idle. */
const IDLE_SHARE = 0.05;

const SECONDS = 5;

/**
 * Collects garbage once after each spell of work. V8 does so only where something needs the room: what a large
 * answer or a refresh took would stay taken for as long as nothing happens.
 */
export class IdleCollector {
  readonly #share: () => number;
  readonly #collect: () => void;
  #worked = false;

  /** @param share of the time since it was asked last that went into work. */
  constructor(share: () => number, collect: () => void) {
    this.#share = share;
    this.#collect = collect;
  }

  /** Called every few seconds. */
  check(): void {
    if (this.#share() > IDLE_SHARE) {
      this.#worked = true;
      return;
    }
    if (this.#worked) this.#collect();
    this.#worked = false;
  }
}

/**
 * Lets this thread give memory back when it idles. Does not keep the process alive.
 * @param first lets go of what can be had again.
 */
export function collectWhenIdle(first: () => void = () => undefined): void {
  const collect = collectorOfV8();
  let last = performance.eventLoopUtilization();
  const collector = new IdleCollector(
    () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    () => {
      first();
      collect();
    },
  );
  setInterval(() => collector.check(), 1000 * SECONDS).unref();
}

/** Collects all garbage; does nothing under a V8 that has no such function. */
function collectorOfV8(): () => void {
  // Contexts made after the flag is set have the function.
  setV8Flag('--expose-gc', '14.6');
  return runInNewContext("typeof gc === 'function' ? gc : () => undefined") as () => void;
}
