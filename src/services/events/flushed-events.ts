import type { WalletStore } from '../../store/wallet-store.js';
import type { Clock } from '../../util/clock.js';
import { SharedRun } from '../../util/concurrency.js';

/** Pause after a failed flush [ms]. */
const ERROR_PAUSE_MS = 5000;

interface Listeners {
  /** Called when more events are on disk. */
  readonly onFlushed: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Position up to which the events of a wallet are on disk. Later events are not sent yet, since a crash of the machine
 * could undo them.
 */
export class FlushedEvents {
  readonly #store: Pick<WalletStore, 'read' | 'flushEvents'>;
  readonly #clock: Clock;
  readonly #listeners: Listeners;
  /** Begins a flush after the commit that appended the events has ended. */
  readonly #flushes = new SharedRun(() => this.#flush());
  #upTo = 0;
  #isClosed = false;
  #done: Promise<void> = Promise.resolve();
  #endPause: () => void = () => undefined;

  constructor(store: Pick<WalletStore, 'read' | 'flushEvents'>, clock: Clock, listeners: Listeners) {
    this.#store = store;
    this.#clock = clock;
    this.#listeners = listeners;
  }

  /** Id of the last event on disk; 0 before the first flush. */
  get upTo(): number {
    return this.#upTo;
  }

  /** Starts a flush of all committed events, after a flush that runs already. */
  advance(): void {
    if (!this.#isClosed) this.#done = this.#flushes.run();
  }

  /** Ends the flushes of events. Resolves once the store is not used any more. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#endPause();
    return this.#done;
  }

  /** Flushes the events, and after a failure and a pause once more; never rejects. */
  async #flush(): Promise<void> {
    if (this.#isClosed) return;
    try {
      const last = this.#store.read((r) => r.events.last());
      await this.#store.flushEvents();
      if (this.#isClosed) return;
      this.#upTo = last;
      this.#listeners.onFlushed();
    } catch (error) {
      if (this.#isClosed) return;
      this.#listeners.onError(error);
      await this.#pause();
      this.advance();
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ERROR_PAUSE_MS, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}
