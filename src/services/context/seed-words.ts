import type { SecretKey } from '../../monero/crypto/types.js';
import { spendSecretFromSeed } from '../../monero/cryptonote/account-keys.js';
import { decodeMnemonic, removeSeedOffset } from '../../monero/cryptonote/mnemonic.js';
import { CodecError } from '../../util/codec.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';

/** Returns the spend key of a mnemonic seed. @param offset passphrase; empty: none. @throws WalletError `bad_seed` */
export async function spendSecretOfWords(words: string, offset: string): Promise<SecretKey> {
  return spendSecretFromSeed(await withoutOffset(asSeed(() => decodeMnemonic(words)).seed, offset));
}

/** Removes the offset passphrase from a seed. @param offset passphrase; empty: none. */
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
