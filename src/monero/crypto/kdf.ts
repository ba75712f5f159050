import { utf8 } from '../../util/bytes.js';
import { keccak } from './keccak.js';
import { RecentHashes, type Stretch } from './recent-hashes.js';
import { slowHashAsync } from './slow-hash-worker.js';
import type { SecretKey } from './types.js';

/**
 * Domain bytes that end a preimage.
 * Source: cryptonote_config.h `HASH_KEY_WALLET`, `HASH_KEY_WALLET_CACHE`, `HASH_KEY_BACKGROUND_…`, `HASH_KEY_MEMORY`.
 */
const WALLET = 0x8c;
const WALLET_CACHE = 0x8d;
const BACKGROUND_CACHE = 0x8e;
const BACKGROUND_KEYS_FILE = 0x8f;
const MEMORY = 0x6b;

/** Time after which the key of a password that was used is derived anew [ms]. */
const RECENT_MS = 2000;

let recent: RecentHashes | undefined;

/**
 * Keeps or derives anew the keys of passwords that were used in the last two seconds. At first none is kept: a client
 * that may open some wallets only could learn from the time of an answer whether another wallet has the same password.
 */
export function keepRecentKeys(keep: boolean): void {
  recent?.clear();
  recent = keep ? new RecentHashes(slowHashAsync, RECENT_MS) : undefined;
}

/** Hashes a preimage `rounds` times, then wipes it. */
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

/** {@link stretched} for a password and keys derived from it, which several wallets may have. */
const stretchedPassword = (preimage: Uint8Array, rounds: number): Promise<Uint8Array> =>
  stretched(preimage, rounds, recent?.digest);

/** `parts || domain` in one buffer. */
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
 * ChaCha key of a keys file: CryptoNight of the password's UTF-8 bytes, `rounds` times.
 * The empty password is valid.
 * @param rounds ≥ 1. @throws RangeError otherwise.
 * Source: chacha.h `generate_chacha_key`.
 */
export const passwordKey = (password: string, rounds: number): Promise<Uint8Array> =>
  stretchedPassword(utf8(password), rounds);

/**
 * ChaCha key of the reference's cache: `keccak(passwordKey || 0x8d)`.
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
 * ChaCha key of the background keys file: `keccak(passwordKey || 0x8f)`.
 * Source: wallet2.cpp `get_custom_background_key`.
 */
export const backgroundKeyOf = (passwordKey: Uint8Array): Uint8Array =>
  keccak(passwordKey, Uint8Array.of(BACKGROUND_KEYS_FILE));

/** ChaCha key of the background cache: `keccak(backgroundKey || 0x8e)`. Source: wallet2.cpp `get_cache_key`. */
export const backgroundCacheKey = (backgroundKey: Uint8Array): Uint8Array =>
  keccak(backgroundKey, Uint8Array.of(BACKGROUND_CACHE));

/**
 * ChaCha key of the background keys file, from the password.
 * @throws RangeError unless rounds ≥ 1.
 */
export async function backgroundKey(password: string, rounds: number): Promise<Uint8Array> {
  const base = await passwordKey(password, rounds);
  try {
    return backgroundKeyOf(base);
  } finally {
    base.fill(0);
  }
}

/**
 * ChaCha key of exports (outputs, key images, unsigned and multisig sets): the view secret, stretched with the same
 * number of rounds as the password.
 * @throws RangeError unless rounds ≥ 1.
 * Source: wallet2.cpp `encrypt`, `encrypt_with_view_secret_key`.
 */
export const exportKey = (viewSecret: SecretKey, rounds = 1): Promise<Uint8Array> =>
  stretched(Uint8Array.from(viewSecret), rounds);

/**
 * ChaCha key of the reference's old caches and its ring database: `view || spend || 0x8c`, stretched. A view-only
 * wallet uses a spend secret of zeros.
 * @throws RangeError unless rounds ≥ 1.
 * Source: wallet2.cpp `generate_chacha_key_from_secret_keys`, device_default.cpp `generate_chacha_key`.
 */
export const secretKeysKey = (
  viewSecret: SecretKey,
  spendSecret: SecretKey,
  rounds = 1,
): Promise<Uint8Array> => stretched(preimageOf([viewSecret, spendSecret], WALLET), rounds);

/**
 * ChaCha key of the second layer around the secrets inside a keys file: `passwordKey || 'k'`, always one round.
 * Source: account.cpp `derive_key`.
 */
export const memoryKey = (baseKey: Uint8Array): Promise<Uint8Array> =>
  stretchedPassword(preimageOf([baseKey], MEMORY), 1);
