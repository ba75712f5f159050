import { describe, expect, it, test } from '@jest/globals';
import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import { hashToPoint } from '../../../src/monero/crypto/curve/hash-to-point.js';
import { G, IDENTITY, multiply, type Point } from '../../../src/monero/crypto/curve/point.js';
import { randomScalar, reduce, scalarBytes } from '../../../src/monero/crypto/scalar.js';
import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import { INV_8, verifyClsag as verify, type ClsagClaim } from '../../../src/monero/ringct/clsag.js';
import {
  ClsagChallenger,
  clsagShare,
  NONCES,
  type Challenge,
  type NonceSums,
  type OpenClsag,
} from '../../../src/monero/ringct/clsag-multisig.js';
import { commit } from '../../../src/monero/ringct/commitment.js';
import type { ProofPoint, ProofScalar } from '../../../src/monero/ringct/types.js';
import { amount } from '../../../src/util/amount.js';
import { onEveryCurve } from '../../support/values/curves.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';

const verifyClsag = (claim: ClsagClaim): boolean => onEveryCurve((curve) => verify(claim, curve));
const challengeOf = (open: OpenClsag, sums: NonceSums): Challenge =>
  onEveryCurve((curve) => new ClsagChallenger(open, curve).challenge(sums));

/** A ring whose real key is shared by several signers. */
function sharedRing(signers: number, size: number, realIndex: number) {
  const rng = seededRng(`shared/${signers}/${size}/${realIndex}`);
  const scalars = (count: number) => Array.from({ length: count }, () => randomScalar(rng));
  const parts = scalars(signers);
  const p = reduce(parts.reduce((sum, part) => sum + part, 0n));
  const [realMask = 0n, pseudoMask = 0n] = scalars(2);
  const value = amount(7n);
  const ring = Array.from({ length: size }, (_, i) => ({
    publicKey: publicKeyOf(scalarBytes(i === realIndex ? p : randomScalar(rng))),
    commitment: commit(value, i === realIndex ? realMask : randomScalar(rng)),
  }));
  const base = hashToPoint(ring[realIndex]?.publicKey ?? new Uint8Array(32));
  const z = reduce(realMask - pseudoMask);
  const open: OpenClsag = {
    message: rng(32) as Hash,
    ring,
    realIndex,
    keyImage: multiply(base, p).toBytes() as KeyImage,
    D: multiply(multiply(base, z), INV_8).toBytes() as unknown as ProofPoint,
    pseudoOut: commit(value, pseudoMask),
    s: scalars(size).map((s) => scalarBytes(s) as unknown as ProofScalar),
  };
  const nonces = parts.map(() => scalars(NONCES));
  const sumOf = (point: Point) =>
    Array.from({ length: NONCES }, (_, i) =>
      nonces.reduce((sum, own) => sum.add(multiply(point, own[i] ?? 0n)), IDENTITY).toBytes(),
    );
  return { open, parts, z, nonces, sums: { G: sumOf(G), H: sumOf(base) } };
}

function signed(
  { open, parts, z, nonces, sums }: ReturnType<typeof sharedRing>,
  answering = parts.length,
): ClsagClaim {
  const challenger = new ClsagChallenger(open);
  const challenge = challengeOf(open, sums);
  const s = parts.slice(0, answering).reduce((sum, part, i) => {
    const w = reduce(challenger.muP * part + (i === 0 ? challenger.muC * z : 0n));
    return sum + clsagShare(challenge, nonces[i] ?? [], w);
  }, 0n);
  const scalar = (value: bigint) => scalarBytes(reduce(value)) as unknown as ProofScalar;
  return {
    ...open,
    clsag: {
      s: open.s.map((fake, i) => (i === open.realIndex ? scalar(s) : fake)),
      c1: scalar(challenge.c1),
      D: open.D,
    },
  };
}

describe('a multisig CLSAG', () => {
  test.each([
    { signers: 1, size: 1, real: 0 },
    { signers: 2, size: 2, real: 1 },
    { signers: 2, size: 16, real: 0 },
    { signers: 3, size: 16, real: 15 },
    { signers: 5, size: 11, real: 4 },
  ])('of $signers for member $real of $size verifies as any other', ({ signers, size, real }) => {
    expect(verifyClsag(signed(sharedRing(signers, size, real)))).toBe(true);
  });

  it('does not verify while a share is missing', () => {
    expect(verifyClsag(signed(sharedRing(3, 5, 2), 2))).toBe(false);
  });

  it('does not verify when a share responds to another challenge', () => {
    const shared = sharedRing(2, 5, 2);
    const other = new ClsagChallenger({ ...shared.open, message: new Uint8Array(32) as Hash });
    expect(other.challenge(shared.sums).c).not.toBe(challengeOf(shared.open, shared.sums).c);
  });

  it('binds the nonces to every other part: another response of a decoy changes the factor', () => {
    const { open, sums } = sharedRing(2, 4, 1);
    const changed = open.s.map((fake, i) => (i === 0 ? (scalarBytes(5n) as unknown as ProofScalar) : fake));
    const factors = [open, { ...open, s: changed }].map((one) => challengeOf(one, sums).binding[1]);
    expect(factors[0]).not.toBe(factors[1]);
  });

  it('does not depend on the placeholder of the real response', () => {
    const { open, sums } = sharedRing(2, 4, 1);
    const changed = open.s.map((fake, i) => (i === 1 ? (scalarBytes(5n) as unknown as ProofScalar) : fake));
    const challenges = [open, { ...open, s: changed }].map((one) => challengeOf(one, sums));
    expect(challenges[0]).toEqual(challenges[1]);
  });

  it('refuses inconsistent data', () => {
    const { open, sums } = sharedRing(2, 4, 1);
    expect(() => new ClsagChallenger({ ...open, realIndex: 4 })).toThrow(RangeError);
    expect(() => new ClsagChallenger({ ...open, s: open.s.slice(1) })).toThrow(RangeError);
    expect(() => challengeOf(open, { ...sums, G: sums.G.slice(1) })).toThrow(RangeError);
    const noPoint = Uint8Array.of(2, ...new Uint8Array(31));
    expect(() => challengeOf(open, { ...sums, H: [noPoint, noPoint] })).toThrow(RangeError);
    expect(() => clsagShare({ binding: [1n, 2n], c: 3n, c1: 3n }, [1n], 1n)).toThrow(RangeError);
  });
});
