import { publicKeyOf } from '../../monero/crypto/derivation.js';
import { accountKeysOf, spendSecretFromSeed } from '../../monero/cryptonote/account-keys.js';
import { findLanguage, OLD_ENGLISH, type Language } from '../../monero/cryptonote/languages.js';
import { decodeMnemonic, encodeMnemonic } from '../../monero/cryptonote/mnemonic.js';
import { WalletError } from '../../model/wallet-error.js';
import { readMultisigSeed } from '../../monero/wallet/multisig/seed.js';
import { birthdayTime } from '../../monero/cryptonote/polyseed.js';
import { findPolyseedLanguage, type PolyseedLanguage } from '../../monero/cryptonote/polyseed-languages.js';
import { storePolyseed } from '../../monero/cryptonote/polyseed-storage.js';
import { hasPolyseedLength } from '../../monero/cryptonote/polyseed-words.js';
import { asSeed, readPolyseed, withoutOffset } from '../context/seed-words.js';
import type { NewWallet } from './wallet-opener.js';

/** Kind of keys of an account: those that every account had before the fork, or those of the fork. */
export type KeyHierarchy = 'legacy' | 'carrot';

/** Request to restore a wallet from its mnemonic seed: 25 words, or the 16 words of a Polyseed. */
export interface RestoreRequest {
  readonly filename: string;
  readonly password: string;
  readonly seed: string;
  readonly restoreHeight: number;
  readonly language: string;
  readonly seedOffset: string;
  /** Kind of account that the seed gives, which its words do not tell; absent: `legacy`. */
  readonly hierarchy?: KeyHierarchy;
}

export type MultisigRestoreRequest = Omit<RestoreRequest, 'language' | 'seedOffset' | 'hierarchy'>;

/** A new wallet for which no paths are chosen yet. */
export type UnlocatedWallet = Omit<NewWallet, 'paths'>;

/** A wallet that was derived from a seed. */
export interface SeedWallet {
  readonly wallet: UnlocatedWallet;
  /** 25 words that restore the wallet without an offset. */
  readonly seed: string;
  /** True for a seed of an old format. */
  readonly deprecated: boolean;
}

/** Derives a wallet from a seed. @throws WalletError `bad_seed`, `unknown_language` */
export async function walletFromSeed(request: RestoreRequest): Promise<SeedWallet> {
  const { password, restoreHeight, seedOffset } = request;
  if (request.seed.trim() === '')
    throw new WalletError({
      kind: 'bad_seed',
      reason: 'it is empty',
      text: "field 'seed' is mandatory. Please provide a seed you want to restore from.",
    });
  if (hasPolyseedLength(request.seed)) return walletFromPolyseed(request);
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

/** Derives a wallet from a Polyseed, whose birthday is the time before which the wallet received nothing. */
async function walletFromPolyseed(request: RestoreRequest): Promise<SeedWallet> {
  const { password, restoreHeight } = request;
  const { spendSecret, seed, language } = await readPolyseed(
    request.seed,
    request.seedOffset,
    request.language,
  );
  return {
    wallet: {
      keys: accountKeysOf(spendSecret),
      polyseed: storePolyseed(seed),
      createdAt: birthdayTime(seed),
      language,
      password,
      restoreHeight,
    },
    seed: encodeMnemonic(spendSecret, requireLanguage('English')),
    deprecated: false,
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

/** Finds a language of Polyseeds by its name. @throws WalletError `unknown_language` */
export function requirePolyseedLanguage(name: string): PolyseedLanguage {
  const language = findPolyseedLanguage(name);
  if (language === undefined) throw new WalletError({ kind: 'unknown_language', language: name });
  return language;
}
