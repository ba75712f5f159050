import type { Callers } from './callers.js';

/** Turns that others have in between: a request takes a few to be read, dealt with and answered. */
const TURNS_BETWEEN = 3;

/** Longest that an item waits for requests: it has its turn even where they never end. */
const LONGEST_WAIT_MS = 5;

/** Who handles items, and who goes before them. */
export interface TurnsOptions<T> {
  /** Must not throw. */
  readonly handle: (item: T) => void;
  /** Go first, where all that is to be handled can wait. */
  readonly callers: Callers;
  readonly canWait: (item: T) => boolean;
}

/** Handles items in order, with turns of the event loop in between for whatever else is waiting. */
export class Turns<T> {
  readonly #options: TurnsOptions<T>;
  readonly #waiting: T[] = [];
  /** Ends a wait for callers. */
  #goOn: (() => void) | undefined;

  constructor(options: TurnsOptions<T>) {
    this.#options = options;
  }

  add(item: T): void {
    if (this.#waiting.push(item) === 1) this.#after(TURNS_BETWEEN);
    else if (!this.#options.canWait(item)) this.#goOn?.();
  }

  #after(turns: number): void {
    setImmediate(() => {
      if (turns > 1) this.#after(turns - 1);
      else if (this.#options.callers.areWaiting && this.#waiting.every(this.#options.canWait))
        this.#goOn = this.#options.callers.letPass(LONGEST_WAIT_MS, () => this.#turn());
      else this.#turn();
    });
  }

  #turn(): void {
    this.#goOn = undefined;
    const [item] = this.#waiting;
    if (item !== undefined) this.#options.handle(item);
    this.#waiting.shift();
    if (this.#waiting.length > 0) this.#after(TURNS_BETWEEN);
  }
}
