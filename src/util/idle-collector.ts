import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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

/** Contexts that are made after the flag is set have a function for it. */
function collectorOfV8(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
