import { planFromStore } from '../../src/services/workers/plan-task.js';
import type { SigningWork } from '../../src/services/workers/signing-thread.js';
import type { WorkerPools } from '../../src/services/workers/worker-pools.js';
import type { MultisigWork } from '../../src/services/workers/multisig-thread.js';
import { MultisigProblem } from '../../src/services/workers/multisig-pool.js';
import { SigningProblem } from '../../src/services/workers/signing-pool.js';
import { CodecError } from '../../src/util/codec.js';
import { systemRng } from '../../src/util/random.js';
import { buildFromOwn } from '../../src/monero/wallet/build/own-inputs.js';
import { placeholderTx } from '../../src/monero/wallet/build/placeholder-tx.js';
import { settleFee } from '../../src/monero/wallet/build/signing.js';
import { signOffline } from '../../src/monero/wallet/exchange/offline-signing.js';
import { WalletError } from '../../src/monero/wallet/model/wallet-error.js';
import {
  boosterMessage,
  continueExchange,
  nextMessage,
  startExchange,
} from '../../src/monero/wallet/multisig/account.js';
import { cosign, NoNonceError } from '../../src/monero/wallet/multisig/cosigning.js';
import { checkInfo, freshInfo } from '../../src/monero/wallet/multisig/info.js';
import { readKexMessage, type KexMessage } from '../../src/monero/wallet/multisig/kex-message.js';
import { compositeKeyImage } from '../../src/monero/wallet/multisig/key-image.js';
import { propose } from '../../src/monero/wallet/multisig/proposal.js';
import {
  candidatesOf,
  verifyKeyImage,
  keyImageOf,
  signKeyImage,
  type LocatedOutput,
  type OutputHint,
  type SpendingKeys,
} from '../../src/monero/wallet/scan/key-images.js';
import type { KeyImageClaim, ViewKeys } from '../../src/services/workers/key-image-thread.js';
import { unusableDecoys } from '../../src/monero/wallet/select/decoys.js';

type Jobs<Work extends Record<keyof Work, { readonly task: unknown; readonly result: unknown }>> = {
  readonly [K in keyof Work]: (task: Work[K]['task']) => Work[K]['result'];
};

const signing: Jobs<SigningWork> = {
  plan: (task) => planFromStore(task),
  unusableDecoys: (decoys) => unusableDecoys(decoys),
  build: ({ plan, rate, rates }) => buildFromOwn(plan, rate, rates, systemRng),
  buildUnsigned: ({ plan, rate, rates }) => placeholderTx(settleFee(plan, rate, rates, systemRng), systemRng),
  offline: (order) => signOffline(order, systemRng),
};

const readMessages = (texts: readonly string[]): KexMessage[] => texts.map((text) => readKexMessage(text));

const multisig: Jobs<MultisigWork> = {
  start({ signer, threshold, messages }) {
    const account = startExchange(signer, threshold, readMessages(messages));
    return { account, message: nextMessage(account, systemRng) };
  },
  advance({ account: before, messages, incomplete }) {
    const account = continueExchange(before, readMessages(messages), incomplete);
    return { account, message: nextMessage(account, systemRng) };
  },
  boost: ({ booster, messages }) => boosterMessage(booster, readMessages(messages), systemRng),
  createInfo: ({ outputs, signer, shares }) =>
    outputs.map(({ publicKey, nonces }) => freshInfo(publicKey, signer, shares, nonces, systemRng)),
  verifyInfo({ info, account, viewPublicKey }) {
    checkInfo(info, { spendPublicKey: account.spendPublicKey, viewPublicKey }, account);
    return true;
  },
  combineKeyImages: ({ outputs, keys, count }) =>
    outputs.map(({ output, imported }) => compositeKeyImage(output, keys, imported, count)),
  propose: (plan) => propose(plan, systemRng),
  cosign: (order) => cosign(order),
};

/** Runs a job with a copy of its task, and names its failure as a thread does. */
async function inline<T, R>(job: (task: T) => R, task: T, problem: (text: string) => Error): Promise<R> {
  try {
    return job(structuredClone(task));
  } catch (error) {
    if (error instanceof NoNonceError) throw new WalletError({ kind: 'multisig_export_needed' });
    if (error instanceof RangeError || error instanceof CodecError) throw problem(error.message);
    throw error;
  }
}

const invalid = (reason: string): Error => new WalletError({ kind: 'invalid', reason });

/** Worker pools that run each task on this thread: tests of services need no threads. */
export const inlineWorkers = (): WorkerPools =>
  ({
    signing: {
      run: <K extends keyof SigningWork>(kind: K, task: SigningWork[K]['task']) =>
        inline<SigningWork[K]['task'], SigningWork[K]['result']>(
          signing[kind],
          task,
          (text) => new SigningProblem(text),
        ),
    },
    multisig: {
      run: <K extends keyof MultisigWork>(kind: K, task: MultisigWork[K]['task']) =>
        inline<MultisigWork[K]['task'], MultisigWork[K]['result']>(
          multisig[kind],
          task,
          (text) => new MultisigProblem(text),
        ),
    },
    keyImages: {
      locate: (hints: readonly OutputHint[], { viewSecret }: ViewKeys) =>
        inline(
          (all: readonly OutputHint[]) => all.map((one) => candidatesOf(one, viewSecret)),
          hints,
          invalid,
        ),
      derive: (outputs: readonly LocatedOutput[], keys: SpendingKeys) =>
        inline((all: readonly LocatedOutput[]) => all.map((one) => keyImageOf(one, keys)), outputs, invalid),
      sign: (outputs: readonly LocatedOutput[], keys: SpendingKeys) =>
        inline(
          (all: readonly LocatedOutput[]) => all.map((one) => signKeyImage(one, keys, systemRng)),
          outputs,
          invalid,
        ),
      verify: (claims: readonly KeyImageClaim[]) =>
        inline(
          (all: readonly KeyImageClaim[]) =>
            all.map(({ publicKey, signed }) => verifyKeyImage(publicKey, signed)),
          claims,
          invalid,
        ),
    },
  }) as unknown as WorkerPools;
