import { afterAll, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  derivePublicKey,
  keyDerivation,
  publicKeyOf,
  viewTag,
} from '../../../src/monero/crypto/derivation.js';
import { G, Point } from '../../../src/monero/crypto/curve/point.js';
import { hashToScalar, intToBytes, ORDER, scalarBytes } from '../../../src/monero/crypto/scalar.js';
import { NO_VIEW_TAG, type ScanBatch } from '../../../src/monero/kernel/kernel.js';
import { KernelPool } from '../../../src/monero/kernel/kernel-pool.js';
import { referenceKernel } from '../../../src/monero/kernel/reference-kernel.js';
import { WasmKernel } from '../../../src/monero/kernel/wasm-kernel.js';
import { concatBytes } from '../../../src/util/bytes.js';
import { EDGE_ENCODINGS, NO_POINTS, TORSION } from '../../support/values/edge-points.js';
import { hitTexts, untagged, viewing } from '../../support/chain/scan-batches.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { randomRuns } from '../../support/fakes/random-runs.js';
import { someRows } from '../../support/jest/lanes.js';

const rng = seededRng('scan many');
const someSecret = (): Uint8Array => scalarBytes(hashToScalar(rng(32)));
const somePoint = (): Uint8Array => publicKeyOf(scalarBytes(hashToScalar(rng(32))));
const secretsOf = (count: number): Uint8Array[] => Array.from({ length: count }, someSecret);

/** All multiples of a point of order 8, and those of G shifted by them. */
const TORSION_POINTS = Array.from({ length: 8 }, (_, n) => {
  const small = TORSION.multiplyUnsafe(BigInt(n));
  return [small, small.add(G)];
}).flatMap((points) => points.map((point) => point.toBytes()));
const IDENTITY = Point.ZERO.toBytes();

/** Secrets at the ends of the range, and those whose digits of radix 16 are all equal. */
const EDGE_SECRETS = [
  ...[1n, 2n, 7n, 8n, 9n, 15n, 16n, ORDER - 1n, ORDER - 2n, ORDER - 8n, (ORDER - 1n) / 2n],
  ...[2n ** 252n, 2n ** 252n - 1n, 2n ** 252n + 1n, 2n ** 251n, 2n ** 251n - 1n],
  ...['7', '8', '9', 'f'].map((digit) => BigInt(`0x0${digit.repeat(63)}`)),
].map(intToBytes);

/** Integers of a range. */
const to = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** Every `scanMany` that is not the plain one. */
const pool = new KernelPool(2);
afterAll(() => pool.close());
const relaxed = new WasmKernel('relaxed');
const simd = new WasmKernel('simd');
const SCANNERS = [
  ['relaxed kernel', relaxed],
  ['simd kernel', simd],
  ['pool', pool],
] as const;

const plain = (batch: ScanBatch, secrets: readonly Uint8Array[]): string[][] =>
  referenceKernel.scanMany(batch, viewing(secrets)).map(hitTexts);

/** Secrets, a batch and its hits by the plain kernel, computed once for all scanners. */
function example(keys: readonly Uint8Array[], secrets: readonly Uint8Array[]) {
  const batch = untagged(
    keys,
    keys.map(() => somePoint()),
  );
  return { batch, secrets, wanted: plain(batch, secrets) };
}

const EXAMPLES = [
  ['keys at the edges of the arithmetic', example(EDGE_ENCODINGS, secretsOf(3))],
  ['keys with a torsion part', example(TORSION_POINTS, [...secretsOf(4), ...EDGE_SECRETS.slice(0, 4)])],
  ['keys that are not points', example([...NO_POINTS, somePoint(), ...NO_POINTS], secretsOf(2))],
  ['the identity as a key', example([IDENTITY, somePoint(), IDENTITY], secretsOf(6))],
  ['secrets at the edges of their range', example([somePoint(), somePoint()], EDGE_SECRETS)],
  [
    'the same secret twice',
    example(
      [somePoint()],
      [1, 2, 1].map((n) => scalarBytes(BigInt(n))),
    ),
  ],
  ['more secrets than one call takes', example([somePoint()], secretsOf(130))],
  ['an odd number of keys', example([somePoint(), somePoint(), somePoint()], secretsOf(17))],
] as const;

describe.each(SCANNERS)('scanning with several view secrets by the %s', (_name, scanner) => {
  test.each(EXAMPLES)('agrees with the plain kernel on %s', async (_example, { batch, secrets, wanted }) => {
    expect((await scanner.scanMany(batch, viewing(secrets))).map(hitTexts)).toEqual(wanted);
  });

  it('finds for each secret the outputs whose view tag fits, in the order of the secrets', async () => {
    const secrets = secretsOf(7);
    const keys = Array.from({ length: 5 }, somePoint);
    const owners = secrets.map(somePoint);
    // Output j is paid to secret j mod 7 with key j mod 5.
    const payments = Array.from({ length: 35 }, (_, j) => {
      const derivation = keyDerivation(keys[j % 5] as never, secrets[j % 7] as never);
      return {
        tag: viewTag(derivation, j),
        output: derivePublicKey(derivation, j, owners[j % 7] as never),
      };
    });
    const batch: ScanBatch = {
      keys: concatBytes(...keys),
      outputKey: Uint32Array.from(payments, (_, j) => j % 5),
      outputIndex: Uint32Array.from(payments, (_, j) => j),
      viewTags: Uint32Array.from(payments, ({ tag }) => tag),
      outputs: concatBytes(...payments.map(({ output }) => output)),
    };
    const hits = await scanner.scanMany(batch, viewing(secrets));
    expect(hits.map(hitTexts)).toEqual(plain(batch, secrets));
    hits.forEach(({ outputs, spendKeys }, secret) => {
      const owned = payments.map((_, j) => j).filter((j) => j % 7 === secret);
      expect([...outputs]).toEqual(expect.arrayContaining(owned));
      for (const j of owned) {
        const n = outputs.indexOf(j);
        expect(spendKeys.subarray(32 * n, 32 * n + 32)).toEqual(owners[secret]);
      }
    });
  });

  it('leaves out outputs that are not points, whichever outputs each secret pairs them with', async () => {
    const key = somePoint();
    const secrets = secretsOf(4);
    const tags = secrets.map((secret) => viewTag(keyDerivation(key as never, secret as never), 0));
    // By its tag the first output belongs to some of the secrets only; it shifts the rows of the others.
    const outputs = [somePoint(), somePoint(), somePoint(), NO_POINTS[0] as Uint8Array, somePoint()];
    const batches = tags.map((tag) => ({
      ...untagged(
        outputs.map(() => key),
        outputs,
      ),
      outputIndex: Uint32Array.from(outputs, (_, j) => j),
      viewTags: Uint32Array.from(outputs, (_, j) => (j === 0 ? tag : NO_VIEW_TAG)),
    }));
    for (const batch of batches)
      expect((await scanner.scanMany(batch, viewing(secrets))).map(hitTexts)).toEqual(plain(batch, secrets));
  });

  it('returns no hits without secrets, and none of an empty batch', async () => {
    expect(await scanner.scanMany(untagged([somePoint()], [somePoint()]), [])).toEqual([]);
    const hits = await scanner.scanMany(untagged([], []), viewing(secretsOf(3)));
    expect(hits.map(hitTexts)).toEqual([[], [], []]);
  });

  it('leaves the secrets of the caller as they are', async () => {
    const secrets = secretsOf(3);
    const copies = secrets.map((secret) => Uint8Array.from(secret));
    await scanner.scanMany(untagged([somePoint()], [somePoint()]), viewing(secrets));
    expect(secrets).toEqual(copies);
  });

  test.each([
    ['ℓ', intToBytes(ORDER)],
    ['2^256 - 1', intToBytes(2n ** 256n - 1n)],
    ['31 bytes', new Uint8Array(31)],
    ['no bytes', new Uint8Array(0)],
  ])('refuses a secret of %s among others', async (_secret, secret) => {
    const batch = untagged([somePoint()], [somePoint()]);
    const scan = async (): Promise<unknown> =>
      scanner.scanMany(batch, viewing([someSecret(), secret, someSecret()]));
    await expect(scan()).rejects.toThrow('not a canonical scalar');
  });
});

/**
 * Secrets that select every sum of the teeth of a comb with a number of columns, and their hits by the plain kernel,
 * computed once for both builds.
 */
const everySum = new Map<number, ReturnType<typeof example>>();
function secretsOfEverySum(columns: number): ReturnType<typeof example> {
  const known = everySum.get(columns);
  if (known !== undefined) return known;
  const odd = Array.from({ length: 64 }, (_, pattern) => {
    const bits = Array.from({ length: 250 }, (_bit, i) => (pattern >> (Math.floor(i / columns) % 6)) & 1);
    return 2n * BigInt(`0b${bits.reverse().join('')}`) + 1n;
  });
  // An even secret selects the sums of the odd l - s, and their negatives.
  const all = odd.flatMap((secret) => [secret, ORDER - secret]).map(intToBytes);
  const made = example([somePoint()], all);
  everySum.set(columns, made);
  return made;
}

describe.each(
  someRows([
    ['relaxed', relaxed],
    ['simd', simd],
  ] as const),
)('the shared tables of the %s kernel', (_build, kernel) => {
  it('give any number of secrets the hits that each has alone', () => {
    const keys = [somePoint(), TORSION_POINTS[5] as Uint8Array, NO_POINTS[0] as Uint8Array, somePoint()];
    const batch = untagged(
      keys,
      keys.map(() => somePoint()),
    );
    const secrets = secretsOf(130);
    const alone = secrets.map((secret) => hitTexts(kernel.scan(batch, { viewSecret: secret })));
    // Numbers around those at which `recodeSecrets` changes the layout of the tables, and lanes are filled up.
    for (const count of [...to(1, 50), ...to(63, 66), ...to(127, 130)])
      expect(kernel.scanMany(batch, viewing(secrets.slice(0, count))).map(hitTexts)).toEqual(
        alone.slice(0, count),
      );
  });

  test.each([
    [3, 90],
    [16, 17],
    [100, 5],
    [128, 3],
  ])('serve %i secrets and %i keys, more than one call of the assembly holds', (count, keyCount) => {
    const keys = Array.from({ length: keyCount }, somePoint);
    const batch = untagged(keys, keys);
    const secrets = secretsOf(count);
    expect(kernel.scanMany(batch, viewing(secrets)).map(hitTexts)).toEqual(
      secrets.map((secret) => hitTexts(kernel.scan(batch, { viewSecret: secret }))),
    );
  });

  // A comb has 6 teeth; the number of secrets decides how many digits are between them.
  test.each([
    [4, 42],
    [16, 21],
    [32, 14],
    [64, 7],
  ])('select every sum of teeth for %i secrets at once', (count, columns) => {
    const { batch, secrets, wanted } = secretsOfEverySum(columns);
    for (let start = 0; start < secrets.length; start += count)
      expect(kernel.scanMany(batch, viewing(secrets.slice(start, start + count))).map(hitTexts)).toEqual(
        wanted.slice(start, start + count),
      );
  });
});

describe('any batch with any secrets', () => {
  const anyKey = fc.oneof(
    fc.constantFrom(...EDGE_ENCODINGS),
    fc.constantFrom(...TORSION_POINTS),
    fc.constantFrom(...NO_POINTS),
    fc.uint8Array({ minLength: 32, maxLength: 32 }),
    fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((seed) => publicKeyOf(scalarBytes(hashToScalar(seed)))),
  );
  const anySecret = fc.oneof(
    fc.bigInt({ min: 1n, max: ORDER - 1n }).map(intToBytes),
    fc.constantFrom(...EDGE_SECRETS),
  );
  const anyOutput = fc.record({
    point: anyKey,
    // The last of these keys is not in the batch.
    key: fc.nat(4),
    index: fc.oneof(fc.nat(300), fc.nat(0xffffffff)),
    tag: fc.oneof(fc.constant(NO_VIEW_TAG), fc.nat(255)),
  });

  it('has the same hits by both builds and the plain kernel', () => {
    fc.assert(
      fc.property(
        fc.array(anyKey, { minLength: 1, maxLength: 4 }),
        fc.array(anyOutput, { maxLength: 12 }),
        fc.array(anySecret, { minLength: 1, maxLength: 8 }),
        (keys, outputs, secrets) => {
          const batch: ScanBatch = {
            keys: concatBytes(...keys),
            outputKey: Uint32Array.from(outputs, ({ key }) => key),
            outputIndex: Uint32Array.from(outputs, ({ index }) => index),
            viewTags: Uint32Array.from(outputs, ({ tag }) => tag),
            outputs: concatBytes(...outputs.map(({ point }) => point)),
          };
          const wanted = plain(batch, secrets);
          expect(relaxed.scanMany(batch, viewing(secrets)).map(hitTexts)).toEqual(wanted);
          expect(simd.scanMany(batch, viewing(secrets)).map(hitTexts)).toEqual(wanted);
        },
      ),
      { numRuns: randomRuns(60) },
    );
  });
});

describe('a pool whose threads are busy', () => {
  /** Not a canonical scalar. */
  const INVALID = new Uint8Array(32).fill(255);
  const FAILURE = { name: 'RangeError', message: 'not a canonical scalar' };
  const busy = new KernelPool(1);
  afterAll(() => busy.close());

  it('has a waiting batch scanned on the calling thread', async () => {
    const batch = untagged(Array.from({ length: 70 }, somePoint), Array.from({ length: 70 }, somePoint));
    const secrets = secretsOf(2);
    let onThisThread = 0;
    const counting: Pick<WasmKernel, 'scanMany'> = {
      scanMany: (part, views) => {
        onThisThread += part.keys.length / 32;
        return simd.scanMany(part, views);
      },
    };
    const scans = [1, 2, 3].map(() => busy.scanMany(batch, viewing(secrets)));
    expect(await busy.scanWaiting(counting)).toBe(true);
    expect(await busy.scanWaiting(counting)).toBe(false);
    expect(onThisThread).toBe(70);
    const wanted = plain(batch, secrets);
    for (const scan of scans) expect((await scan).map(hitTexts)).toEqual(wanted);
  });

  it('gives the error of the calling thread to the one that requested the scan', async () => {
    const batch = untagged([somePoint()], [somePoint()]);
    const scans = [secretsOf(1), secretsOf(1), [INVALID]].map((secrets) =>
      busy.scanMany(batch, viewing(secrets)),
    );
    const failed = expect(scans[2]).rejects.toMatchObject(FAILURE);
    expect(await busy.scanWaiting(simd)).toBe(true);
    await failed;
    for (const scan of scans.slice(0, 2)) expect(await scan).toHaveLength(1);
  });

  it('sends a thread its next batch when one ends, and leaves the last one to the calling thread', async () => {
    const batch = untagged([somePoint()], [somePoint()]);
    const scans = Array.from({ length: 4 }, () => busy.scanMany(batch, viewing(secretsOf(1))));
    await scans[0];
    expect(await Promise.all([busy.scanWaiting(simd), busy.scanWaiting(simd)])).toEqual([true, false]);
    for (const scan of scans) expect(await scan).toHaveLength(1);
  });

  it('scans the other batches of a thread when one fails', async () => {
    const batch = untagged([somePoint()], [somePoint()]);
    const scans = [[INVALID], secretsOf(1), secretsOf(1)].map((secrets) =>
      busy.scanMany(batch, viewing(secrets)),
    );
    busy.sendAhead(3);
    expect(await busy.scanWaiting(simd)).toBe(false);
    await expect(scans[0]).rejects.toMatchObject(FAILURE);
    for (const scan of scans.slice(1)) expect(await scan).toHaveLength(1);
  });
});
