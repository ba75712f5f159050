/** Lets some turns of the event loop pass: promises settle that need no input, output or timer. */
export async function turns(count = 1): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Counts the turns of the event loop while other code runs: work that never yields leaves the count at 0. */
export class EventLoopTurns {
  #count = 0;
  #next = setImmediate(() => this.#turn());

  /** Turns so far. */
  get count(): number {
    return this.#count;
  }

  /** Ends the count. @returns it. */
  stop(): number {
    clearImmediate(this.#next);
    return this.#count;
  }

  #turn(): void {
    this.#count += 1;
    this.#next = setImmediate(() => this.#turn());
  }
}
