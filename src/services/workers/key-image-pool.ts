import type { KeyImage } from '../../crypto/types.js';
import { WorkerPool } from '../../util/worker-pool.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import type {
  KeyImageVerdict,
  LocatedOutput,
  OutputCandidate,
  OutputHint,
  SignedKeyImage,
  SpendingKeys,
} from '../../wallet/scan/key-images.js';
import type {
  KeyImageAnswer,
  KeyImageClaim,
  KeyImageTask,
  KeyImageWork,
  ViewKeys,
} from './key-image-thread.js';

/** Items that a thread takes at once: about a fifth of a second of work. */
const BATCH = 32;

const threads = new WorkerPool<KeyImageTask, KeyImageAnswer>(
  new URL('./key-image-thread.js', import.meta.url),
  2,
);

/** @throws WalletError `invalid` where an item contradicts itself. */
async function run<K extends keyof KeyImageWork>(
  kind: K,
  items: readonly KeyImageWork[K]['item'][],
  keys: KeyImageWork[K]['keys'],
): Promise<KeyImageWork[K]['result'][]> {
  const batches: Promise<KeyImageAnswer>[] = [];
  for (let start = 0; start < items.length; start += BATCH)
    batches.push(threads.run({ kind, items: items.slice(start, start + BATCH), keys } as KeyImageTask));
  const answers = await Promise.all(batches);
  return answers.flatMap((answer) => {
    if ('problem' in answer) throw new WalletError({ kind: 'invalid', reason: answer.problem });
    return answer.results as KeyImageWork[K]['result'][];
  });
}

/** Whom outputs may pay, one list an output. */
export const locateOutputs = (hints: readonly OutputHint[], keys: ViewKeys): Promise<OutputCandidate[][]> =>
  run('locate', hints, keys);

/** @throws WalletError `invalid` when an output is not ours. */
export const deriveKeyImages = (outputs: readonly LocatedOutput[], keys: SpendingKeys): Promise<KeyImage[]> =>
  run('derive', outputs, keys);

/** @throws WalletError `invalid` when an output is not ours. */
export const signKeyImages = (
  outputs: readonly LocatedOutput[],
  keys: SpendingKeys,
): Promise<SignedKeyImage[]> => run('sign', outputs, keys);

export const judgeKeyImages = (claims: readonly KeyImageClaim[]): Promise<KeyImageVerdict[]> =>
  run('judge', claims, undefined);
