import { readFileSync } from 'node:fs';
import { decompress } from '../../../src/monero/crypto/curve/point.js';
import { ORDER, bytesToInt, intToBytes } from '../../../src/monero/crypto/scalar.js';
import { fromHex } from '../../../src/util/bytes.js';

/** A file of `test/vectors/ringct`. */
export const readVectors = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../../../../test/vectors/ringct/${name}`, import.meta.url), 'utf8')) as T;

interface CommitmentVectors {
  readonly zeroCommitments: readonly { amount: string; commitment: string }[];
  readonly powersOfTwoTimesH: readonly string[];
  readonly torsionPoints: readonly string[];
}

/** Upstream's constant commitments, and the seven points of small order other than the identity. */
export const commitmentVectors = readVectors<CommitmentVectors>('commitments.json');

/** Small-order points; added to a sum, they are undetected by a verifier that does not clear the cofactor. */
export const torsionPoints = commitmentVectors.torsionPoints.map((hex) => decompress(fromHex(hex)));

/** Flips one bit. */
export function spoiled<T extends Uint8Array>(bytes: T): T {
  const copy = Uint8Array.from(bytes);
  copy[3] = (copy[3] ?? 0) ^ 1;
  return copy as unknown as T;
}

/** The same point plus one of small order. */
export const withTorsion = <T extends Uint8Array>(bytes: T, torsion: (typeof torsionPoints)[number]): T =>
  decompress(bytes).add(torsion).toBytes() as unknown as T;

/** The same residue, encoded as a number of ℓ or more. */
export const notCanonical = <T extends Uint8Array>(scalar: T): T =>
  intToBytes(bytesToInt(scalar) + ORDER) as unknown as T;

/** 32 bytes that are not a point: y = 2 has no x. */
export const noPoint = <T extends Uint8Array>(): T => intToBytes(2n) as unknown as T;
