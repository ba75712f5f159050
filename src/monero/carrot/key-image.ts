import type { Curve } from '../crypto/curve/curve.js';
import { loadCurve } from '../crypto/curve/load-curve.js';
import type { KeyImage, PublicKey, SecretKey } from '../crypto/types.js';
import { chunks, joinBytes } from '../../util/bytes.js';

/**
 * Computes the key images `x·Hp²(K)` of outputs in the form of the fork, in constant time for x. Source: crypto.cpp
 * `unbiased_derive_key_image_generator`.
 * @param secrets scalars x below ℓ, one for each output key.
 */
export const carrotKeyImages = (
  outputKeys: readonly PublicKey[],
  secrets: readonly SecretKey[],
  curve: Curve = loadCurve(),
): KeyImage[] => {
  const scalars = joinBytes(secrets);
  const images = curve.unbiasedKeyImages(joinBytes(outputKeys), scalars);
  scalars.fill(0);
  return chunks(images, 32) as KeyImage[];
};

/** Computes the key image of an output in the form of the fork. */
export const carrotKeyImage = (outputKey: PublicKey, secret: SecretKey, curve?: Curve): KeyImage =>
  carrotKeyImages([outputKey], [secret], curve)[0] as KeyImage;
