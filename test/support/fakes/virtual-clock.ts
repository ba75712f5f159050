import type { Clock } from '../../../src/util/clock.js';
import { turns } from './event-loop-turns.js';

/** Lets every promise that can be settled without timers settle. */
const settle = (): Promise<void> => turns(2);

/** Clock whose time passes only when a test says so. Timers follow elapsed time; the time of day can be stepped. */
export class VirtualClock implements Clock {
  /** Elapsed time [ms]. */
  elapsed = 0;
  #wall: number;
  readonly #timers = new Map<object, { readonly at: number; readonly run: () => void }>();

  /** @param wall Unix time [ms] at the start. */
  constructor(wall = 1_700_000_000_000) {
    this.#wall = wall;
  }

  now(): number {
    return this.#wall + this.elapsed;
  }

  after(ms: number, run: () => void): () => void {
    const key = {};
    this.#timers.set(key, { at: this.elapsed + Math.max(0, ms), run });
    return () => void this.#timers.delete(key);
  }

  /** Timers that are set. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Steps the time of day [ms] without letting time pass. */
  step(ms: number): void {
    this.#wall += ms;
  }

  /** Lets time pass, and runs the timers that expire, in their order. */
  async advance(ms: number): Promise<void> {
    const end = this.elapsed + ms;
    await settle();
    for (;;) {
      const [next] = [...this.#timers].sort(([, a], [, b]) => a.at - b.at);
      if (next === undefined || next[1].at > end) break;
      const [key, { at, run }] = next;
      this.#timers.delete(key);
      this.elapsed = at;
      run();
      await settle();
    }
    this.elapsed = end;
  }
}
