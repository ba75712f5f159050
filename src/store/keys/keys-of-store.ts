import { storeKey } from '../file/store-cipher.js';
import { topSecretOf } from './keys-file-carrot.js';
import type { KeysFile } from './keys-file.js';

/** Secret keys of a keys file from which the key of its store is derived. */
export type StoreSecrets = Pick<KeysFile, 'viewSecret' | 'spendSecret' | 'carrot'>;

/** Derives the key of a wallet's store from the secret keys of its keys file. */
export const storeKeyOf = ({ viewSecret, spendSecret, carrot }: StoreSecrets): Uint8Array =>
  storeKey(viewSecret, carrot === undefined ? spendSecret : topSecretOf(carrot));
