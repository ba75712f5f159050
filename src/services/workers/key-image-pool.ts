import type { KeyImage } from '../../monero/crypto/types.js';
import type { OpeningKeys } from '../../monero/carrot/opening.js';
import { ThreadClient } from '../../util/thread-client.js';
import type { InputOf, ResultOf } from '../../util/thread-jobs.js';
import { WalletError } from '../../model/wallet-error.js';
import type {
  KeyImageVerdict,
  LocatedOutput,
  OutputCandidate,
  OutputHint,
  SignedKeyImage,
  SpendingKeys,
} from '../../monero/wallet/scan/key-images.js';
import type { KeptExtensions } from '../../monero/wallet/scan/found-output.js';
import type { ToldOutput } from '../../monero/wallet/scan/reopened-outputs.js';
import type { KeyImageClaim, KeyImageJobs, ViewKeys } from './key-image-thread.js';
import { refusalError, type ThreadRefusal } from './thread-refusal.js';

/** Number of items in one message to a thread: about 0.2 s of work. */
const BATCH_ITEMS = 32;

/** Pool of threads that compute, sign and verify key images. */
export class KeyImagePool {
  readonly #threads = new ThreadClient<KeyImageJobs, ThreadRefusal>(
    new URL('./key-image-thread.js', import.meta.url),
    { threads: 2, toError: refusalError((reason) => new WalletError({ kind: 'invalid', reason })) },
  );

  /** Finds the own addresses that each output may pay. @returns one list of candidates per output. */
  locate(hints: readonly OutputHint[], keys: ViewKeys): Promise<OutputCandidate[][]> {
    return this.#run('locate', hints, keys);
  }

  /**
   * Computes the secret facts of outputs in the form of the fork anew.
   * @returns undefined for an output that does not pay its amount to its address.
   */
  reopen(outputs: readonly ToldOutput[], keys: OpeningKeys): Promise<(KeptExtensions | undefined)[]> {
    return this.#run('reopen', outputs, keys);
  }

  /**
   * Computes the key images of outputs. @throws WalletError `invalid` for an output that does not belong to the wallet.
   */
  derive(outputs: readonly LocatedOutput[], keys: SpendingKeys): Promise<KeyImage[]> {
    return this.#run('derive', outputs, keys);
  }

  /**
   * Computes and signs the key images of outputs.
   * @throws WalletError `invalid` for an output that does not belong to the wallet.
   */
  sign(outputs: readonly LocatedOutput[], keys: SpendingKeys): Promise<SignedKeyImage[]> {
    return this.#run('sign', outputs, keys);
  }

  /** Verifies signatures of key images. */
  verify(claims: readonly KeyImageClaim[]): Promise<KeyImageVerdict[]> {
    return this.#run('verify', claims, undefined);
  }

  close(): Promise<void> {
    return this.#threads.close();
  }

  /** Runs a job in batches on the threads. @throws WalletError `invalid` for an inconsistent item. */
  async #run<K extends keyof KeyImageJobs>(
    job: K,
    items: InputOf<KeyImageJobs, K>['items'],
    keys: InputOf<KeyImageJobs, K>['keys'],
  ): Promise<ResultOf<KeyImageJobs, K>> {
    const batches: Promise<ResultOf<KeyImageJobs, K>>[] = [];
    for (let start = 0; start < items.length; start += BATCH_ITEMS) {
      const batch = { items: items.slice(start, start + BATCH_ITEMS), keys };
      batches.push(this.#threads.run(job, batch as InputOf<KeyImageJobs, K>));
    }
    const results: readonly (readonly unknown[])[] = await Promise.all(batches);
    return results.flat() as ResultOf<KeyImageJobs, K>;
  }
}
