import { BASE, type Curve } from '../../crypto/curve/curve.js';
import { areUsableKeys } from '../../crypto/curve/points.js';
import { loadCurve } from '../../crypto/curve/load-curve.js';
import { randomScalar, scalarBytes } from '../../crypto/scalar.js';
import type { KeyImage, PublicKey, SecretKey } from '../../crypto/types.js';
import { NONCES } from '../../ringct/clsag-multisig.js';
import { chunks, equalBytes, joinBytes, toHex } from '../../../util/bytes.js';
import { CodecError, list, type Codec } from '../../../util/codec.js';
import type { Rng } from '../../../util/random.js';
import { key, struct } from '../exchange/binary-archive.js';
import { multisigInfo, type MultisigInfo } from '../exchange/transfer-details.js';
import type { GroupState } from './account.js';
import { choose } from './combinations.js';

/*
 * Multisig info that signers exchange about the outputs of their wallet: partial key images and new public nonces.
 * Source: wallet2.cpp `export_multisig`, `import_multisig`.
 */

/** Multisig info of one signer; it is encrypted under the common view secret key. */
export interface SignerInfo {
  /** Keys of the group. */
  readonly spendPublicKey: PublicKey;
  readonly viewPublicKey: PublicKey;
  readonly signer: PublicKey;
  /** Info about the outputs of the wallet, in chain order. */
  readonly outputs: readonly MultisigInfo[];
}

export const signerInfo: Codec<SignerInfo> = struct<SignerInfo>({
  spendPublicKey: key<PublicKey>(),
  viewPublicKey: key<PublicKey>(),
  signer: key<PublicKey>(),
  outputs: list(multisigInfo),
});

type Group = Pick<GroupState, 'threshold' | 'signers'>;

/** Returns the number of nonces for one output: one nonce for every set of signers that includes this signer. */
export const nonceCount = ({ threshold, signers }: Group): number =>
  NONCES * choose(signers.length - 1, signers.length - threshold);

/** Returns the number of secret shares of the group, and the number of shares that one signer holds. */
export const shareCounts = ({ threshold, signers }: Group) => ({
  all: choose(signers.length, signers.length - threshold + 1),
  each: choose(signers.length - 1, signers.length - threshold),
});

/** Info of a signer about an output, with the secret nonces. */
export interface FreshInfo {
  readonly info: MultisigInfo;
  /** Secret nonces in the order of `info.nonces`. Each nonce may be used for one signature only. */
  readonly secrets: readonly SecretKey[];
}

/** Makes info with new nonces for an output. @param count number of nonces, from {@link nonceCount}. */
export function freshInfo(
  outputKey: PublicKey,
  signer: PublicKey,
  shares: readonly SecretKey[],
  count: number,
  rng: Rng,
  curve: Curve = loadCurve(),
): FreshInfo {
  const secrets = Array.from({ length: count }, () => scalarBytes(randomScalar(rng)));
  const [base] = curve.hashToPoints([outputKey]) as [Uint8Array];
  return {
    info: {
      signer,
      nonces: secrets.map((secret) => {
        const [L, R] = curve.multiplySecret([BASE, base], [secret, secret]) as [Uint8Array, Uint8Array];
        return { L, R };
      }),
      partialKeyImages: partialKeyImages(outputKey, shares, curve),
    },
    secrets,
  };
}

/**
 * Computes the partial key images `x·Hp(P)` of every secret share x. Source: multisig.cpp
 * `generate_multisig_key_image`.
 */
export function partialKeyImages(
  outputKey: PublicKey,
  shares: readonly SecretKey[],
  curve: Curve = loadCurve(),
): KeyImage[] {
  const secrets = joinBytes(shares);
  const images = curve.keyImages(joinBytes(shares.map(() => outputKey)), secrets);
  secrets.fill(0);
  return chunks(images, 32) as KeyImage[];
}

/**
 * Checks the info of a signer.
 * @throws CodecError if the info belongs to another wallet, is by a non-member, or has invalid parts. The error's text
 * is a predicate whose subject is the info.
 */
export function checkInfo(
  received: SignerInfo,
  keys: Pick<SignerInfo, 'spendPublicKey' | 'viewPublicKey'>,
  group: Group,
  curve: Curve = loadCurve(),
): void {
  if (
    !equalBytes(received.spendPublicKey, keys.spendPublicKey) ||
    !equalBytes(received.viewPublicKey, keys.viewPublicKey)
  )
    throw new CodecError('it is of another wallet');
  if (!group.signers.some((signer) => equalBytes(signer, received.signer)))
    throw new CodecError('its signer is not a member of this wallet');
  const { each } = shareCounts(group);
  const seen = new Set<string>();
  for (const { signer, nonces, partialKeyImages: images } of received.outputs) {
    if (!equalBytes(signer, received.signer)) throw new CodecError('it mixes the info of several signers');
    if (images.length !== each) throw new CodecError('it has a wrong number of partial key images');
    if (nonces.length % NONCES !== 0) throw new CodecError('it has an odd number of nonces');
    if (nonces.length > nonceCount(group)) throw new CodecError('it has more nonces than signing needs');
    const before = seen.size;
    for (const { L } of nonces) seen.add(toHex(L));
    const points = nonces.flatMap(({ L, R }) => [L, R]);
    if (seen.size < before + nonces.length || !areUsableKeys(points, curve))
      throw new CodecError('it has an unusable nonce');
    if (!areUsableKeys(images, curve)) throw new CodecError('it has an unusable partial key image');
  }
}
