import type { SecretKey } from '../../monero/crypto/types.js';
import { spendSecretFromSeed } from '../../monero/cryptonote/account-keys.js';
import { decodeMnemonic, removeSeedOffset } from '../../monero/cryptonote/mnemonic.js';
import {
  decryptPolyseed,
  isEncrypted,
  polyseedKey,
  type Polyseed,
} from '../../monero/cryptonote/polyseed.js';
import { findPolyseedLanguage, type PolyseedLanguage } from '../../monero/cryptonote/polyseed-languages.js';
import { storePolyseed } from '../../monero/cryptonote/polyseed-storage.js';
import { decodePolyseed, hasPolyseedLength } from '../../monero/cryptonote/polyseed-words.js';
import { CodecError } from '../../util/codec.js';
import type { SpendSecrets } from '../../monero/wallet/keys.js';
import { WalletError } from '../../model/wallet-error.js';

/**
 * Returns the spend key of a mnemonic seed of 25 words or of a Polyseed, and the Polyseed.
 * @param offset passphrase; empty: no passphrase. @throws WalletError `bad_seed`
 */
export async function secretsOfWords(words: string, offset: string): Promise<SpendSecrets> {
  if (!hasPolyseedLength(words))
    return {
      spendSecret: spendSecretFromSeed(await withoutOffset(asSeed(() => decodeMnemonic(words)).seed, offset)),
    };
  const { spendSecret, seed } = await readPolyseed(words, offset);
  return { spendSecret, polyseed: storePolyseed(seed) };
}

/** A Polyseed that was read from its words, and the spend key that it gives with its passphrase. */
export interface ReadPolyseed {
  readonly spendSecret: SecretKey;
  /** Seed in the form of the words: an encrypted seed stays encrypted. */
  readonly seed: Polyseed;
  readonly language: PolyseedLanguage;
}

/**
 * Reads the words of a Polyseed. The passphrase decrypts an encrypted seed; for any other seed it is an offset of the
 * key, as for a seed of 25 words.
 * @param passphrase empty: no passphrase. @param languageName language of words that several languages have.
 * @throws WalletError `bad_seed` Source: polyseed.cpp `data::generate_secret_key` of the reference's main branch.
 */
export async function readPolyseed(
  words: string,
  passphrase: string,
  languageName = '',
): Promise<ReadPolyseed> {
  const { seed, language } = asSeed(() => decodePolyseed(words, findPolyseedLanguage(languageName)));
  if (isEncrypted(seed) && passphrase === '')
    throw new WalletError({
      kind: 'bad_seed',
      reason: 'it is encrypted, and needs its passphrase',
      text: 'encrypted polyseed needs a passphrase',
    });
  const key = isEncrypted(seed)
    ? polyseedKey(decryptPolyseed(seed, passphrase))
    : await withoutOffset(polyseedKey(seed), passphrase);
  return { spendSecret: spendSecretFromSeed(key), seed, language };
}

/** Removes the offset passphrase from a seed. @param offset passphrase; empty: no passphrase. */
export const withoutOffset = async (seed: Uint8Array, offset: string): Promise<Uint8Array> =>
  offset === '' ? seed : removeSeedOffset(seed, offset);

/** Runs a reader of a seed. @throws WalletError `bad_seed` in place of a CodecError of the reader. */
export function asSeed<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof CodecError)
      throw new WalletError({ kind: 'bad_seed', reason: cause.message }, { cause });
    throw cause;
  }
}
