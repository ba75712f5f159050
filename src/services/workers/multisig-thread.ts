import { parentPort } from 'node:worker_threads';
import type { KeyImage, PublicKey, SecretKey } from '../../monero/crypto/types.js';
import { CodecError } from '../../util/codec.js';
import { systemRng } from '../../util/random.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';
import type { LocatedOutput } from '../../monero/wallet/scan/key-images.js';
import {
  boosterMessage,
  continueExchange,
  nextMessage,
  startExchange,
  type Booster,
  type MultisigAccount,
  type Signer,
} from '../../monero/wallet/multisig/account.js';
import {
  cosign,
  NoNonceError,
  type Cosigned,
  type CosigningRequest,
} from '../../monero/wallet/multisig/cosigning.js';
import { checkInfo, freshInfo, type FreshInfo, type SignerInfo } from '../../monero/wallet/multisig/info.js';
import {
  KexMessageError,
  readKexMessage,
  type KexMessage,
} from '../../monero/wallet/multisig/kex-message.js';
import { compositeKeyImage, type SigningShares } from '../../monero/wallet/multisig/key-image.js';
import { propose, type Proposal, type ProposalPlan } from '../../monero/wallet/multisig/proposal.js';
import { refused } from '../../monero/wallet/multisig/kex-round.js';
import type { TaskOf, ThreadAnswer } from './worker-client.js';

/** A participant's account after a round of key exchange, and the message for the other participants. */
export interface RoundOutput {
  readonly account: MultisigAccount;
  readonly message: string;
}

/** Task and result of each kind of work. */
export interface MultisigWork {
  readonly start: {
    readonly task: {
      readonly signer: Signer;
      readonly threshold: number;
      readonly messages: readonly string[];
    };
    readonly result: RoundOutput;
  };
  readonly advance: {
    readonly task: {
      readonly account: MultisigAccount;
      readonly messages: readonly string[];
      readonly incomplete: boolean;
    };
    readonly result: RoundOutput;
  };
  readonly boost: {
    readonly task: { readonly booster: Booster; readonly messages: readonly string[] };
    readonly result: string;
  };
  /** Creates signer info with `nonces` fresh nonces for each output. */
  readonly createInfo: {
    readonly task: {
      readonly outputs: readonly { readonly publicKey: PublicKey; readonly nonces: number }[];
      readonly signer: PublicKey;
      readonly shares: readonly SecretKey[];
    };
    readonly result: readonly FreshInfo[];
  };
  readonly verifyInfo: {
    readonly task: {
      readonly info: SignerInfo;
      readonly account: MultisigAccount;
      readonly viewPublicKey: PublicKey;
    };
    readonly result: true;
  };
  /** Computes key images from this signer's partial key images and imported ones. */
  readonly combineKeyImages: {
    readonly task: {
      readonly outputs: readonly { readonly output: LocatedOutput; readonly imported: readonly KeyImage[] }[];
      readonly keys: SigningShares;
      readonly count: number;
    };
    readonly result: readonly KeyImage[];
  };
  readonly propose: { readonly task: ProposalPlan; readonly result: Proposal };
  readonly cosign: { readonly task: CosigningRequest; readonly result: Cosigned };
}

type MultisigTask = TaskOf<MultisigWork>;

/** Reads messages of a key exchange. @throws WalletError `multisig_refused` */
const readMessages = (texts: readonly string[]): KexMessage[] =>
  texts.map((text) => {
    try {
      return readKexMessage(text);
    } catch (cause) {
      if (!(cause instanceof KexMessageError)) throw cause;
      throw refused(`a key exchange message cannot be used: ${cause.message}`, cause.text);
    }
  });

const roundOutput = (account: MultisigAccount): RoundOutput => ({
  account,
  message: nextMessage(account, systemRng),
});

function run(work: MultisigTask): MultisigWork[keyof MultisigWork]['result'] {
  switch (work.kind) {
    case 'start': {
      const { signer, threshold, messages } = work.task;
      return roundOutput(startExchange(signer, threshold, readMessages(messages)));
    }
    case 'advance': {
      const { account, messages, incomplete } = work.task;
      return roundOutput(continueExchange(account, readMessages(messages), incomplete));
    }
    case 'boost':
      return boosterMessage(work.task.booster, readMessages(work.task.messages), systemRng);
    case 'createInfo': {
      const { outputs, signer, shares } = work.task;
      return outputs.map(({ publicKey, nonces }) => freshInfo(publicKey, signer, shares, nonces, systemRng));
    }
    case 'verifyInfo': {
      const { info, account, viewPublicKey } = work.task;
      checkInfo(info, { spendPublicKey: account.spendPublicKey, viewPublicKey }, account);
      return true;
    }
    case 'combineKeyImages': {
      const { outputs, keys, count } = work.task;
      return outputs.map(({ output, imported }) => compositeKeyImage(output, keys, imported, count));
    }
    case 'propose':
      return propose(work.task, systemRng);
    case 'cosign':
      return cosign(work.task);
  }
}

/** Lists the secrets of a task, copies in this thread, which are wiped after the task. */
function secretsOf(work: MultisigTask): readonly Uint8Array[] {
  switch (work.kind) {
    case 'start':
      return [work.task.signer.signerSecret, work.task.signer.commonSecret];
    case 'advance':
    case 'verifyInfo':
      return secretsOfAccount(work.task.account);
    case 'boost':
      return [work.task.booster.signerSecret, work.task.booster.commonSecret];
    case 'createInfo':
      return work.task.shares;
    case 'combineKeyImages':
      return [work.task.keys.viewSecret, ...work.task.keys.shares];
    case 'propose':
      return [work.task.plan.viewSecret, ...work.task.plan.inputs.map(({ secretKey }) => secretKey)];
    case 'cosign':
      return [work.task.keys.viewSecret, ...work.task.shares, ...work.task.nonces.flat()];
  }
}

const secretsOfAccount = ({
  signerSecret,
  commonSecret,
  shares,
  roundKeys,
}: MultisigAccount): Uint8Array[] => [signerSecret, commonSecret, ...shares, ...roundKeys];

const port = parentPort;
if (port === null) throw new Error('multisig-thread runs as a worker thread only');
port.on('message', (work: MultisigTask) => {
  let answer: ThreadAnswer;
  try {
    answer = { result: run(work) };
  } catch (error) {
    if (error instanceof WalletError) answer = { fault: error.fault };
    else if (error instanceof NoNonceError) answer = { fault: { kind: 'multisig_export_needed' } };
    else if (error instanceof RangeError || error instanceof CodecError) answer = { problem: error.message };
    else throw error;
  }
  port.postMessage(answer);
  for (const secret of secretsOf(work)) secret.fill(0);
});
