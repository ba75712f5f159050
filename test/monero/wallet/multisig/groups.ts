import { spendSecretFromSeed, viewSecretFromSpend } from '../../../../src/monero/cryptonote/account-keys.js';
import { decodeMnemonic } from '../../../../src/monero/cryptonote/mnemonic.js';
import {
  continueExchange,
  isReady,
  nextMessage,
  openingMessage,
  signerOf,
  startExchange,
  type MultisigAccount,
  type Signer,
} from '../../../../src/monero/wallet/multisig/account.js';
import { readKexMessage } from '../../../../src/monero/wallet/multisig/kex-message.js';
import { randomSecretKey } from '../../../../src/monero/crypto/derivation.js';
import { loadCurve } from '../../../../src/monero/crypto/curve/load-curve.js';
import type { Rng } from '../../../../src/util/random.js';

export function signerOfSeed(words: string): Signer {
  const spendSecret = spendSecretFromSeed(decodeMnemonic(words).seed);
  return signerOf(spendSecret, viewSecretFromSpend(spendSecret));
}

export const randomSigners = (total: number, rng: Rng): Signer[] =>
  Array.from({ length: total }, () => signerOf(randomSecretKey(rng), randomSecretKey(rng)));

export const readAll = (messages: readonly string[]) =>
  messages.map((text) => readKexMessage(text, loadCurve()));

/** Accounts of all participants after each round, from round 1 on. */
export function exchangeRounds(signers: readonly Signer[], threshold: number, rng: Rng): MultisigAccount[][] {
  const opening = readAll(signers.map((signer) => openingMessage(signer, rng)));
  const rounds = [signers.map((signer) => startExchange(signer, threshold, opening))];
  for (;;) {
    const accounts = rounds.at(-1) ?? [];
    if (accounts.every(isReady)) return rounds;
    const messages = readAll(accounts.map((account) => nextMessage(account, rng)));
    rounds.push(accounts.map((account) => continueExchange(account, messages)));
  }
}

/** Accounts of a complete group. */
export const groupOf = (signers: readonly Signer[], threshold: number, rng: Rng): MultisigAccount[] =>
  exchangeRounds(signers, threshold, rng).at(-1) ?? [];
