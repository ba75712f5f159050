import { keyDerivation, viewTag } from '../crypto/derivation.js';
import type { KeyDerivation, PublicKey, SecretKey } from '../crypto/types.js';
import { concatBytes } from '../util/bytes.js';
import { NO_VIEW_TAG, type ScanKernel } from './kernel.js';

/** Derivation of a key, or undefined when the bytes are not a point. */
function tryDerivation(key: Uint8Array, viewSecret: Uint8Array): KeyDerivation | undefined {
  try {
    return keyDerivation(key as PublicKey, viewSecret as SecretKey);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The plain kernel on noble: short and obviously right. */
export const referenceKernel: ScanKernel = {
  name: 'reference',
  scan(batch, viewSecret) {
    const derivations: (KeyDerivation | undefined)[] = [];
    for (let offset = 0; offset < batch.keys.length; offset += 32)
      derivations.push(tryDerivation(batch.keys.slice(offset, offset + 32), viewSecret));
    const outputs: number[] = [];
    const found: KeyDerivation[] = [];
    batch.outputKey.forEach((key, j) => {
      const derivation = derivations[key];
      if (derivation === undefined) return;
      const tag = batch.viewTags[j] ?? NO_VIEW_TAG;
      if (tag !== NO_VIEW_TAG && viewTag(derivation, batch.outputIndex[j] ?? 0) !== tag) return;
      outputs.push(j);
      found.push(derivation);
    });
    return { outputs: Uint32Array.from(outputs), derivations: concatBytes(...found) };
  },
};
