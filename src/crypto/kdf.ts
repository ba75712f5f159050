import { concatBytes, utf8 } from '../util/bytes.js';
import { slowHashAsync } from './slow-hash-async.js';
import type { SecretKey } from './types.js';

/** Key of a keys file: the slow hash of the password, `rounds` times. Source: crypto/chacha.h `generate_chacha_key`. */
export async function passwordKey(password: string, rounds: number): Promise<Uint8Array> {
  let key: Uint8Array = await slowHashAsync(utf8(password));
  for (let round = 1; round < rounds; round++) key = await slowHashAsync(key);
  return key;
}

/** Key of exported blobs, from the wallet's own keys. Source: device_default.cpp `generate_chacha_key`. */
export const secretKeysKey = (viewSecret: SecretKey, spendSecret: SecretKey): Promise<Uint8Array> =>
  slowHashAsync(concatBytes(viewSecret, spendSecret, Uint8Array.of(0x8c)));
