import { Mutex } from '../../util/mutex.js';

/**
 * Mutual exclusion inside one open wallet. Lock order: `refresh` before `payment`, as in {@link exclusive}, before
 * `spentStates`.
 */
export class WalletLocks {
  /** Held while blocks are fetched and committed. */
  readonly refresh = new Mutex();
  /** Held while a payment is made, so that no output is selected twice. */
  readonly payment = new Mutex();
  /** Held from a question to the daemon which key images are spent until its answer is recorded: a later answer wins. */
  readonly spentStates = new Mutex();

  /** Runs a task under both locks. */
  exclusive<T>(task: () => Promise<T>): Promise<T> {
    return this.refresh.run(() => this.payment.run(task));
  }
}
