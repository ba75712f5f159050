import { normalizeZ } from '@noble/curves/abstract/curve.js';
import { deriveSubaddressPublicKey, keyDerivation, viewTag } from '../crypto/derivation.js';
import type { KeyDerivation, PublicKey, SecretKey } from '../crypto/types.js';
import { plainCurve } from '../crypto/curve/plain-curve.js';
import { decompress, G, multiply, Point } from '../crypto/curve/point.js';
import { checkScalar, hashToScalar, toScalar } from '../crypto/scalar.js';
import { ownKeyImages } from '../cryptonote/own-outputs.js';
import { chunks, concatBytes } from '../../util/bytes.js';
import { NO_VIEW_TAG, type ScanKernel } from './kernel.js';

/** Runs a computation. @returns its result, or undefined if it throws because an encoding is not a point. */
function attempt<T>(compute: () => T): T | undefined {
  try {
    return compute();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Kernel on noble: simple and slow. It is the reference of the tests and the fallback. */
export const referenceKernel: ScanKernel = {
  name: 'reference',
  scan(batch, viewSecret) {
    checkScalar(viewSecret);
    const derivations: (KeyDerivation | undefined)[] = [];
    for (let offset = 0; offset < batch.keys.length; offset += 32) {
      const key = batch.keys.slice(offset, offset + 32) as PublicKey;
      derivations.push(attempt(() => keyDerivation(key, viewSecret as SecretKey, plainCurve)));
    }
    const outputs: number[] = [];
    const found: KeyDerivation[] = [];
    const spendKeys: PublicKey[] = [];
    batch.outputKey.forEach((key, j) => {
      const derivation = derivations[key];
      if (derivation === undefined) return;
      const tag = batch.viewTags[j] ?? NO_VIEW_TAG;
      const index = batch.outputIndex[j] ?? 0;
      if (tag !== NO_VIEW_TAG && viewTag(derivation, index) !== tag) return;
      const outputKey = batch.outputs.slice(32 * j, 32 * j + 32) as PublicKey;
      const spendKey = attempt(() => deriveSubaddressPublicKey(outputKey, derivation, index, plainCurve));
      if (spendKey === undefined) return;
      outputs.push(j);
      found.push(derivation);
      spendKeys.push(spendKey);
    });
    return {
      outputs: Uint32Array.from(outputs),
      derivations: concatBytes(...found),
      spendKeys: concatBytes(...spendKeys),
    };
  },
  scanMany: (batch, viewSecrets) => viewSecrets.map((secret) => referenceKernel.scan(batch, secret)),
  multiply: (points, secret) =>
    concatBytes(
      ...chunks(points, 32).map((point) => multiply(decompress(point), toScalar(secret)).toBytes()),
    ),
  commit: (amounts, masks) => plainCurve.commit(amounts, masks),
  keyImages: (outputKeys, secrets) => plainCurve.keyImages(outputKeys, secrets),
  ownKeyImages: (outputs, secrets) => ownKeyImages(outputs, secrets, plainCurve),
  addHashes(point, messages, length) {
    const base = decompress(point);
    const sums = chunks(messages, length).map((message) => base.add(multiply(G, hashToScalar(message))));
    return sums.length === 0
      ? new Uint8Array()
      : concatBytes(...normalizeZ(Point, sums).map((sum) => sum.toBytes()));
  },
};
