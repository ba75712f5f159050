import type { PendingRequests } from './pending-requests.js';

/** Turns of the event loop between two items: a request takes a few to be read, handled and answered. */
const TURNS_BETWEEN = 3;

/** Longest time that an item is deferred while requests are pending [ms]. */
const LONGEST_WAIT_MS = 5;

export interface FairQueueOptions<T> {
  /** Must not throw. */
  readonly handle: (item: T) => void;
  /** Requests that are answered first if every queued item can wait. */
  readonly pendingRequests: PendingRequests;
  readonly canWait: (item: T) => boolean;
}

/** Handles items in order and leaves turns of the event loop to other work between two items. */
export class FairQueue<T> {
  readonly #options: FairQueueOptions<T>;
  readonly #queued: T[] = [];
  /** Ends the wait for pending requests. */
  #goOn: (() => void) | undefined;

  constructor(options: FairQueueOptions<T>) {
    this.#options = options;
  }

  add(item: T): void {
    if (this.#queued.push(item) === 1) this.#after(TURNS_BETWEEN);
    else if (!this.#options.canWait(item)) this.#goOn?.();
  }

  #after(turns: number): void {
    setImmediate(() => {
      if (turns > 1) this.#after(turns - 1);
      else if (this.#options.pendingRequests.anyRecent && this.#queued.every(this.#options.canWait))
        this.#goOn = this.#options.pendingRequests.whenNoneRecent(LONGEST_WAIT_MS, () => this.#handleFirst());
      else this.#handleFirst();
    });
  }

  #handleFirst(): void {
    this.#goOn = undefined;
    const [item] = this.#queued;
    if (item !== undefined) this.#options.handle(item);
    this.#queued.shift();
    if (this.#queued.length > 0) this.#after(TURNS_BETWEEN);
  }
}
