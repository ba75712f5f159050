import { keyImage } from '../../crypto/derivation.js';
import { hashToPoint } from '../../crypto/hash-to-point.js';
import { G, inMainSubgroup, multiply, tryDecompress } from '../../crypto/point.js';
import { randomScalar, scalarBytes } from '../../crypto/scalar.js';
import type { KeyImage, PublicKey, SecretKey } from '../../crypto/types.js';
import { NONCES } from '../../ringct/clsag-multisig.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { CodecError, list, type Codec } from '../../util/codec.js';
import type { Rng } from '../../util/random.js';
import { key, struct } from '../exchange/binary-archive.js';
import { multisigInfo, type MultisigInfo } from '../exchange/transfer-details.js';
import type { GroupState } from './account.js';
import { choose } from './combinations.js';

/*
 * Multisig info that signers exchange about the outputs of their wallet: partial key images and new public nonces.
 * Source: wallet2.cpp `export_multisig`, `import_multisig`.
 */

/** Multisig info of one signer; encrypted under the common view key. */
export interface SignerInfo {
  /** The group's keys. */
  readonly spendPublicKey: PublicKey;
  readonly viewPublicKey: PublicKey;
  readonly signer: PublicKey;
  /** In the order of the chain. */
  readonly outputs: readonly MultisigInfo[];
}

export const signerInfo: Codec<SignerInfo> = struct<SignerInfo>({
  spendPublicKey: key<PublicKey>(),
  viewPublicKey: key<PublicKey>(),
  signer: key<PublicKey>(),
  outputs: list(multisigInfo),
});

type Group = Pick<GroupState, 'threshold' | 'signers'>;

/** Number of nonces for one output: enough to sign once in every set of signers that includes this one. */
export const nonceCount = ({ threshold, signers }: Group): number =>
  NONCES * choose(signers.length - 1, signers.length - threshold);

/** Number of secret shares of the group, and number of them per signer. */
export const shareCounts = ({ threshold, signers }: Group) => ({
  all: choose(signers.length, signers.length - threshold + 1),
  each: choose(signers.length - 1, signers.length - threshold),
});

/** A signer's info about an output, with the secret nonces. */
export interface FreshInfo {
  readonly info: MultisigInfo;
  /** In the order of `info.nonces`. Each may be used for one signature only. */
  readonly secrets: readonly SecretKey[];
}

/** Makes info with new nonces for an output. @param count number of nonces: {@link nonceCount}. */
export function freshInfo(
  outputKey: PublicKey,
  signer: PublicKey,
  shares: readonly SecretKey[],
  count: number,
  rng: Rng,
): FreshInfo {
  const base = hashToPoint(outputKey);
  const nonces = Array.from({ length: count }, () => randomScalar(rng));
  return {
    info: {
      signer,
      nonces: nonces.map((nonce) => ({
        L: multiply(G, nonce).toBytes(),
        R: multiply(base, nonce).toBytes(),
      })),
      partialKeyImages: partialKeyImages(outputKey, shares),
    },
    secrets: nonces.map(scalarBytes),
  };
}

/** Partial key images `x·Hp(P)` of every secret share x. Source: multisig.cpp `generate_multisig_key_image`. */
export const partialKeyImages = (outputKey: PublicKey, shares: readonly SecretKey[]): KeyImage[] =>
  shares.map((share) => keyImage(outputKey, share));

function isUsable(bytes: Uint8Array): boolean {
  const point = tryDecompress(bytes);
  return point !== undefined && !point.is0() && inMainSubgroup(point);
}

/**
 * Validates a signer's info.
 * @throws CodecError, its text a predicate of the info: of another wallet, by a non-member, or with invalid parts.
 */
export function checkInfo(
  received: SignerInfo,
  keys: Pick<SignerInfo, 'spendPublicKey' | 'viewPublicKey'>,
  group: Group,
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
    for (const { L, R } of nonces) {
      const name = toHex(L);
      if (!isUsable(L) || !isUsable(R) || seen.has(name)) throw new CodecError('it has an unusable nonce');
      seen.add(name);
    }
    if (!images.every(isUsable)) throw new CodecError('it has an unusable partial key image');
  }
}
