import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Share of its time that a thread may be at work and still counts as idle. */
const IDLE_SHARE = 0.05;

const SECONDS = 5;

/** Checks after a collection in which {@link IdleTasks.after} runs: threads that have nothing to do end meanwhile. */
const CHECKS_AFTER = 18;

export interface IdleTasks {
  /** Once after each spell of work. */
  readonly collect: () => void;
  /** Now and then for a while after that, unless there is work again. */
  readonly after: () => void;
}

/**
 * Collects garbage once after each spell of work. V8 does so only where something needs the room: what a large
 * answer or a refresh took would stay taken for as long as nothing happens.
 */
export class IdleCollector {
  readonly #share: () => number;
  readonly #tasks: IdleTasks;
  #worked = false;
  #left = 0;

  /** @param share of the time since it was asked last that went into work. */
  constructor(share: () => number, tasks: IdleTasks) {
    this.#share = share;
    this.#tasks = tasks;
  }

  /** Called every few seconds. */
  check(): void {
    const worked = this.#worked;
    this.#worked = this.#share() > IDLE_SHARE;
    if (this.#worked) this.#left = 0;
    else if (worked) {
      this.#tasks.collect();
      this.#left = CHECKS_AFTER;
    } else if (this.#left > 0) {
      this.#tasks.after();
      this.#left -= 1;
    }
  }
}

/**
 * Lets this thread give memory back when it idles. Does not keep the process alive.
 * @param first lets go of what can be had again. @param after see {@link IdleTasks}.
 */
export function collectWhenIdle(
  first: () => void = () => undefined,
  after: () => void = () => undefined,
): void {
  const collect = collectorOfV8();
  let last = performance.eventLoopUtilization();
  const collector = new IdleCollector(
    () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    {
      collect: () => {
        first();
        collect();
      },
      after,
    },
  );
  setInterval(() => collector.check(), 1000 * SECONDS).unref();
}

/** Contexts that are made after the flag is set have a function for it. */
function collectorOfV8(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
