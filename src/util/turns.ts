/** Turns that others have in between: a request takes a few to be read, dealt with and answered. */
const TURNS_BETWEEN = 3;

/** Handles items in order, with turns of the event loop in between for whatever else is waiting. */
export class Turns<T> {
  readonly #handle: (item: T) => void;
  readonly #waiting: T[] = [];

  /** @param handle must not throw. */
  constructor(handle: (item: T) => void) {
    this.#handle = handle;
  }

  add(item: T): void {
    if (this.#waiting.push(item) === 1) this.#after(TURNS_BETWEEN);
  }

  #after(turns: number): void {
    setImmediate(() => (turns > 1 ? this.#after(turns - 1) : this.#turn()));
  }

  #turn(): void {
    const [item] = this.#waiting;
    if (item !== undefined) this.#handle(item);
    this.#waiting.shift();
    if (this.#waiting.length > 0) this.#after(TURNS_BETWEEN);
  }
}
