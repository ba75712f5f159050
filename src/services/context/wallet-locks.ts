import { Mutex } from '../../util/concurrency.js';

/** Locks of one open wallet. Order of acquisition: `refresh`, `payment`, `spentStates`. */
export class WalletLocks {
  /** Held while blocks are fetched and committed. */
  readonly refresh = new Mutex();
  /** Held while a payment is made, so that no output is selected twice. */
  readonly payment = new Mutex();
  /**
   * Held from the request to the daemon for spent key images until its answer is recorded, so that a later answer wins.
   */
  readonly spentStates = new Mutex();

  /** Runs a task while both `refresh` and `payment` are held. */
  exclusive<T>(task: () => Promise<T>): Promise<T> {
    return this.refresh.run(() => this.payment.run(task));
  }
}
