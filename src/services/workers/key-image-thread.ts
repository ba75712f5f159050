import type { PublicKey, SecretKey } from '../../monero/crypto/types.js';
import type { OpeningKeys } from '../../monero/carrot/opening.js';
import { systemRng } from '../../util/random.js';
import { answerCalls, job, type Job } from '../../util/thread-jobs.js';
import {
  candidatesOfEach,
  keyImagesOf,
  knownDerivations,
  signKeyImages,
  verifyCarrotKeyImage,
  verifyKeyImage,
  type KeyImageVerdict,
  type LocatedOutput,
  type OutputHint,
  type SignedKeyImage,
  type SpendingKeys,
} from '../../monero/wallet/scan/key-images.js';
import { reopenedOutputs, type ToldOutput } from '../../monero/wallet/scan/reopened-outputs.js';
import type { ThreadRefusal } from './thread-refusal.js';

/** A signed key image, and the output key that it claims to belong to. */
export interface KeyImageClaim {
  readonly publicKey: PublicKey;
  readonly signed: SignedKeyImage;
  /** True if the output has the form of the fork. */
  readonly isCarrot: boolean;
}

/** Keys with which a thread finds the addresses that outputs pay. */
export interface ViewKeys {
  readonly viewSecret: SecretKey;
}

type Keys = ViewKeys | OpeningKeys | SpendingKeys | undefined;

function secretsOf(keys: Keys): readonly Uint8Array[] {
  if (keys === undefined) return [];
  return 'spendSecret' in keys ? [keys.viewSecret, keys.spendSecret] : [keys.viewSecret];
}

/** Input of a job: a list of items, and the keys for all of them. */
export interface KeyImageBatch<Item, K extends Keys> {
  readonly items: readonly Item[];
  readonly keys: K;
}

/** Returns the job that processes a list of items as a batch. @param secretsIn secrets in the items. */
const batch = <Item, K extends Keys, Result>(
  process: (items: readonly Item[], keys: K) => Result[],
  secretsIn: (items: readonly Item[]) => readonly Uint8Array[] = () => [],
): Job<KeyImageBatch<Item, K>, Result[]> =>
  job(({ items, keys }) => process(items, keys), {
    secretsOf: ({ items, keys }) => [...secretsOf(keys), ...secretsIn(items)],
  });

export const KEY_IMAGE_JOBS = {
  locate: batch((hints: readonly OutputHint[], { viewSecret }: ViewKeys) =>
    candidatesOfEach(hints, viewSecret),
  ),
  derive: batch(
    (outputs: readonly LocatedOutput[], keys: SpendingKeys) => keyImagesOf(outputs, keys),
    knownDerivations,
  ),
  sign: batch(
    (outputs: readonly LocatedOutput[], keys: SpendingKeys) => signKeyImages(outputs, keys, systemRng),
    knownDerivations,
  ),
  reopen: batch((outputs: readonly ToldOutput[], keys: OpeningKeys) => reopenedOutputs(outputs, keys)),
  verify: batch<KeyImageClaim, undefined, KeyImageVerdict>((claims) =>
    claims.map(({ publicKey, signed, isCarrot }) =>
      (isCarrot ? verifyCarrotKeyImage : verifyKeyImage)(publicKey, signed),
    ),
  ),
};

export type KeyImageJobs = typeof KEY_IMAGE_JOBS;

answerCalls<ThreadRefusal>(KEY_IMAGE_JOBS, (error) =>
  error instanceof RangeError ? { problem: error.message } : undefined,
);
