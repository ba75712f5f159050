/** Handles items in order, one a turn of the event loop, so that what else is waiting has its turn in between. */
export class Turns<T> {
  readonly #handle: (item: T) => void;
  readonly #waiting: T[] = [];

  /** @param handle must not throw. */
  constructor(handle: (item: T) => void) {
    this.#handle = handle;
  }

  add(item: T): void {
    if (this.#waiting.push(item) === 1) setImmediate(() => this.#turn());
  }

  #turn(): void {
    const [item] = this.#waiting;
    if (item !== undefined) this.#handle(item);
    this.#waiting.shift();
    if (this.#waiting.length > 0) setImmediate(() => this.#turn());
  }
}
