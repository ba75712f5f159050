/** Counts the turns of the event loop while other code runs: work that never yields leaves the count at 0. */
export class EventLoopTurns {
  #count = 0;
  #next = setImmediate(() => this.#turn());

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
