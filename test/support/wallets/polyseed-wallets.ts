import { spendSecretFromSeed } from '../../../src/monero/cryptonote/account-keys.js';
import { polyseedKey, type Polyseed } from '../../../src/monero/cryptonote/polyseed.js';
import { POLYSEED_LANGUAGES } from '../../../src/monero/cryptonote/polyseed-languages.js';
import { storePolyseed } from '../../../src/monero/cryptonote/polyseed-storage.js';
import { decodePolyseed, encodePolyseed } from '../../../src/monero/cryptonote/polyseed-words.js';
import type { SecretKey } from '../../../src/monero/crypto/types.js';

/** A wallet with a Polyseed. Its address is known from other programs (`test/vectors/cryptonote/polyseed.json`). */
export const WORDS =
  'raven tail swear infant grief assist regular lamp duck valid someone little harsh puppy airport language';

const english = POLYSEED_LANGUAGES[0];
if (english === undefined) throw new Error('no English');

export const { seed: SEED } = decodePolyseed(WORDS);
/** {@link SEED} as a keys file has it. */
export const STORED = storePolyseed(SEED);

/** Spend key of a seed without a passphrase. */
export const spendOf = (seed: Polyseed): SecretKey => spendSecretFromSeed(polyseedKey(seed));

export const wordsOf = (seed: Polyseed, language = english): string => encodePolyseed(seed, language);
