import type { KeyImage, PublicKey, SecretKey } from '../../monero/crypto/types.js';
import { CodecError } from '../../util/codec.js';
import { systemRng } from '../../util/random.js';
import { answerCalls, job } from '../../util/thread-jobs.js';
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
import { cosign, NoNonceError } from '../../monero/wallet/multisig/cosigning.js';
import { checkInfo, freshInfo, type SignerInfo } from '../../monero/wallet/multisig/info.js';
import {
  KexMessageError,
  readKexMessage,
  type KexMessage,
} from '../../monero/wallet/multisig/kex-message.js';
import { compositeKeyImage, type SigningShares } from '../../monero/wallet/multisig/key-image.js';
import { propose, type ProposalPlan } from '../../monero/wallet/multisig/proposal.js';
import { refused } from '../../monero/wallet/multisig/kex-round.js';
import { faultRefusal, type ThreadRefusal } from './thread-refusal.js';

/** A participant's account after a round of key exchange, and the message for the other participants. */
export interface RoundOutput {
  readonly account: MultisigAccount;
  readonly message: string;
}

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

const secretsOfAccount = ({
  signerSecret,
  commonSecret,
  shares,
  roundKeys,
}: MultisigAccount): Uint8Array[] => [signerSecret, commonSecret, ...shares, ...roundKeys];

export const MULTISIG_JOBS = {
  start: job(
    ({
      signer,
      threshold,
      messages,
    }: {
      readonly signer: Signer;
      readonly threshold: number;
      readonly messages: readonly string[];
    }) => roundOutput(startExchange(signer, threshold, readMessages(messages))),
    { secretsOf: ({ signer }) => [signer.signerSecret, signer.commonSecret] },
  ),
  advance: job(
    ({
      account,
      messages,
      incomplete,
    }: {
      readonly account: MultisigAccount;
      readonly messages: readonly string[];
      readonly incomplete: boolean;
    }) => roundOutput(continueExchange(account, readMessages(messages), incomplete)),
    { secretsOf: ({ account }) => secretsOfAccount(account) },
  ),
  boost: job(
    ({ booster, messages }: { readonly booster: Booster; readonly messages: readonly string[] }) =>
      boosterMessage(booster, readMessages(messages), systemRng),
    { secretsOf: ({ booster }) => [booster.signerSecret, booster.commonSecret] },
  ),
  /** Creates signer info with fresh nonces, `nonces` of them for each output. */
  createInfo: job(
    ({
      outputs,
      signer,
      shares,
    }: {
      readonly outputs: readonly { readonly publicKey: PublicKey; readonly nonces: number }[];
      readonly signer: PublicKey;
      readonly shares: readonly SecretKey[];
    }) => outputs.map(({ publicKey, nonces }) => freshInfo(publicKey, signer, shares, nonces, systemRng)),
    { secretsOf: ({ shares }) => shares },
  ),
  verifyInfo: job(
    ({
      info,
      account,
      viewPublicKey,
    }: {
      readonly info: SignerInfo;
      readonly account: MultisigAccount;
      readonly viewPublicKey: PublicKey;
    }): true => {
      checkInfo(info, { spendPublicKey: account.spendPublicKey, viewPublicKey }, account);
      return true;
    },
    { secretsOf: ({ account }) => secretsOfAccount(account) },
  ),
  /** Computes key images from own and imported partial key images. */
  combineKeyImages: job(
    ({
      outputs,
      keys,
      count,
    }: {
      readonly outputs: readonly { readonly output: LocatedOutput; readonly imported: readonly KeyImage[] }[];
      readonly keys: SigningShares;
      readonly count: number;
    }) => outputs.map(({ output, imported }) => compositeKeyImage(output, keys, imported, count)),
    { secretsOf: ({ keys }) => [keys.viewSecret, ...keys.shares] },
  ),
  propose: job((plan: ProposalPlan) => propose(plan, systemRng), {
    secretsOf: ({ plan }) => [plan.viewSecret, ...plan.inputs.map(({ secretKey }) => secretKey)],
  }),
  cosign: job(cosign, {
    secretsOf: ({ keys, shares, nonces }) => [keys.viewSecret, ...shares, ...nonces.flat()],
  }),
};

export type MultisigJobs = typeof MULTISIG_JOBS;

answerCalls<ThreadRefusal>(MULTISIG_JOBS, (error) => {
  if (error instanceof NoNonceError) return { fault: { kind: 'multisig_export_needed' } };
  if (error instanceof RangeError || error instanceof CodecError) return { problem: error.message };
  return faultRefusal(error);
});
