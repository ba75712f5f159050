import {
  KEY_IMAGE_JOBS,
  type KeyImageClaim,
  type ViewKeys,
} from '../../../src/services/workers/key-image-thread.js';
import {
  MultisigProblem,
  SigningProblem,
  type WorkerPools,
} from '../../../src/services/workers/worker-pools.js';
import { MULTISIG_JOBS } from '../../../src/services/workers/multisig-thread.js';
import { SIGNING_JOBS } from '../../../src/services/workers/signing-thread.js';
import { CodecError } from '../../../src/util/codec.js';
import type { Jobs } from '../../../src/util/thread-jobs.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import { NoNonceError } from '../../../src/monero/wallet/multisig/cosigning.js';
import type { OpeningKeys } from '../../../src/monero/carrot/opening.js';
import type { ToldOutput } from '../../../src/monero/wallet/scan/reopened-outputs.js';
import type { LocatedOutput, OutputHint, SpendingKeys } from '../../../src/monero/wallet/scan/key-images.js';

/** Runs jobs on this thread with a copy of their input, and names their failures as a thread does. */
class InlineThread {
  readonly #jobs: Jobs;
  readonly #problem: (text: string) => Error;

  constructor(jobs: Jobs, problem: (text: string) => Error) {
    this.#jobs = jobs;
    this.#problem = problem;
  }

  async run(name: string, input: unknown): Promise<unknown> {
    const job = this.#jobs[name];
    if (job === undefined) throw new Error(`no such job: ${name}`);
    try {
      return await job.run(structuredClone(input) as never);
    } catch (error) {
      if (error instanceof NoNonceError) throw new WalletError({ kind: 'multisig_export_needed' });
      if (error instanceof RangeError || error instanceof CodecError) throw this.#problem(error.message);
      throw error;
    }
  }
}

const keyImages = new InlineThread(KEY_IMAGE_JOBS, (reason) => new WalletError({ kind: 'invalid', reason }));

/** Worker pools that run each job on this thread: tests of services need no threads. */
export const inlineWorkers = (): WorkerPools =>
  ({
    signing: new InlineThread(SIGNING_JOBS, (text) => new SigningProblem(text)),
    multisig: new InlineThread(MULTISIG_JOBS, (text) => new MultisigProblem(text)),
    keyImages: {
      locate: (items: readonly OutputHint[], { viewSecret }: ViewKeys) =>
        keyImages.run('locate', { items, keys: { viewSecret } }),
      reopen: (items: readonly ToldOutput[], keys: OpeningKeys) => keyImages.run('reopen', { items, keys }),
      derive: (items: readonly LocatedOutput[], keys: SpendingKeys) =>
        keyImages.run('derive', { items, keys }),
      sign: (items: readonly LocatedOutput[], keys: SpendingKeys) => keyImages.run('sign', { items, keys }),
      verify: (items: readonly KeyImageClaim[]) => keyImages.run('verify', { items, keys: undefined }),
    },
  }) as unknown as WorkerPools;
