/** Waits after failures, which double each time [ms]. */
const FIRST_MS = 50;
const LONGEST_MS = 2000;

/** Waits between attempts of a task that fails. */
export class RetryPause {
  #failures = 0;
  #isEnded = false;
  #end: () => void = () => undefined;

  /** Waits after a failure; longer after each one. */
  async wait(): Promise<void> {
    if (this.#isEnded) return;
    const ms = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#end = (): void => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Notes that an attempt has succeeded. */
  reset(): void {
    this.#failures = 0;
  }

  /** Ends the present wait and prevents later ones. */
  end(): void {
    this.#isEnded = true;
    this.#end();
  }
}
