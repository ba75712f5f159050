import { keyDerivation, keyImage, toPublicKey } from '../../crypto/derivation.js';
import { decompress } from '../../crypto/point.js';
import { reduce, scalarBytes, toScalar } from '../../crypto/scalar.js';
import type { KeyImage, SecretKey } from '../../crypto/types.js';
import { toHex } from '../../util/bytes.js';
import { CodecError } from '../../util/codec.js';
import type { LocatedOutput } from '../scan/key-images.js';
import { outputSecretKey } from '../scan/receive.js';
import { partialKeyImages } from './info.js';

/** The secrets of a signer that open and spend outputs, as far as one signer can. */
export interface SigningShares {
  readonly viewSecret: SecretKey;
  readonly shares: readonly SecretKey[];
}

/**
 * This signer's part of an output's secret: what sender and receiver share, the address's own secret, and all
 * of its shares. Source: cryptonote_format_utils.cpp `generate_key_image_helper_precomp`.
 */
export function ownPartOf(
  { derivationKey, outputIndex, subaddress }: LocatedOutput,
  { viewSecret, shares }: SigningShares,
): SecretKey {
  const spendSecret = scalarBytes(reduce(shares.reduce((sum, share) => sum + toScalar(share), 0n)));
  const derivation = keyDerivation(derivationKey, viewSecret);
  return outputSecretKey({ viewSecret, spendSecret }, derivation, outputIndex, subaddress);
}

/**
 * The key image of an output, from this signer's part and others'. Each share is counted once, whoever told it.
 * @param told parts of key images, of all signers that told any. @param count of shares in the group.
 * @throws CodecError when shares are missing, or signers told different things of one.
 * Source: multisig.cpp `generate_multisig_composite_key_image`.
 */
export function compositeKeyImage(
  output: LocatedOutput,
  keys: SigningShares,
  told: readonly KeyImage[],
  count: number,
): KeyImage {
  const own = partialKeyImages(output.publicKey, keys.shares);
  const parts = new Map([...own, ...told].map((part) => [toHex(part), part]));
  if (parts.size < count)
    throw new CodecError('parts of key images are missing: more signers must tell theirs');
  if (parts.size > count) throw new CodecError('signers contradict each other about a part of a key image');
  for (const part of own) parts.delete(toHex(part));
  const secret = ownPartOf(output, keys);
  const image = [...parts.values()].reduce(
    (sum, part) => sum.add(decompress(part)),
    decompress(keyImage(output.publicKey, secret)),
  );
  secret.fill(0);
  return toPublicKey(image) as Uint8Array as KeyImage;
}
