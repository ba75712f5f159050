/** A number of slots, for which callers wait in order, but not longer than a time. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(number: number) {
    this.#free = number;
  }

  /** Takes a slot. @param limitMs longest wait [ms]. @returns false if none became free. */
  async take(limitMs: number): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    return new Promise((resolve) => {
      const given = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(given);
        resolve(false);
      }, limitMs);
      this.#waiting.add(given);
    });
  }

  /** Gives a slot back, to the caller that has waited longest. */
  give(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
