import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { forkHash } from '../../../src/monero/crypto/fork-hash.js';
import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import { hashToScalar, intToBytes, ORDER, scalarBytes } from '../../../src/monero/crypto/scalar.js';
import { plainX25519 } from '../../../src/monero/crypto/curve/x25519.js';
import type { SecretKey } from '../../../src/monero/crypto/types.js';
import {
  NO_CONTEXT,
  NO_VIEW_TAG,
  type ScanBatch,
  type ScanHits,
  type ScanKeys,
} from '../../../src/monero/kernel/kernel.js';
import { KernelPool } from '../../../src/monero/kernel/kernel-pool.js';
import { referenceKernel } from '../../../src/monero/kernel/reference-kernel.js';
import { scanTask } from '../../../src/monero/kernel/scan-task.js';
import { WasmKernel } from '../../../src/monero/kernel/wasm-kernel.js';
import { concatBytes, fromHex, toHex, utf8 } from '../../../src/util/bytes.js';
import { hitTexts } from '../../support/chain/scan-batches.js';
import { randomRuns } from '../../support/fakes/random-runs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { EDGE_US } from '../../support/values/u-coordinates.js';

const pool = new KernelPool(1);
afterAll(() => pool.close());
const relaxed = new WasmKernel('relaxed');
const simd = new WasmKernel('simd');
const FAST = [
  ['relaxed kernel', relaxed],
  ['simd kernel', simd],
  ['pool', pool],
] as const;

interface Vector {
  readonly id: string;
  readonly viewSecret: string;
  readonly balanceSecret?: string;
  readonly ephemeralKey: string;
  readonly context: string;
  readonly outputKey: string;
  readonly viewTag: string;
  readonly hits: readonly string[];
  readonly secret?: string;
}
const vectors = (
  JSON.parse(readFileSync('test/vectors/carrot/view-tags.json', 'utf8')) as {
    readonly outputs: readonly Vector[];
  }
).outputs;

const tagNumber = ([first = 0, second = 0, third = 0]: Uint8Array): number =>
  first | (second << 8) | (third << 16);

/** An output of a batch to make. A key without a context has the old form. */
interface Row {
  readonly key: number;
  readonly tag: number;
  readonly outputKey: Uint8Array;
}
interface Key {
  readonly bytes: Uint8Array;
  readonly context: Uint8Array | undefined;
}

function batchOf(keys: readonly Key[], rows: readonly Row[]): ScanBatch {
  const contexts: Uint8Array[] = [];
  const ofKeys = keys.map(({ context }) => (context === undefined ? NO_CONTEXT : contexts.push(context) - 1));
  return {
    keys: concatBytes(...keys.map(({ bytes }) => bytes)),
    outputKey: Uint32Array.from(rows, ({ key }) => key),
    outputIndex: Uint32Array.from(rows, (_, j) => j % 300),
    viewTags: Uint32Array.from(rows, ({ tag }) => tag),
    outputs: concatBytes(...rows.map(({ outputKey }) => outputKey)),
    contexts: { ofKeys: Uint32Array.from(ofKeys), bytes: concatBytes(...contexts) },
  };
}

/** Computes the view tag of an output of the fork, from the description of its hash. */
const tagOf = (secret: Uint8Array, context: Uint8Array, outputKey: Uint8Array): number =>
  tagNumber(forkHash(3, concatBytes(Uint8Array.of(15), utf8('Carrot view tag'), context, outputKey), secret));

const rng = seededRng('fork scan');
const someSecret = (): SecretKey => scalarBytes(hashToScalar(rng(32)));
const walletsOf = (count: number): ScanKeys[] =>
  Array.from({ length: count }, (_, i) =>
    i % 3 === 2 ? { viewSecret: someSecret() } : { viewSecret: someSecret(), balanceSecret: rng(32) },
  );

/**
 * A batch of both forms in which every output of the fork is found by one wallet, by either of its secrets.
 * @param us the ephemeral keys.
 */
function foundBatch(us: readonly Uint8Array[], wallets: readonly ScanKeys[], outputs = 2): ScanBatch {
  const keys = us.flatMap((bytes, i): Key[] => {
    const fork = { bytes, context: concatBytes(Uint8Array.of(i & 1 ? 0x43 : 0x52), rng(32)) };
    return i % 3 === 1 ? [{ bytes: publicKeyOf(someSecret()), context: undefined }, fork] : [fork];
  });
  const rows = keys.flatMap(({ bytes, context }, key) =>
    Array.from({ length: outputs }, (_, n): Row => {
      const outputKey = n % 3 === 2 ? rng(32) : publicKeyOf(someSecret());
      if (context === undefined) return { key, tag: n % 2 ? NO_VIEW_TAG : 7, outputKey };
      const wallet = wallets[(key + n) % wallets.length] as ScanKeys;
      const secret =
        n % 2 === 1 && wallet.balanceSecret !== undefined
          ? wallet.balanceSecret
          : plainX25519(bytes, wallet.viewSecret);
      return { key, tag: tagOf(secret, context, outputKey), outputKey };
    }),
  );
  return batchOf(keys, rows);
}

const textsOf = (all: readonly ScanHits[]): string[][] => all.map(hitTexts);
const plain = (batch: ScanBatch, wallets: readonly ScanKeys[]): string[][] =>
  textsOf(referenceKernel.scanMany(batch, wallets));

const SOME_US = Array.from({ length: 12 }, () => rng(32));

/** Batches with the hits of the plain kernel, computed once for all others. */
const EXAMPLES = (
  [
    ['edges of u and one wallet', EDGE_US, 1],
    ['edges of u and two wallets', EDGE_US, 2],
    ['edges of u and nine wallets', EDGE_US, 9],
    ['random keys and one wallet', SOME_US, 1],
    ['random keys and five wallets', SOME_US, 5],
    ['random keys and twenty wallets', SOME_US.slice(0, 5), 20],
    ['a single key and two wallets', SOME_US.slice(0, 1), 2],
    ['a single key and six wallets', SOME_US.slice(1, 2), 6],
    ['more wallets than a call takes', SOME_US.slice(0, 3), 131],
    ['no keys', [], 3],
  ] as const
).map(([name, us, count]) => {
  const wallets = walletsOf(count);
  const batch = foundBatch(us, wallets, name.startsWith('edges') ? 2 : 3);
  return [name, { batch, wallets, wanted: plain(batch, wallets) }] as const;
});

describe.each([['plain kernel', referenceKernel] as const, ...FAST])(
  'scanning outputs of the fork by the %s',
  (_, scanner) => {
    test.each(vectors)('finds what $id pays', async (vector) => {
      const batch = batchOf(
        [{ bytes: fromHex(vector.ephemeralKey), context: fromHex(vector.context) }],
        [{ key: 0, tag: tagNumber(fromHex(vector.viewTag)), outputKey: fromHex(vector.outputKey) }],
      );
      const hits = await scanner.scan(batch, {
        viewSecret: fromHex(vector.viewSecret),
        ...(vector.balanceSecret !== undefined && { balanceSecret: fromHex(vector.balanceSecret) }),
      });
      const isInternal = vector.hits[0] === 'internal';
      expect([...hits.outputs]).toEqual(vector.hits.map(() => 0));
      expect([...hits.internal]).toEqual(vector.hits.map(() => (isInternal ? 1 : 0)));
      expect(toHex(hits.spendKeys)).toBe('00'.repeat(32 * vector.hits.length));
      const secret = isInternal ? vector.balanceSecret : vector.secret;
      if (secret !== undefined) expect(toHex(hits.derivations)).toBe(secret);
    });

    it('finds an output with both secrets, external first, between its neighbours', async () => {
      const wallet = { viewSecret: someSecret(), balanceSecret: new Uint8Array(32) };
      const context = rng(33);
      // Both secrets are zero bytes, as the shared secret of a key of order 2 is.
      const key = { bytes: new Uint8Array(32), context };
      const outputKey = rng(32);
      const row = { key: 0, tag: tagOf(new Uint8Array(32), context, outputKey), outputKey };
      const other = { key: 1, tag: NO_VIEW_TAG, outputKey: publicKeyOf(someSecret()) };
      const batch = batchOf(
        [key, { bytes: publicKeyOf(someSecret()), context: undefined }],
        [row, other, row, { ...row, tag: row.tag ^ 0x10000 }, other],
      );
      const hits = await scanner.scan(batch, wallet);
      expect([...hits.outputs]).toEqual([0, 0, 1, 2, 2, 4]);
      expect([...hits.internal]).toEqual([0, 1, 0, 0, 1, 0]);
    });
  },
);

describe.each(FAST)('scanning outputs of the fork by the %s', (_, scanner) => {
  test.each(EXAMPLES)('agrees with the plain kernel on %s', async (_name, { batch, wallets, wanted }) => {
    expect(textsOf(await scanner.scanMany(batch, wallets))).toEqual(wanted);
    const [first] = wallets;
    if (first !== undefined) expect(hitTexts(await scanner.scan(batch, first))).toEqual(wanted[0]);
  });

  it('leaves the secrets of the caller as they are', async () => {
    const wallets = walletsOf(2);
    const copies = structuredClone(wallets);
    await scanner.scanMany(foundBatch(SOME_US, wallets), wallets);
    expect(wallets).toEqual(copies);
  });
});

test('the examples find outputs with both secrets of each kind of wallet', () => {
  for (const [name, { wanted }] of EXAMPLES.slice(0, 6))
    expect([name, wanted.flat().length > 8]).toEqual([name, true]);
  expect(EXAMPLES[4]?.[1].wanted.flat().some((text) => text.endsWith(' 1'))).toBe(true);
});

test.each([
  ['relaxed', relaxed],
  ['simd', simd],
] as const)('any number of wallets finds by the %s kernel what each finds alone', (_, kernel) => {
  const wallets = walletsOf(130);
  // Keys on the curve and on the twist, alone in their pair and together.
  const batch = foundBatch([...SOME_US.slice(0, 5), ...EDGE_US.slice(0, 4)], wallets);
  const alone = wallets.map((wallet) => hitTexts(kernel.scan(batch, wallet)));
  for (const count of [
    ...Array.from({ length: 20 }, (_count, i) => i + 1),
    47,
    48,
    49,
    64,
    127,
    128,
    129,
    130,
  ])
    expect(textsOf(kernel.scanMany(batch, wallets.slice(0, count)))).toEqual(alone.slice(0, count));
});

test.each([
  [1, 257],
  [2, 131],
  [3, 90],
  [16, 17],
  [128, 3],
])('%i wallets and %i keys are more than one call of the assembly holds', (count, keyCount) => {
  const wallets = walletsOf(count);
  const batch = foundBatch(
    Array.from({ length: keyCount }, () => rng(32)),
    wallets,
    1,
  );
  const wanted = wallets.map((wallet) => hitTexts(simd.scan(batch, wallet)));
  expect(textsOf(relaxed.scanMany(batch, wallets))).toEqual(wanted);
  expect(wanted.flat().length).toBeGreaterThan(0);
});

test('a batch that is scanned in parts has the hits of the whole', () => {
  const wallets = walletsOf(3);
  const batch = foundBatch(
    Array.from({ length: 150 }, () => rng(32)),
    wallets,
  );
  const busy = { areFrequent: true, giveWay: () => undefined };
  const wanted = textsOf(relaxed.scanMany(batch, wallets));
  const task = { batch, keys: structuredClone(wallets) };
  expect(textsOf(scanTask(relaxed, task, busy))).toEqual(wanted);
});

describe('any batch of both forms', () => {
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
  const u = fc.oneof(
    fc.constantFrom(...EDGE_US),
    bytes(32),
    bytes(32).map((seed) => publicKeyOf(scalarBytes(hashToScalar(seed)))),
  );
  const key = fc.record({ bytes: u, context: fc.option(bytes(33), { nil: undefined }) });
  const secret = fc.oneof(
    fc.bigInt({ min: 1n, max: ORDER - 1n }).map(intToBytes),
    // The bits of these are at the ends of the range; 0 is no secret of a wallet, but has a product.
    fc.constantFrom(
      ...[0n, 1n, 2n, 7n, 8n, ORDER - 1n, ORDER - 2n, 2n ** 252n, 2n ** 252n - 1n].map(intToBytes),
    ),
  );
  const wallet = fc
    .tuple(secret, fc.option(bytes(32), { nil: undefined }))
    .map(([viewSecret, balanceSecret]): ScanKeys =>
      balanceSecret === undefined ? { viewSecret } : { viewSecret, balanceSecret },
    );
  const output = fc.record({
    // The last of these keys is not in the batch.
    key: fc.nat(4),
    outputKey: u,
    wallet: fc.nat(7),
    tag: fc.constantFrom('external', 'internal', 'none', 'other'),
  });

  it('has the same hits by both builds and the plain kernel', () => {
    let found = 0;
    fc.assert(
      fc.property(
        fc.array(key, { minLength: 1, maxLength: 4 }),
        fc.array(output, { maxLength: 10 }),
        fc.array(wallet, { minLength: 1, maxLength: 8 }),
        (keys, outputs, wallets) => {
          const rows = outputs.map(({ wallet: owner, tag, ...row }): Row => {
            const own = keys[row.key];
            const { viewSecret, balanceSecret } = wallets[owner % wallets.length] as ScanKeys;
            if (tag === 'none' || own?.context === undefined) return { ...row, tag: NO_VIEW_TAG };
            if (tag === 'other') return { ...row, tag: row.outputKey[0] ?? 0 };
            const shared =
              tag === 'internal' && balanceSecret ? balanceSecret : plainX25519(own.bytes, viewSecret);
            return { ...row, tag: tagOf(shared, own.context, row.outputKey) };
          });
          const batch = batchOf(keys, rows);
          const wanted = plain(batch, wallets);
          found += wanted.flat().length;
          expect(textsOf(relaxed.scanMany(batch, wallets))).toEqual(wanted);
          expect(textsOf(simd.scanMany(batch, wallets))).toEqual(wanted);
        },
      ),
      { numRuns: randomRuns(60) },
    );
    expect(found).toBeGreaterThan(0);
  });
});
