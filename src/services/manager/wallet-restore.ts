import { publicKeyOf } from '../../monero/crypto/derivation.js';
import { accountKeysOf, spendSecretFromSeed } from '../../monero/cryptonote/account-keys.js';
import { findLanguage, OLD_ENGLISH, type Language } from '../../monero/cryptonote/languages.js';
import { decodeMnemonic, encodeMnemonic } from '../../monero/cryptonote/mnemonic.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';
import { readMultisigSeed } from '../../monero/wallet/multisig/seed.js';
import { asSeed, withoutOffset } from '../context/seed-words.js';
import type { NewWallet } from './wallet-opener.js';

/** Request to restore a wallet from its mnemonic seed. */
export interface RestoreRequest {
  readonly filename: string;
  readonly password: string;
  readonly seed: string;
  readonly restoreHeight: number;
  readonly language: string;
  readonly seedOffset: string;
}

export type MultisigRestoreRequest = Omit<RestoreRequest, 'language' | 'seedOffset'>;

/** A new wallet for which no paths are chosen yet. */
export type UnlocatedWallet = Omit<NewWallet, 'paths'>;

/**
 * Derives a wallet from a seed. @returns the wallet, and its seed without the offset.
 * @throws WalletError `bad_seed`, `unknown_language`
 */
export async function walletFromSeed(
  request: RestoreRequest,
): Promise<{ readonly wallet: UnlocatedWallet; readonly seed: string; readonly deprecated: boolean }> {
  const { password, restoreHeight, seedOffset } = request;
  if (request.seed.trim() === '')
    throw new WalletError({
      kind: 'bad_seed',
      reason: 'it is empty',
      text: "field 'seed' is mandatory. Please provide a seed you want to restore from.",
    });
  const decoded = asSeed(() => decodeMnemonic(request.seed));
  // Seeds in Old English are only read: such a wallet gets a seed in another language.
  const language = decoded.language === OLD_ENGLISH ? requireLanguage(request.language) : decoded.language;
  const plain = await withoutOffset(decoded.seed, seedOffset);
  return {
    wallet: {
      keys: accountKeysOf(spendSecretFromSeed(plain)),
      language,
      password,
      restoreHeight,
    },
    seed: encodeMnemonic(plain, language),
    deprecated: decoded.deprecated,
  };
}

/** Derives one multisig participant from its seed. @throws WalletError `bad_seed` */
export function walletFromMultisigSeed({
  seed,
  password,
  restoreHeight,
}: MultisigRestoreRequest): UnlocatedWallet {
  const { signerSecret, commonSecret, spendPublicKey, ...multisig } = asSeed(() => readMultisigSeed(seed));
  const keys = {
    spendPublicKey,
    viewPublicKey: publicKeyOf(commonSecret),
    viewSecret: commonSecret,
    spendSecret: signerSecret,
  };
  return { keys, multisig, language: undefined, password, restoreHeight };
}

/** Finds a language by its name. @throws WalletError `unknown_language` */
export function requireLanguage(name: string): Language {
  const language = findLanguage(name);
  if (language === undefined) throw new WalletError({ kind: 'unknown_language', language: name });
  return language;
}
