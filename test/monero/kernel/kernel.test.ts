import { afterAll, describe, expect, it, test } from '@jest/globals';
import {
  derivePublicKey,
  keyDerivation,
  keyImage,
  publicKeyOf,
  viewTag,
} from '../../../src/monero/crypto/derivation.js';
import { G, H, multiply, Point } from '../../../src/monero/crypto/curve/point.js';
import { hashToScalar, intToBytes, ORDER, scalarBytes } from '../../../src/monero/crypto/scalar.js';
import type { PublicKey, SecretKey } from '../../../src/monero/crypto/types.js';
import {
  subaddressMessages,
  subaddressSpendPublicKeys,
} from '../../../src/monero/cryptonote/subaddress-keys.js';
import type { ScanBatch, ScanKernel } from '../../../src/monero/kernel/kernel.js';
import { KernelPool } from '../../../src/monero/kernel/kernel-pool.js';
import { referenceKernel } from '../../../src/monero/kernel/reference-kernel.js';
import { WasmKernel } from '../../../src/monero/kernel/wasm-kernel.js';
import { chunks, concatBytes, toHex } from '../../../src/util/bytes.js';
import { EDGE_ENCODINGS, NO_POINTS, TORSION } from '../../support/values/edge-points.js';
import { hitTexts, untagged } from '../../support/chain/scan-batches.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';

const rng = seededRng('kernel');
const scalar = (name: number): bigint => hashToScalar(rng(32), Uint8Array.of(name & 0xff));
const viewSecret = scalarBytes(scalar(1));
const somePoint = (): PublicKey => publicKeyOf(scalarBytes(scalar(2)));

const pool = new KernelPool(2);
afterAll(() => pool.close());

const scanning = (kernel: ScanKernel) => (batch: ScanBatch, secret: Uint8Array) =>
  Promise.resolve(kernel.scan(batch, { viewSecret: secret }));

const FAST_SCANS = [
  ['relaxed', scanning(new WasmKernel('relaxed'))],
  ['simd', scanning(new WasmKernel('simd'))],
  ['pooled', (batch: ScanBatch, secret: Uint8Array) => pool.scan(batch, { viewSecret: secret })],
] as const;

describe.each([['reference', scanning(referenceKernel)] as const, ...FAST_SCANS])(
  'scanning by the %s kernel',
  (_, scan) => {
    it('finds the outputs whose tag fits, with derivation and spend key', async () => {
      const keys = Array.from({ length: 10 }, somePoint);
      const derivations = keys.map((key) => keyDerivation(key, viewSecret));
      const owner = somePoint();
      const mine = (j: number): boolean => j % 3 === 1;
      const tags = derivations.flatMap((derivation, i) =>
        [0, 1].map((index) => (viewTag(derivation, index) + (mine(2 * i + index) ? 0 : 1)) % 256),
      );
      const hits = await scan(
        {
          keys: concatBytes(...keys),
          outputKey: Uint32Array.from(tags, (_tag, j) => j >> 1),
          outputIndex: Uint32Array.from(tags, (_tag, j) => j & 1),
          viewTags: Uint32Array.from(tags),
          outputs: concatBytes(
            ...tags.map((_tag, j) => derivePublicKey(derivations[j >> 1] as never, j & 1, owner)),
          ),
        },
        viewSecret,
      );
      expect([...hits.outputs]).toEqual(tags.map((_tag, j) => j).filter(mine));
      expect(chunks(hits.spendKeys, 32).map(toHex)).toEqual([...hits.outputs].map(() => toHex(owner)));
      expect(chunks(hits.derivations, 32).map(toHex)).toEqual(
        [...hits.outputs].map((j) => toHex(derivations[j >> 1] as Uint8Array)),
      );
    });

    it('rules nothing out without tags, and everything of what is no point', async () => {
      const [good, bad] = [somePoint(), new Uint8Array(32).fill(0xff)];
      const batch = untagged([good, bad, good, good], [good, good, bad, good]);
      expect([...(await scan(batch, viewSecret)).outputs]).toEqual([0, 3]);
    });

    it('tries outputs at any place in their transaction, and with many keys', async () => {
      const key = somePoint();
      const places = [0, 127, 128, 16_383, 16_384, 2 ** 32 - 1];
      const outputIndex = Uint32Array.from({ length: 40 }, (_i, n) => places[n % places.length] ?? 0);
      const owner = somePoint();
      const derivation = keyDerivation(key, viewSecret);
      const batch: ScanBatch = {
        keys: concatBytes(somePoint(), key, somePoint()),
        // Of a key that the batch does not have comes nothing.
        outputKey: Uint32Array.from(outputIndex, (_i, n) => (n === 7 ? 3 : 1)),
        outputIndex,
        viewTags: Uint32Array.from(outputIndex, (index) => viewTag(derivation, index)),
        outputs: concatBytes(
          ...Array.from(outputIndex, (index) => derivePublicKey(derivation, index, owner)),
        ),
      };
      const hits = await scan(batch, viewSecret);
      expect([...hits.outputs]).toEqual(Array.from(outputIndex, (_i, n) => n).filter((n) => n !== 7));
      expect(new Set(chunks(hits.spendKeys, 32).map(toHex))).toEqual(new Set([toHex(owner)]));
    });

    it('takes an empty batch', async () => {
      expect((await scan(untagged([], []), viewSecret)).outputs).toHaveLength(0);
    });
  },
);

/** Batches with the hits of the plain kernel, computed once for all others. */
const EXAMPLES = [
  ['random points', Array.from({ length: 40 }, somePoint)] as const,
  ['points at the edges of the arithmetic', [...EDGE_ENCODINGS]] as const,
  ['what is no point, among points', NO_POINTS.flatMap((bad) => [bad, somePoint()])] as const,
  [
    'points of small order and with a part of it',
    Array.from({ length: 8 }, (_i, n) => TORSION.multiplyUnsafe(BigInt(n)).add(n > 3 ? G : Point.ZERO)).map(
      (point) => point.toBytes(),
    ),
  ] as const,
].map(([name, points]) => {
  const batch = untagged(points, [...points].reverse());
  return [name, { batch, wanted: hitTexts(referenceKernel.scan(batch, { viewSecret })) }] as const;
});

describe.each(FAST_SCANS)('scanning by the %s kernel', (_, scan) => {
  test.each(EXAMPLES)('agrees with the plain kernel on %s', async (_name, { batch, wanted }) => {
    expect(hitTexts(await scan(batch, viewSecret))).toEqual(wanted);
  });

  test.each([1n, 2n, 15n, 16n, ORDER - 1n, ORDER - 2n, 2n ** 252n, 2n ** 251n - 1n, (ORDER - 1n) / 2n])(
    'agrees with the plain kernel on view key %i',
    async (secret) => {
      const points = [somePoint(), TORSION.add(G).toBytes(), G.toBytes()];
      const batch = untagged(points, points);
      const key = intToBytes(secret);
      expect(hitTexts(await scan(batch, key))).toEqual(
        hitTexts(referenceKernel.scan(batch, { viewSecret: key })),
      );
    },
  );
});

describe.each([
  ['relaxed', new WasmKernel('relaxed')],
  ['simd', new WasmKernel('simd')],
])('many rows by the %s kernel', (_, kernel) => {
  test.each([255, 256, 257, 513])('%i keys cross from call to call', (count) => {
    const [a, b] = [somePoint(), somePoint()];
    const keys = Array.from({ length: count }, (_i, n) => (n % 7 === 0 ? a : b));
    const hits = kernel.scan(untagged(keys, keys), { viewSecret });
    expect(hits.outputs).toHaveLength(count);
    const expected = { a: toHex(keyDerivation(a, viewSecret)), b: toHex(keyDerivation(b, viewSecret)) };
    expect(chunks(hits.derivations, 32).map(toHex)).toEqual(
      keys.map((_key, n) => (n % 7 === 0 ? expected.a : expected.b)),
    );
  });
});

describe.each([
  ['reference', referenceKernel],
  ['relaxed', new WasmKernel('relaxed')],
  ['simd', new WasmKernel('simd')],
])('sums of a point and multiples by the %s kernel', (_, kernel) => {
  const base = publicKeyOf(scalarBytes(scalar(3)));

  test.each([
    [0, 0, 300],
    [0, 1, 2],
    [7, 4_294_967_290, 4_294_967_296],
    [4_294_967_295, 0, 3],
  ])('give the subaddresses of account %i from %i to %i', (major, from, to) => {
    const secret = viewSecret as SecretKey;
    const messages = subaddressMessages(secret, major, from, to);
    const sums = chunks(kernel.addHashes(base, messages, messages.length / (to - from)), 32).map(toHex);
    const wanted = subaddressSpendPublicKeys(base, secret, major, from, to).map(toHex);
    // {0, 0} is the primary address, not a sum.
    const skip = major === 0 && from === 0 ? 1 : 0;
    expect(sums.slice(skip)).toEqual(wanted.slice(skip));
  });

  it('are none for no messages', () => {
    expect(kernel.addHashes(base, new Uint8Array(), 48)).toHaveLength(0);
  });

  test.each(Array.from({ length: 63 }, (_length, n) => n + 1))('hash messages of %i bytes', (length) => {
    const messages = rng(3 * length);
    const wanted = chunks(messages, length).map((message) =>
      multiply(G, hashToScalar(message)).add(Point.fromBytes(base)).toHex(),
    );
    expect(chunks(kernel.addHashes(base, messages, length), 32).map(toHex)).toEqual(wanted);
  });

  test.each(NO_POINTS.map((bytes) => [toHex(bytes), bytes] as const))('refuse the base %s', (_hex, bytes) => {
    expect(() => kernel.addHashes(bytes, new Uint8Array(48), 48)).toThrow(RangeError);
    expect(() => kernel.addHashes(bytes, new Uint8Array(), 48)).toThrow(RangeError);
  });
});

/** Scalars whose digits reach every corner of a table. */
const scalars = [
  0n,
  1n,
  7n,
  8n,
  9n,
  15n,
  16n,
  ORDER - 1n,
  ORDER - 8n,
  2n ** 252n,
  ...['7', '8', '9', 'f'].map((nibble) => BigInt(`0x0${nibble.repeat(63)}`)),
  // Windows of G have 8 bits: digits at both ends of a window, and at the ends of its sixteenths.
  ...[1n, 16n, 17n, 112n, 113n, 127n, 128n, 129n, 144n, 145n, 255n].map((digit) =>
    Array.from({ length: 31 }, (_i, place) => digit << BigInt(8 * place)).reduce((a, b) => a + b),
  ),
  ...Array.from({ length: 16 }, (_i, n) => scalar(n)),
];
const multiplesOfG = scalars.map((mask) => multiply(G, mask));

describe.each([
  ['reference', referenceKernel],
  ['relaxed', new WasmKernel('relaxed')],
  ['simd', new WasmKernel('simd')],
])('secret multiples by the %s kernel', (_, kernel) => {
  const isPlain = kernel === referenceKernel;
  // The plain kernel takes a second for all of these, and computes as the test does.
  test.each(
    isPlain
      ? [8n]
      : [0n, 1n, 7n, 8n, 2n ** 63n, 2n ** 64n - 1n, 0x8888888888888888n, 0x2082082082082082n, 440092861537n],
  )('commit to %i with any mask', (value) => {
    const masks = concatBytes(...scalars.map(scalarBytes));
    const multipleOfH = multiply(H, value);
    const wanted = multiplesOfG.map((point) => point.add(multipleOfH).toHex());
    const commitments = kernel.commit(
      scalars.map(() => value),
      masks,
    );
    expect(chunks(commitments, 32).map(toHex)).toEqual(wanted);
  });

  test.each([1, 2, 15, 16, 17, 18, 31, 33])('commit in batches of %i', (count) => {
    const amounts = Array.from({ length: count }, (_i, n) => 2n ** BigInt(n) - 1n);
    const masks = amounts.map((_value, n) => scalars[n % scalars.length] ?? 0n);
    const commitments = kernel.commit(amounts, concatBytes(...masks.map(scalarBytes)));
    expect(chunks(commitments, 32).map(toHex)).toEqual(
      masks.map((mask, n) =>
        multiply(G, mask)
          .add(multiply(H, amounts[n] ?? 0n))
          .toHex(),
      ),
    );
  });

  it('are key images of any key and secret', () => {
    const keys = scalars.map((_scalar, i) => EDGE_ENCODINGS[3 * i] ?? somePoint());
    const images = kernel.keyImages(concatBytes(...keys), concatBytes(...scalars.map(scalarBytes)));
    expect(chunks(images, 32).map(toHex)).toEqual(
      scalars.map((secret, i) => toHex(keyImage(keys[i] as PublicKey, scalarBytes(secret)))),
    );
  });

  it('of many rows cross from call to call', () => {
    const key = somePoint();
    const secret = scalarBytes(scalar(9));
    const length = isPlain ? 3 : 301;
    const images = kernel.keyImages(
      concatBytes(...Array.from({ length }, () => key)),
      concatBytes(...Array.from({ length }, () => secret)),
    );
    expect(images).toHaveLength(32 * length);
    expect(new Set(chunks(images, 32).map(toHex))).toEqual(new Set([toHex(keyImage(key, secret))]));
  });
});

describe.each([
  ['relaxed', new WasmKernel('relaxed')],
  ['simd', new WasmKernel('simd')],
  ['plain', referenceKernel],
])('multiples by one secret, by the %s kernel', (_, kernel) => {
  const points = Array.from({ length: 301 }, somePoint);

  test.each([1n, 2n, 15n, 16n, ORDER - 1n, 2n ** 252n, (ORDER - 1n) / 2n])('%s', (secret) => {
    const [first = new Uint8Array()] = points;
    const products = kernel.multiply(first, scalarBytes(secret));
    expect(toHex(products)).toBe(multiply(Point.fromHex(toHex(first)), secret).toHex());
  });

  it('cross from call to call', () => {
    const secret = scalar(11);
    const some = kernel === referenceKernel ? points.slice(0, 9) : points;
    const products = chunks(kernel.multiply(concatBytes(...some), scalarBytes(secret)), 32);
    expect(products).toHaveLength(some.length);
    for (const n of [0, 1, some.length - 2, some.length - 1])
      expect(toHex(products[n] ?? new Uint8Array())).toBe(
        multiply(Point.fromHex(toHex(some[n] ?? new Uint8Array())), secret).toHex(),
      );
  });

  test.each(NO_POINTS.map((bytes) => [toHex(bytes), bytes] as const))(
    'of %s there are none',
    (_hex, bytes) => {
      expect(() => kernel.multiply(concatBytes(somePoint(), bytes), viewSecret)).toThrow(RangeError);
    },
  );
});

describe.each([
  ['relaxed', new WasmKernel('relaxed')],
  ['simd', new WasmKernel('simd')],
  ['plain', referenceKernel],
])('a secret of ℓ or more, or not of 32 bytes, by the %s kernel', (_, kernel) => {
  const point = somePoint();
  test.each([
    ['ℓ', intToBytes(ORDER)],
    ['ℓ + 1', intToBytes(ORDER + 1n)],
    ['2^253', intToBytes(2n ** 253n)],
    ['2^255 - 1', intToBytes(2n ** 255n - 1n)],
    ['2^256 - 1', intToBytes(2n ** 256n - 1n)],
    ['31 bytes', new Uint8Array(31)],
    ['no bytes', new Uint8Array(0)],
    ['33 bytes', new Uint8Array(33)],
  ])('is refused: %s', (_name, secret) => {
    expect(() => kernel.scan(untagged([point], [point]), { viewSecret: secret })).toThrow(RangeError);
    expect(() => kernel.multiply(point, secret)).toThrow(RangeError);
    if (secret.length !== 32) return;
    expect(() => kernel.commit([1n], secret)).toThrow(RangeError);
    expect(() => kernel.keyImages(point, secret)).toThrow(RangeError);
  });
});
