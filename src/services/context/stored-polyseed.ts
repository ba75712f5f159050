import type { SecretKey } from '../../monero/crypto/types.js';
import { spendSecretFromSeed } from '../../monero/cryptonote/account-keys.js';
import { isEncrypted, polyseedKey } from '../../monero/cryptonote/polyseed.js';
import { findPolyseedLanguage, POLYSEED_LANGUAGES } from '../../monero/cryptonote/polyseed-languages.js';
import { loadPolyseed, POLYSEED_BYTES } from '../../monero/cryptonote/polyseed-storage.js';
import { encodePolyseed } from '../../monero/cryptonote/polyseed-words.js';
import { equalBytes } from '../../util/bytes.js';

/**
 * Returns the words of a stored Polyseed. Returns undefined where the wallet was restored with an offset passphrase: the words
 * alone would then restore another wallet, and nothing in them says so. The words of an encrypted seed say it.
 * @param stored as in a keys file; a passphrase behind the seed is not used.
 * @param spendSecret spend key of the wallet.
 * @param languageName language of the words; English in place of an unknown one.
 */
export function wordsOfStoredPolyseed(
  stored: Uint8Array,
  spendSecret: SecretKey,
  languageName: string,
): string | undefined {
  const seed = loadPolyseed(stored.subarray(0, POLYSEED_BYTES));
  const [english] = POLYSEED_LANGUAGES;
  const language = findPolyseedLanguage(languageName) ?? english;
  const restores = isEncrypted(seed) || equalBytes(spendSecretFromSeed(polyseedKey(seed)), spendSecret);
  return language !== undefined && restores ? encodePolyseed(seed, language) : undefined;
}
