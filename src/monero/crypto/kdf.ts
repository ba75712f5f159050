import { utf8 } from '../../util/bytes.js';
import { keccak } from './keccak.js';
import { RecentHashes, type Stretch } from './recent-hashes.js';
import { slowHashAsync } from './slow-hash-worker.js';
import type { SecretKey } from './types.js';

/**
 * Domain bytes at the end of a preimage. Source: cryptonote_config.h `HASH_KEY_WALLET`, `HASH_KEY_WALLET_CACHE`,
 * `HASH_KEY_BACKGROUND_…`, `HASH_KEY_MEMORY`.
 */
const WALLET = 0x8c;
const WALLET_CACHE = 0x8d;
const BACKGROUND_CACHE = 0x8e;
const BACKGROUND_KEYS_FILE = 0x8f;
const MEMORY = 0x6b;

/** Time for which the key derived from a password is kept after its last use [ms]. */
const RECENT_MS = 2000;

let recent: RecentHashes | undefined;

/**
 * Switches the cache of password keys on or off; a key is kept for `ms` milliseconds after its last use. The cache is
 * off by default: a client that may open only some wallets could learn from the duration of a call whether another
 * wallet has the same password.
 */
export function keepRecentKeys(keep: boolean, ms = RECENT_MS): void {
  recent?.clear();
  recent = keep ? new RecentHashes(slowHashAsync, ms) : undefined;
}

/** Hashes a preimage `rounds` times with CryptoNight, then wipes the preimage. */
async function stretched(
  preimage: Uint8Array,
  rounds: number,
  stretch: Stretch = slowHashAsync,
): Promise<Uint8Array> {
  try {
    return await stretch(preimage, rounds);
  } finally {
    preimage.fill(0);
  }
}

/**
 * Hashes a preimage as {@link stretched}, with the cache. Used for passwords and keys derived from passwords, which
 * several wallets may share.
 */
const stretchedPassword = (preimage: Uint8Array, rounds: number): Promise<Uint8Array> =>
  stretched(preimage, rounds, recent?.digest);

/** Joins `parts || domain` into one buffer. */
function preimageOf(parts: readonly Uint8Array[], domain: number): Uint8Array {
  const preimage = new Uint8Array(parts.reduce((length, part) => length + part.length, 1));
  let offset = 0;
  for (const part of parts) {
    preimage.set(part, offset);
    offset += part.length;
  }
  preimage[offset] = domain;
  return preimage;
}

/**
 * Derives the ChaCha key of a keys file: CryptoNight of the password's UTF-8 bytes, repeated `rounds` times. The empty
 * password is valid.
 * @param rounds ≥ 1.
 * @throws RangeError otherwise. Source: chacha.h `generate_chacha_key`.
 */
export const passwordKey = (password: string, rounds: number): Promise<Uint8Array> =>
  stretchedPassword(utf8(password), rounds);

/**
 * Derives the ChaCha key of the reference's cache: `keccak(passwordKey || 0x8d)`.
 * @throws RangeError unless rounds ≥ 1. Source: wallet2.cpp `derive_cache_key`.
 */
export async function cacheKey(password: string, rounds: number): Promise<Uint8Array> {
  const base = await passwordKey(password, rounds);
  try {
    return keccak(base, Uint8Array.of(WALLET_CACHE));
  } finally {
    base.fill(0);
  }
}

/**
 * Derives the ChaCha key of the background keys file: `keccak(passwordKey || 0x8f)`. Source: wallet2.cpp
 * `get_custom_background_key`.
 */
export const backgroundKeyOf = (passwordKey: Uint8Array): Uint8Array =>
  keccak(passwordKey, Uint8Array.of(BACKGROUND_KEYS_FILE));

/**
 * Derives the ChaCha key of the background cache: `keccak(backgroundKey || 0x8e)`. Source: wallet2.cpp `get_cache_key`.
 */
export const backgroundCacheKey = (backgroundKey: Uint8Array): Uint8Array =>
  keccak(backgroundKey, Uint8Array.of(BACKGROUND_CACHE));

/** Derives the ChaCha key of the background keys file from the password. @throws RangeError unless rounds ≥ 1. */
export async function backgroundKey(password: string, rounds: number): Promise<Uint8Array> {
  const base = await passwordKey(password, rounds);
  try {
    return backgroundKeyOf(base);
  } finally {
    base.fill(0);
  }
}

/**
 * Derives the ChaCha key of exports (outputs, key images, unsigned and multisig sets): CryptoNight of the view secret
 * key, repeated `rounds` times.
 * @param rounds the same number as for the password, ≥ 1.
 * @throws RangeError otherwise. Source: wallet2.cpp `encrypt`, `encrypt_with_view_secret_key`.
 */
export const exportKey = (viewSecret: SecretKey, rounds = 1): Promise<Uint8Array> =>
  stretched(Uint8Array.from(viewSecret), rounds);

/**
 * Derives the ChaCha key of the reference's old caches and of its ring database: CryptoNight of `view || spend ||
 * 0x8c`, repeated `rounds` times. For a view-only wallet the spend secret key consists of zeros.
 * @throws RangeError unless rounds ≥ 1. Source: wallet2.cpp `generate_chacha_key_from_secret_keys`, device_default.cpp
 * `generate_chacha_key`.
 */
export const secretKeysKey = (
  viewSecret: SecretKey,
  spendSecret: SecretKey,
  rounds = 1,
): Promise<Uint8Array> => stretched(preimageOf([viewSecret, spendSecret], WALLET), rounds);

/**
 * Derives the ChaCha key of the second encryption of the secret keys inside a keys file: CryptoNight of `passwordKey ||
 * 'k'`, always one round. Source: account.cpp `derive_key`.
 */
export const memoryKey = (baseKey: Uint8Array): Promise<Uint8Array> =>
  stretchedPassword(preimageOf([baseKey], MEMORY), 1);
