import { concatBytes } from '../../util/bytes.js';
import { CodecError } from '../../util/codec.js';
import { loadPolyseed, POLYSEED_BYTES } from '../../monero/cryptonote/polyseed-storage.js';
import type { SectionReader } from '../../monero/epee/portable-storage.js';
import type { TypedSection } from '../../monero/epee/storage-writer.js';

/** Name of the field that tells whether the keys come from a Polyseed. Source: wallet2.cpp `get_keys_file_data`, main branch. */
export const POLYSEED_FIELD = 'polyseed';

/**
 * Names of the stored seed among the keys, and of the section with a passphrase, which wallets of the library monero_c keep
 * beside it. Source: account.h `account_keys`, main branch.
 */
const SEED = 'm_polyseed';
const PASSPHRASE = 'm_passphrase';
const BUFFER = 'buffer';

/**
 * Returns the stored Polyseed of the keys and the passphrase behind it, as they stand in the file; they are encrypted behind
 * all other secret keys. Empty if there is none.
 */
export function polyseedSecrets(keys: SectionReader): Uint8Array {
  const seed = keys.bytes(SEED, new Uint8Array());
  if (seed.length !== POLYSEED_BYTES) return new Uint8Array();
  const passphrase = keys.has(PASSPHRASE)
    ? keys.section(PASSPHRASE).bytes(BUFFER, new Uint8Array())
    : new Uint8Array();
  return concatBytes(seed, passphrase);
}

/** Returns true if decrypted secrets begin with a Polyseed that can be read. */
export function isStoredPolyseed(secrets: Uint8Array): boolean {
  if (secrets.length < POLYSEED_BYTES) return false;
  try {
    loadPolyseed(secrets.subarray(0, POLYSEED_BYTES));
    return true;
  } catch (error) {
    if (error instanceof CodecError) return false;
    throw error;
  }
}

/** Returns the fields of the keys that hold an encrypted Polyseed and the passphrase behind it. */
export function polyseedKeyFields(encrypted: Uint8Array): TypedSection {
  const bytes = (value: Uint8Array) => ({ type: 'string', value }) as const;
  const passphrase = encrypted.subarray(POLYSEED_BYTES);
  return {
    [SEED]: bytes(encrypted.subarray(0, POLYSEED_BYTES)),
    ...(passphrase.length === 0
      ? {}
      : { [PASSPHRASE]: { type: 'object', value: { [BUFFER]: bytes(passphrase) } } }),
  };
}
