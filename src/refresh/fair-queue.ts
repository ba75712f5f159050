import type { PendingRequests } from '../util/pending-requests.js';

/** Turns of the event loop between two items; a request needs a few turns to be read, handled and answered. */
const TURNS_BETWEEN = 3;

/** Longest time that an item waits for pending requests [ms]. */
const LONGEST_WAIT_MS = 5;

export interface FairQueueOptions<T> {
  /** Handles one item; must not throw. */
  readonly handle: (item: T) => void;
  /** Pending requests of clients, which are answered before the next item while every queued item can wait. */
  readonly pendingRequests: PendingRequests;
  readonly canWait: (item: T) => boolean;
}

/**
 * Handles the items of many owners one at a time, with turns of the event loop in between. Items of one owner keep
 * their order. The owners take turns; owners with an item that cannot wait get every second turn.
 */
export class FairQueue<T> {
  readonly #options: FairQueueOptions<T>;
  /** Items of the owners all of whose items can wait, by owner; the owner that has waited longest comes first. */
  readonly #patient = new Map<number, T[]>();
  /** Items of the owners that have an item which cannot wait, by owner. */
  readonly #urgent = new Map<number, T[]>();
  #urgentIsNext = true;
  #isRunning = false;
  /** Ends the wait for pending requests at once; undefined while the queue does not wait for requests. */
  #continue: (() => void) | undefined;

  constructor(options: FairQueueOptions<T>) {
    this.#options = options;
  }

  add(owner: number, item: T): void {
    const urgent = this.#urgent.get(owner);
    const items = urgent ?? this.#patient.get(owner) ?? [];
    items.push(item);
    if (urgent === undefined) {
      const canWait = this.#options.canWait(item);
      if (!canWait) this.#patient.delete(owner);
      (canWait ? this.#patient : this.#urgent).set(owner, items);
    }
    if (!this.#isRunning) {
      this.#isRunning = true;
      this.#after(TURNS_BETWEEN);
    } else if (this.#urgent.size > 0) this.#continue?.();
  }

  #after(turns: number): void {
    setImmediate(() => {
      if (turns > 1) this.#after(turns - 1);
      else if (this.#options.pendingRequests.anyRecent && this.#urgent.size === 0)
        this.#continue = this.#options.pendingRequests.whenNoneRecent(LONGEST_WAIT_MS, () => this.#turn());
      else this.#turn();
    });
  }

  #turn(): void {
    this.#continue = undefined;
    const owners = this.#nextOwners();
    const [next] = owners;
    if (next !== undefined) {
      const [owner, items] = next;
      const [item] = items.splice(0, 1);
      owners.delete(owner);
      if (items.length > 0)
        (items.every(this.#options.canWait) ? this.#patient : this.#urgent).set(owner, items);
      if (item !== undefined) this.#options.handle(item);
    }
    this.#isRunning = this.#patient.size + this.#urgent.size > 0;
    if (this.#isRunning) this.#after(TURNS_BETWEEN);
  }

  #nextOwners(): Map<number, T[]> {
    const preferred = this.#urgentIsNext ? this.#urgent : this.#patient;
    this.#urgentIsNext = !this.#urgentIsNext;
    if (preferred.size > 0) return preferred;
    return this.#urgent.size > 0 ? this.#urgent : this.#patient;
  }
}
