import { describe, expect, it, test } from '@jest/globals';
import { keyImage as keyImageOf, publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import { hashToPoint } from '../../../src/monero/crypto/curve/hash-to-point.js';
import { G, IDENTITY, type Point } from '../../../src/monero/crypto/curve/point.js';
import { hashToScalar, ORDER, randomScalar, reduce, scalarBytes } from '../../../src/monero/crypto/scalar.js';
import type { Commitment, Hash, KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import {
  signClsag as sign,
  verifyClsag as verify,
  type ClsagClaim,
  type ClsagRequest,
} from '../../../src/monero/ringct/clsag.js';
import { commit } from '../../../src/monero/ringct/commitment.js';
import type { Clsag, ProofPoint, ProofScalar } from '../../../src/monero/ringct/types.js';
import { amount } from '../../../src/util/amount.js';
import { concatBytes, toHex, utf8 } from '../../../src/util/bytes.js';
import { onEveryCurve } from '../../support/values/curves.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { noPoint, notCanonical, spoiled, torsionPoints, withTorsion } from './vectors.js';
import { multiplyPublic } from '../../support/values/plain-points.js';

const signClsag = (request: ClsagRequest): ReturnType<typeof sign> =>
  onEveryCurve((curve, rng) => sign({ ...request, rng }, curve), request.rng);
const verifyClsag = (claim: ClsagClaim): boolean => onEveryCurve((curve) => verify(claim, curve));

const [VALUE, RING_SIZE, REAL] = [amount(42_000_000n), 5, 2];

/** A signing request, determined by the seed. */
function requestOf(size = RING_SIZE, realIndex = REAL, seed = 'clsag'): ClsagRequest {
  const rng = seededRng(`${seed}/${size}/${realIndex}`);
  const [secretKey, realMask, pseudoOutMask] = [randomScalar(rng), randomScalar(rng), randomScalar(rng)];
  const decoy = () => ({
    publicKey: publicKeyOf(scalarBytes(randomScalar(rng))),
    commitment: commit(amount(3n), randomScalar(rng)),
  });
  const ring = Array.from({ length: size }, (_, i) =>
    i === realIndex
      ? { publicKey: publicKeyOf(scalarBytes(secretKey)), commitment: commit(VALUE, realMask) }
      : decoy(),
  );
  const pseudoOut = commit(VALUE, pseudoOutMask);
  return { message: rng(32) as Hash, ring, realIndex, secretKey, realMask, pseudoOutMask, pseudoOut, rng };
}

function claimOf(request: ClsagRequest): ClsagClaim {
  const { message, ring, pseudoOut } = request;
  return { message, ring, pseudoOut, ...signClsag(request) };
}

const valid = claimOf(requestOf());
const withClsag = (change: Partial<Clsag>): ClsagClaim => ({
  ...valid,
  clsag: { ...valid.clsag, ...change },
});
const pointOf = (scalar: bigint) => multiplyPublic(G, scalar).toBytes();

describe('signClsag', () => {
  test.each([1, 2, 3, 11, 16].flatMap((size) => [0, size >> 1, size - 1].map((real) => ({ size, real }))))(
    'signs for member $real of $size',
    ({ size, real }) => {
      const claim = claimOf(requestOf(size, real));
      expect(claim.clsag.s).toHaveLength(size);
      expect(verifyClsag(claim)).toBe(true);
    },
  );

  it('gives the key image of the real member for any other ring members', () => {
    const request = requestOf();
    const own = request.ring[REAL];
    if (own === undefined) throw new Error('no real member');
    const expected = toHex(keyImageOf(own.publicKey, scalarBytes(request.secretKey)));
    expect(toHex(signClsag(request).keyImage)).toBe(expected);
    expect(toHex(signClsag({ ...request, ring: [own], realIndex: 0 }).keyImage)).toBe(expected);
  });

  it('is determined by its random source', () => {
    const again = claimOf(requestOf());
    expect(again.clsag).toEqual(valid.clsag);
    const other = signClsag({ ...requestOf(), rng: seededRng('other') });
    expect(other.keyImage).toEqual(valid.keyImage);
    expect(other.clsag.D).toEqual(valid.clsag.D);
    expect(other.clsag.s).not.toEqual(valid.clsag.s);
  });

  const request = requestOf();
  test.each<[string, Partial<ClsagRequest>]>([
    ['an index beyond the ring', { realIndex: RING_SIZE }],
    ['an index below it', { realIndex: -1 }],
    ['an index between two', { realIndex: 0.5 }],
    ['an empty ring', { ring: [] }],
    ['a decoy taken for the real member', { realIndex: REAL + 1 }],
    ['another secret key', { secretKey: request.secretKey + 1n }],
    ['another mask', { realMask: request.realMask + 1n }],
    ['another mask of the pseudo output', { pseudoOutMask: request.pseudoOutMask + 1n }],
    ['a pseudo output of another amount', { pseudoOut: commit(amount(VALUE + 1n), request.pseudoOutMask) }],
    [
      'a pseudo output that repeats the real commitment',
      {
        pseudoOutMask: request.realMask,
        pseudoOut: commit(VALUE, request.realMask),
      },
    ],
    ['a pseudo output that is not a point', { pseudoOut: noPoint<Commitment>() }],
    [
      'a decoy key that is not a point',
      {
        ring: request.ring.map((m, i) => (i === 0 ? { ...m, publicKey: noPoint<PublicKey>() } : m)),
      },
    ],
    [
      'a decoy commitment that is not a point',
      {
        ring: request.ring.map((m, i) => (i === 0 ? { ...m, commitment: noPoint<Commitment>() } : m)),
      },
    ],
  ])('refuses %s', (_, change) => {
    expect(() => signClsag({ ...request, ...change })).toThrow(RangeError);
  });

  it('does not quote secrets in errors', () => {
    const { secretKey, realMask } = request;
    let text = '';
    try {
      signClsag({ ...request, secretKey: secretKey + 1n });
    } catch (error) {
      text = String(error);
    }
    for (const secret of [secretKey, secretKey + 1n, realMask]) {
      expect(text).not.toContain(String(secret));
      expect(text).not.toContain(toHex(scalarBytes(secret)));
    }
  });
});

describe('verifyClsag', () => {
  it('accepts a true signature', () => expect(verifyClsag(valid)).toBe(true));

  it('accepts decoys whose keys and commitments have torsion, as upstream does', () => {
    const request = requestOf();
    for (const torsion of torsionPoints) {
      const ring = request.ring.map((m, i) =>
        i === REAL
          ? m
          : { publicKey: withTorsion(m.publicKey, torsion), commitment: withTorsion(m.commitment, torsion) },
      );
      expect(verifyClsag(claimOf({ ...request, ring }))).toBe(true);
    }
  });

  test.each(Array.from({ length: RING_SIZE }, (_, i) => i))('refuses another response %i', (at) => {
    expect(verifyClsag(withClsag({ s: valid.clsag.s.map((s, i) => (i === at ? spoiled(s) : s)) }))).toBe(
      false,
    );
  });

  test.each(Array.from({ length: RING_SIZE }, (_, i) => i))(
    'refuses response %i when not canonical',
    (at) => {
      expect(
        verifyClsag(withClsag({ s: valid.clsag.s.map((s, i) => (i === at ? notCanonical(s) : s)) })),
      ).toBe(false);
    },
  );

  test.each(Array.from({ length: RING_SIZE }, (_, i) => i))('refuses another ring member %i', (at) => {
    const changed = (change: (m: ClsagClaim['ring'][number]) => ClsagClaim['ring'][number]): boolean =>
      verifyClsag({ ...valid, ring: valid.ring.map((m, i) => (i === at ? change(m) : m)) });
    expect(changed((m) => ({ ...m, publicKey: pointOf(99n) as PublicKey }))).toBe(false);
    expect(changed((m) => ({ ...m, commitment: pointOf(99n) as Commitment }))).toBe(false);
    expect(changed((m) => ({ ...m, publicKey: noPoint<PublicKey>() }))).toBe(false);
    expect(changed((m) => ({ ...m, commitment: noPoint<Commitment>() }))).toBe(false);
  });

  test.each(torsionPoints.map((torsion, i) => ({ torsion, i })))(
    'refuses a key image with torsion $i',
    ({ torsion }) => {
      expect(verifyClsag({ ...valid, keyImage: withTorsion(valid.keyImage, torsion) })).toBe(false);
      expect(verifyClsag({ ...valid, keyImage: torsion.toBytes() as KeyImage })).toBe(false);
    },
  );

  test.each(torsionPoints.map((torsion, i) => ({ torsion, i })))(
    'refuses a commitment image with torsion $i, or of small order',
    ({ torsion }) => {
      expect(verifyClsag(withClsag({ D: withTorsion(valid.clsag.D, torsion) }))).toBe(false);
      expect(verifyClsag(withClsag({ D: torsion.toBytes() as unknown as ProofPoint }))).toBe(false);
    },
  );

  describe('for a signature whose equations all hold', () => {
    const salted = (name: string): Uint8Array => concatBytes(utf8(name), new Uint8Array(32 - name.length));
    const eighth = (scalar: bigint): bigint => (scalar % 8n === 0n ? scalar / 8n : eighth(scalar + ORDER));
    const rng = seededRng('forger');
    const message = rng(32) as Hash;
    const mask = randomScalar(rng);

    /** Signs for a ring of one with key p·G and a commitment of the pseudo output's plus z·G. */
    function forge(p: bigint, z: bigint, torsion: Point): ClsagClaim {
      const publicKey = multiplyPublic(G, p).toBytes() as PublicKey;
      const [commitment, pseudoOut] = [commit(VALUE, mask + z), commit(VALUE, mask)];
      const base = hashToPoint(publicKey);
      const keyImage = multiplyPublic(base, p).add(torsion).toBytes() as KeyImage;
      const D = multiplyPublic(base, eighth(z)).toBytes() as unknown as ProofPoint;
      const [muP, muC] = ['CLSAG_agg_0', 'CLSAG_agg_1'].map((name) =>
        hashToScalar(salted(name), publicKey, commitment, keyImage, D, pseudoOut),
      ) as [bigint, bigint];
      for (;;) {
        const nonce = randomScalar(rng);
        const [L, R] = [multiplyPublic(G, nonce).toBytes(), multiplyPublic(base, nonce).toBytes()];
        const c = hashToScalar(salted('CLSAG_round'), publicKey, commitment, pseudoOut, message, L, R);
        // For half of all challenges a point of order two vanishes.
        if (reduce(c * muP) % 2n === 1n) continue;
        const s = scalarBytes(reduce(nonce - c * reduce(muP * p + muC * z)));
        const clsag = { s: [s as unknown as ProofScalar], c1: scalarBytes(c) as unknown as ProofScalar, D };
        return { message, ring: [{ publicKey, commitment }], pseudoOut, keyImage, clsag };
      }
    }

    const [p, z] = [randomScalar(rng), randomScalar(rng)];
    const order2 = torsionPoints.find((torsion) => torsion.double().is0()) ?? IDENTITY;

    it('accepts an honest one', () => expect(verifyClsag(forge(p, z, IDENTITY))).toBe(true));

    it('refuses a key image with torsion, which would spend an output twice', () => {
      expect(order2.is0()).toBe(false);
      expect(verifyClsag(forge(p, z, order2))).toBe(false);
    });

    it('refuses the key image of the key that is the identity', () =>
      expect(verifyClsag(forge(0n, z, IDENTITY))).toBe(false));

    it('refuses the commitment image of a pseudo output that is the real commitment', () =>
      expect(verifyClsag(forge(p, 0n, IDENTITY))).toBe(false));
  });

  const identity = IDENTITY.toBytes();
  test.each<[string, ClsagClaim]>([
    ['another message', { ...valid, message: spoiled(valid.message) }],
    ['another pseudo output', { ...valid, pseudoOut: pointOf(7n) as Commitment }],
    ['a pseudo output that is not a point', { ...valid, pseudoOut: noPoint<Commitment>() }],
    ['another key image', { ...valid, keyImage: pointOf(7n) as KeyImage }],
    ['the identity as key image', { ...valid, keyImage: identity as KeyImage }],
    ['a key image that is not a point', { ...valid, keyImage: noPoint<KeyImage>() }],
    ['another commitment image', withClsag({ D: pointOf(7n) as unknown as ProofPoint })],
    ['the identity as commitment image', withClsag({ D: identity as unknown as ProofPoint })],
    ['a commitment image that is not a point', withClsag({ D: noPoint<ProofPoint>() })],
    [
      "key image and commitment image in each other's place",
      {
        ...withClsag({ D: valid.keyImage as unknown as ProofPoint }),
        keyImage: valid.clsag.D as unknown as KeyImage,
      },
    ],
    ['another first challenge', withClsag({ c1: spoiled(valid.clsag.c1) })],
    ['a first challenge that is not canonical', withClsag({ c1: notCanonical(valid.clsag.c1) })],
    ['no responses', withClsag({ s: [] })],
    ['a response too few', withClsag({ s: valid.clsag.s.slice(1) })],
    ['a response too many', withClsag({ s: [...valid.clsag.s, scalarBytes(3n) as unknown as ProofScalar] })],
    ['an empty ring', { ...withClsag({ s: [] }), ring: [] }],
    ['a ring in another order', { ...valid, ring: [...valid.ring].reverse() }],
    ['a ring without its last member', { ...valid, ring: valid.ring.slice(0, -1) }],
  ])('refuses %s', (_, claim) => expect(verifyClsag(claim)).toBe(false));
});
