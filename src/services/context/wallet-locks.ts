import { Mutex } from '../../util/mutex.js';

/**
 * Mutual exclusion inside one open wallet. A task that needs both locks takes `refresh` first; {@link exclusive} does.
 */
export class WalletLocks {
  /** Held while blocks are read and committed. */
  readonly refresh = new Mutex();
  /** Held while a payment is made, so that no output is selected twice. */
  readonly payment = new Mutex();

  /** Runs a task while neither a refresh nor a payment changes the wallet. */
  exclusive<T>(task: () => Promise<T>): Promise<T> {
    return this.refresh.run(() => this.payment.run(task));
  }
}
