import { normalizeZ } from '@noble/curves/abstract/curve.js';
import { deriveSubaddressPublicKey, keyDerivation, viewTag } from '../crypto/derivation.js';
import type { KeyDerivation, PublicKey, SecretKey } from '../crypto/types.js';
import { plainCurve } from '../crypto/curve/plain-curve.js';
import { decompress, G, multiply, Point } from '../crypto/curve/point.js';
import { bytesToInt, checkScalar, hashToScalar, toScalar } from '../crypto/scalar.js';
import { ownKeyImages } from '../cryptonote/own-outputs.js';
import { chunks, concatBytes, utf8 } from '../../util/bytes.js';
import { CARROT_TAG_BYTES, VIEW_TAG_SEPARATOR } from '../fork-rules.js';
import { forkHash } from '../crypto/fork-hash.js';
import { contextOf, NO_VIEW_TAG, type ScanBatch, type ScanKernel } from './kernel.js';

/** Runs a computation. @returns its result, or undefined if it throws because an encoding is not a point. */
function attempt<T>(compute: () => T): T | undefined {
  try {
    return compute();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

interface Hit {
  readonly output: number;
  readonly derivation: Uint8Array;
  readonly spendKey: Uint8Array;
  readonly internal: 0 | 1;
}

/** Spend key of a hit of the fork. */
const NONE = new Uint8Array(32);

const outputAt = ({ outputs }: ScanBatch, output: number): PublicKey =>
  outputs.slice(32 * output, 32 * output + 32) as PublicKey;

/** Returns the hit of an output of the old form, if it is one. */
function oldHits(batch: ScanBatch, output: number, derivation: KeyDerivation): readonly Hit[] {
  const tag = batch.viewTags[output] ?? NO_VIEW_TAG;
  const index = batch.outputIndex[output] ?? 0;
  if (tag !== NO_VIEW_TAG && viewTag(derivation, index) !== tag) return [];
  const spendKey = attempt(() =>
    deriveSubaddressPublicKey(outputAt(batch, output), derivation, index, plainCurve),
  );
  return spendKey === undefined ? [] : [{ output, derivation, spendKey, internal: 0 }];
}

/** Computes the view tag of an output of the fork. Source: enote_utils.cpp `make_carrot_view_tag`. */
function forkTag(secret: Uint8Array, context: Uint8Array, outputKey: Uint8Array): number {
  const separator = concatBytes(Uint8Array.of(VIEW_TAG_SEPARATOR.length), utf8(VIEW_TAG_SEPARATOR));
  const tag = forkHash(CARROT_TAG_BYTES, concatBytes(separator, context, outputKey), secret);
  return Number(bytesToInt(tag));
}

/** Kernel on noble: simple and slow. It is the reference of the tests and the fallback. */
export const referenceKernel: ScanKernel = {
  name: 'reference',
  scan(batch, { viewSecret, balanceSecret }) {
    checkScalar(viewSecret);
    const shared = chunks(batch.keys, 32).map((key, n) =>
      contextOf(batch, n) === undefined
        ? attempt(() => keyDerivation(key as PublicKey, viewSecret as SecretKey, plainCurve))
        : plainCurve.x25519(key, viewSecret),
    );
    const hits: Hit[] = [];
    batch.outputKey.forEach((key, output) => {
      const external = shared[key];
      if (external === undefined) return;
      const context = contextOf(batch, key);
      if (context === undefined) {
        hits.push(...oldHits(batch, output, external as KeyDerivation));
        return;
      }
      const tagged = (secret: Uint8Array): boolean =>
        forkTag(secret, context, outputAt(batch, output)) === batch.viewTags[output];
      if (tagged(external)) hits.push({ output, derivation: external, spendKey: NONE, internal: 0 });
      if (balanceSecret !== undefined && tagged(balanceSecret))
        hits.push({ output, derivation: balanceSecret, spendKey: NONE, internal: 1 });
    });
    return {
      outputs: Uint32Array.from(hits, ({ output }) => output),
      derivations: concatBytes(...hits.map(({ derivation }) => derivation)),
      spendKeys: concatBytes(...hits.map(({ spendKey }) => spendKey)),
      internal: Uint8Array.from(hits, ({ internal }) => internal),
    };
  },
  scanMany: (batch, keys) => keys.map((each) => referenceKernel.scan(batch, each)),
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
