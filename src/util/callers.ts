import { performance } from 'node:perf_hooks';

/** After so long a call is not one that is answered in a moment: a refresh is a call too. */
const MOMENT_MS = 20;

/** Those who wait for an answer that takes a moment: work that can be put off lets them go first. */
export class Callers {
  readonly #clock: () => number;
  /** When each came, in that order; some may have waited for longer than a moment. */
  readonly #waiting = new Map<symbol, number>();
  readonly #behindThem = new Set<() => void>();

  /** @param clock milliseconds. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** @returns what is to be called once this one has an answer, or went without. */
  arrive(): () => void {
    const caller = Symbol('caller');
    this.#waiting.set(caller, this.#clock());
    return () => {
      this.#waiting.delete(caller);
      if (!this.areWaiting) for (const go of [...this.#behindThem]) go();
    };
  }

  get areWaiting(): boolean {
    const since = this.#clock() - MOMENT_MS;
    for (const [caller, came] of this.#waiting) {
      if (came > since) return true;
      this.#waiting.delete(caller);
    }
    return false;
  }

  /**
   * Goes on once they have their answers, at the latest after so many milliseconds.
   * @returns goes on at once, where it did not yet.
   */
  letPass(limit: number, goOn: () => void): () => void {
    const go = (): void => {
      clearTimeout(timer);
      if (this.#behindThem.delete(go)) goOn();
    };
    const timer = setTimeout(go, limit);
    this.#behindThem.add(go);
    return go;
  }
}
