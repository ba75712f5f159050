import { keyDerivation, keyImage } from '../../crypto/derivation.js';
import type { Curve } from '../../crypto/curve/curve.js';
import { loadCurve } from '../../crypto/curve/load-curve.js';
import { sumOfPoints } from '../../crypto/curve/points.js';
import { reduce, scalarBytes, toScalar } from '../../crypto/scalar.js';
import type { KeyImage, SecretKey } from '../../crypto/types.js';
import { toHex } from '../../../util/bytes.js';
import { CodecError } from '../../../util/codec.js';
import type { LocatedOutput } from '../scan/key-images.js';
import { outputSecretKey } from '../../cryptonote/own-outputs.js';
import { partialKeyImages } from './info.js';

/** Secret keys with which one signer recognises outputs and signs partially. */
export interface SigningShares {
  readonly viewSecret: SecretKey;
  readonly shares: readonly SecretKey[];
}

function assertHasParts({ carrot }: LocatedOutput): void {
  if (carrot !== undefined)
    throw new CodecError('an output in the form of the fork has no partial key images');
}

/**
 * Computes this signer's part of an output's secret key: the derivation scalar, the subaddress secret, and the sum of
 * the signer's shares. Source: cryptonote_format_utils.cpp `generate_key_image_helper_precomp`.
 * @throws CodecError for an output in the form of the fork, whose parts signers do not exchange yet.
 */
export function ownPartOf(output: LocatedOutput, { viewSecret, shares }: SigningShares): SecretKey {
  assertHasParts(output);
  const { derivationKey, outputIndex, subaddress } = output;
  const spendSecret = scalarBytes(reduce(shares.reduce((sum, share) => sum + toScalar(share), 0n)));
  const derivation = keyDerivation(derivationKey, viewSecret);
  return outputSecretKey({ viewSecret, spendSecret }, derivation, outputIndex, subaddress);
}

/**
 * Computes the key image of an output from the partial key images of this signer and of the other signers. Each share
 * counts once.
 * @param partials partial key images that all other signers have sent.
 * @param count number of shares of the group.
 * @throws CodecError as {@link ownPartOf}, if partial key images are missing, or signers sent different partial key images for the same
 * share. Source: multisig.cpp `generate_multisig_composite_key_image`.
 */
export function compositeKeyImage(
  output: LocatedOutput,
  keys: SigningShares,
  partials: readonly KeyImage[],
  count: number,
  curve: Curve = loadCurve(),
): KeyImage {
  assertHasParts(output);
  const own = partialKeyImages(output.publicKey, keys.shares, curve);
  const parts = new Map([...own, ...partials].map((part) => [toHex(part), part]));
  if (parts.size < count)
    throw new CodecError('partial key images are missing: the info of more signers must be imported');
  if (parts.size > count) throw new CodecError('signers contradict each other about a partial key image');
  for (const part of own) parts.delete(toHex(part));
  const secret = ownPartOf(output, keys);
  const image = sumOfPoints([...parts.values(), keyImage(output.publicKey, secret, curve)], curve);
  secret.fill(0);
  return image as KeyImage;
}
