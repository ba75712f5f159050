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
 * What signers tell each other of the outputs of their wallet: parts of key images, and fresh public nonces.
 * Source: wallet2.cpp `export_multisig`, `import_multisig`.
 */

/** What one signer tells, sealed under the common view key. */
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

/** Pairs of nonces for one output: enough to sign once in every set of signers that this one is in. */
export const nonceCount = ({ threshold, signers }: Group): number =>
  NONCES * choose(signers.length - 1, signers.length - threshold);

/** How many secret shares there are in the group, and how many of them each signer holds. */
export const shareCounts = ({ threshold, signers }: Group) => ({
  all: choose(signers.length, signers.length - threshold + 1),
  each: choose(signers.length - 1, signers.length - threshold),
});

/** What a signer tells of an output, and what it must keep to itself. */
export interface FreshInfo {
  readonly info: MultisigInfo;
  /** In the order of `info.nonces`. Each answers one signature ever. */
  readonly secrets: readonly SecretKey[];
}

/** Makes nonces for an output. @param count of them: {@link nonceCount}. */
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

/** `x·Hp(P)` of every secret share x. Source: multisig.cpp `generate_multisig_key_image`. */
export const partialKeyImages = (outputKey: PublicKey, shares: readonly SecretKey[]): KeyImage[] =>
  shares.map((share) => keyImage(outputKey, share));

function isUsable(bytes: Uint8Array): boolean {
  const point = tryDecompress(bytes);
  return point !== undefined && !point.is0() && inMainSubgroup(point);
}

/**
 * Checks what a signer tells.
 * @throws CodecError, its text a predicate of the info: of another wallet or by a stranger, or with unusable parts.
 */
export function checkInfo(
  told: SignerInfo,
  keys: Pick<SignerInfo, 'spendPublicKey' | 'viewPublicKey'>,
  group: Group,
): void {
  if (
    !equalBytes(told.spendPublicKey, keys.spendPublicKey) ||
    !equalBytes(told.viewPublicKey, keys.viewPublicKey)
  )
    throw new CodecError('it is of another wallet');
  if (!group.signers.some((signer) => equalBytes(signer, told.signer)))
    throw new CodecError('it is of somebody who is not a member of this wallet');
  const { each } = shareCounts(group);
  const seen = new Set<string>();
  for (const { signer, nonces, partialKeyImages: images } of told.outputs) {
    if (!equalBytes(signer, told.signer)) throw new CodecError('it mixes what several signers told');
    if (images.length !== each) throw new CodecError('it has parts of key images too few or too many');
    if (nonces.length % NONCES !== 0) throw new CodecError('it has an odd number of nonces');
    if (nonces.length > nonceCount(group)) throw new CodecError('it has more nonces than signatures take');
    for (const { L, R } of nonces) {
      const name = toHex(L);
      if (!isUsable(L) || !isUsable(R) || seen.has(name)) throw new CodecError('it holds an unusable nonce');
      seen.add(name);
    }
    if (!images.every(isUsable)) throw new CodecError('it holds an unusable part of a key image');
  }
}
