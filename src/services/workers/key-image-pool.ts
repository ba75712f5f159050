import type { KeyImage } from '../../monero/crypto/types.js';
import { WorkerPool } from '../../util/worker-pool.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';
import type {
  KeyImageVerdict,
  LocatedOutput,
  OutputCandidate,
  OutputHint,
  SignedKeyImage,
  SpendingKeys,
} from '../../monero/wallet/scan/key-images.js';
import type {
  KeyImageAnswer,
  KeyImageClaim,
  KeyImageTask,
  KeyImageWork,
  ViewKeys,
} from './key-image-thread.js';

/** Number of items in one message to a thread: about 0.2 s of work. */
const BATCH_ITEMS = 32;

/** Pool of threads that compute, sign and verify key images. */
export class KeyImagePool {
  readonly #threads = new WorkerPool<KeyImageTask, KeyImageAnswer>(
    new URL('./key-image-thread.js', import.meta.url),
    2,
  );

  /** Finds the own addresses that each output may pay. @returns one list of candidates per output. */
  locate(hints: readonly OutputHint[], keys: ViewKeys): Promise<OutputCandidate[][]> {
    return this.#run('locate', hints, keys);
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

  /** Runs a task in batches on the threads. @throws WalletError `invalid` for an inconsistent item. */
  async #run<K extends keyof KeyImageWork>(
    kind: K,
    items: readonly KeyImageWork[K]['item'][],
    keys: KeyImageWork[K]['keys'],
  ): Promise<KeyImageWork[K]['result'][]> {
    const batches: Promise<KeyImageAnswer>[] = [];
    for (let start = 0; start < items.length; start += BATCH_ITEMS) {
      const task = { kind, items: items.slice(start, start + BATCH_ITEMS), keys } as KeyImageTask;
      batches.push(this.#threads.run(task));
    }
    const answers = await Promise.all(batches);
    return answers.flatMap((answer) => {
      if ('problem' in answer) throw new WalletError({ kind: 'invalid', reason: answer.problem });
      return answer.results as KeyImageWork[K]['result'][];
    });
  }
}
