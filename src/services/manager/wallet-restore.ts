import { publicKeyOf } from '../../crypto/derivation.js';
import { accountKeysOf, spendSecretFromSeed } from '../../cryptonote/account-keys.js';
import { findLanguage, OLD_ENGLISH, type Language } from '../../cryptonote/languages.js';
import { decodeMnemonic, encodeMnemonic } from '../../cryptonote/mnemonic.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import { readMultisigSeed } from '../../wallet/multisig/seed.js';
import { asSeed, withoutOffset } from '../context/seed-words.js';
import type { NewWallet } from './wallet-opener.js';

/** What a wallet is made again from, wherever its file will stand. */
export interface RestoreRequest {
  readonly filename: string;
  readonly password: string;
  readonly seed: string;
  readonly restoreHeight: number;
  readonly language: string;
  readonly seedOffset: string;
}

export type MultisigRestoreRequest = Omit<RestoreRequest, 'language' | 'seedOffset'>;

/** A wallet that has no place yet. */
export type PlacelessWallet = Omit<NewWallet, 'paths'>;

/** @returns the wallet, and what the caller should write down. @throws WalletError `bad_seed`, `unknown_language` */
export async function walletFromWords(
  request: RestoreRequest,
): Promise<{ readonly wallet: PlacelessWallet; readonly seed: string; readonly deprecated: boolean }> {
  const { password, restoreHeight, seedOffset } = request;
  if (request.seed.trim() === '')
    throw new WalletError({
      kind: 'bad_seed',
      reason: 'it is empty',
      text: "field 'seed' is mandatory. Please provide a seed you want to restore from.",
    });
  const decoded = asSeed(() => decodeMnemonic(request.seed));
  // The first word list is read, never written: its wallets need another one.
  const language = decoded.language === OLD_ENGLISH ? requireLanguage(request.language) : decoded.language;
  const plain = await withoutOffset(decoded.seed, seedOffset);
  return {
    wallet: { keys: accountKeysOf(spendSecretFromSeed(plain)), language, password, restoreHeight },
    seed: encodeMnemonic(plain, language),
    deprecated: decoded.deprecated,
  };
}

/** One participant of a group. @throws WalletError `bad_seed` */
export function walletFromMultisigSeed({
  seed,
  password,
  restoreHeight,
}: MultisigRestoreRequest): PlacelessWallet {
  const { signerSecret, commonSecret, spendPublicKey, ...multisig } = asSeed(() => readMultisigSeed(seed));
  const keys = {
    spendPublicKey,
    viewPublicKey: publicKeyOf(commonSecret),
    viewSecret: commonSecret,
    spendSecret: signerSecret,
  };
  return { keys, multisig, language: undefined, password, restoreHeight };
}

/** @throws WalletError `unknown_language` */
export function requireLanguage(name: string): Language {
  const language = findLanguage(name);
  if (language === undefined) throw new WalletError({ kind: 'unknown_language', language: name });
  return language;
}
