import { describe, expect, it, test } from '@jest/globals';
import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import { keccak } from '../../../src/monero/crypto/keccak.js';
import { hashToScalar, scalarBytes } from '../../../src/monero/crypto/scalar.js';
import type { SecretKey } from '../../../src/monero/crypto/types.js';
import {
  NO_VIEW_TAG,
  type ScanBatch,
  type ScanKernel,
  type ScanKeys,
} from '../../../src/monero/kernel/kernel.js';
import { WasmMemory } from '../../../src/monero/crypto/curve/wasm-memory.js';
import { scanTask, secretsOf } from '../../../src/monero/kernel/scan-task.js';
import { WasmCurve } from '../../../src/monero/crypto/curve/wasm-curve.js';
import { WasmKernel } from '../../../src/monero/kernel/wasm-kernel.js';
import { concatBytes } from '../../../src/util/bytes.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';

const rng = seededRng('wiping');
const secretBytes = (): Uint8Array => scalarBytes(hashToScalar(rng(32)));
const point = (): Uint8Array => publicKeyOf(scalarBytes(hashToScalar(rng(32))));
const NO_POINT = new Uint8Array(32).fill(0xff);

// An even number: beside the last of an odd one, temporaries would end as those of the padding.
const points = Array.from({ length: 6 }, point);
const outputs = points.map(point);
const batch: ScanBatch = {
  keys: concatBytes(...points),
  outputKey: Uint32Array.from(points, (_, i) => i),
  outputIndex: Uint32Array.from(points, (_, i) => 200 * i),
  viewTags: Uint32Array.from(points, () => NO_VIEW_TAG),
  outputs: concatBytes(...outputs),
};

/** A batch of the form of the fork, whose keys lie partly on the twist. */
const forkBatch = (): ScanBatch => ({
  ...batch,
  viewTags: Uint32Array.from(points, (_, i) => i),
  contexts: {
    ofKeys: Uint32Array.from(points, (_, i) => i),
    bytes: new Uint8Array(33 * points.length).fill(7),
  },
});

interface Secrets {
  readonly scalars: readonly Uint8Array[];
  readonly messages: Uint8Array;
  readonly amounts: readonly bigint[];
}
const someSecrets = (): Secrets => ({
  scalars: points.map(secretBytes),
  messages: rng(48 * points.length),
  amounts: points.map(() => BigInt(`0x${Buffer.from(rng(8)).toString('hex')}`)),
});
/** A wallet of both forms, whose view-balance secret follows from its view secret key. */
const walletOf = (viewSecret: Uint8Array): ScanKeys => ({ viewSecret, balanceSecret: keccak(viewSecret) });
const first = (secrets: Secrets): Uint8Array => secrets.scalars[0] as Uint8Array;

interface Parts {
  readonly memory: WasmMemory;
  readonly kernel: WasmKernel;
  readonly curve: WasmCurve;
}

/** Every operation with secrets, first as it should be, then refused part of the way. */
const OPERATIONS: readonly (readonly [string, (parts: Parts, secrets: Secrets) => void])[] = [
  ['scan', ({ kernel }, secrets) => kernel.scan(batch, walletOf(first(secrets)))],
  ['scanMany with few secrets', ({ kernel }, { scalars }) => kernel.scanMany(batch, scalars.map(walletOf))],
  [
    'scanMany with many secrets',
    ({ kernel }, { scalars }) =>
      kernel.scanMany(
        batch,
        Array.from({ length: 27 }, () => scalars)
          .flat()
          .map(walletOf),
      ),
  ],
  ['scan of keys of the fork', ({ kernel }, secrets) => kernel.scan(forkBatch(), walletOf(first(secrets)))],
  [
    'scanMany of keys of the fork with few secrets',
    ({ kernel }, { scalars }) => kernel.scanMany(forkBatch(), scalars.slice(0, 2).map(walletOf)),
  ],
  [
    'scanMany of keys of the fork with many secrets',
    ({ kernel }, { scalars }) => kernel.scanMany(forkBatch(), scalars.map(walletOf)),
  ],
  ['forkHash', ({ curve }, secrets) => curve.forkHash(32, secrets.messages.slice(0, 200), first(secrets))],
  ['x25519', ({ curve }, secrets) => curve.x25519(points[0] as Uint8Array, first(secrets))],
  [
    'unbiasedKeyImages',
    ({ curve }, { scalars }) => curve.unbiasedKeyImages(batch.keys, concatBytes(...scalars)),
  ],
  [
    'addMultiplesOfBoth',
    ({ curve }, { scalars }) => curve.addMultiplesOfBoth(points, scalars, [...scalars].reverse()),
  ],
  ['addHashes', ({ kernel }, { messages }) => kernel.addHashes(points[0] as Uint8Array, messages, 48)],
  ['multiply', ({ kernel }, secrets) => kernel.multiply(concatBytes(...points), first(secrets))],
  ['commit', ({ curve }, { amounts, scalars }) => curve.commit(amounts, concatBytes(...scalars))],
  ['keyImages', ({ curve }, { scalars }) => curve.keyImages(batch.keys, concatBytes(...scalars))],
  [
    'ownKeyImages',
    ({ kernel }, { scalars }) =>
      kernel.ownKeyImages(
        {
          outputKeys: batch.keys,
          derivations: concatBytes(...scalars),
          outputIndices: batch.outputIndex,
          subaddresses: Uint32Array.from({ length: 2 * points.length }, (_, i) => i),
        },
        { viewSecret: scalars[0] as SecretKey, spendSecret: scalars[1] as SecretKey },
      ),
  ],
  ['multiplySecret', ({ curve }, { scalars }) => curve.multiplySecret(points, scalars)],
  ['addSecretMultiples', ({ curve }, { scalars }) => curve.addSecretMultiples(points, scalars)],
  ['sums of points that secret bits select', ({ memory }, { scalars }) => sumSelected(memory, scalars)],
];

/** Sums products of a basis, and of two sums of its points, which the first scalar selects. */
function sumSelected(memory: WasmMemory, scalars: readonly Uint8Array[]): void {
  const { wasm } = memory;
  memory.grow(() => wasm.reserveBasis(points.length));
  memory.points.set(concatBytes(...points));
  wasm.addTables(points.length, 0, 0);
  wasm.resizeBasis(points.length);
  const at = memory.grow(() => wasm.reserveTerms(points.length, 2));
  memory.wiping(() => {
    const selected = points.map((_, i) => i).filter((i) => (scalars[0]?.[i] ?? 0) > 127);
    new Uint32Array(wasm.memory.buffer, at, selected.length).set(selected);
    wasm.addTablesOfSums(at, 0, selected.length, 0);
    new Uint8Array(wasm.memory.buffer, at, 32 * (points.length + 2)).set(
      concatBytes(...scalars, ...scalars.slice(0, 2)),
    );
    wasm.sum(points.length, 2);
  });
}

const REFUSALS: readonly (readonly [string, (parts: Parts, secrets: Secrets) => void])[] = [
  [
    'scan of a batch that does not fit its own counts',
    ({ kernel }, secrets) =>
      kernel.scan({ ...batch, outputs: new Uint8Array(32 * 99) }, walletOf(first(secrets))),
  ],
  [
    'scanMany of a batch that does not fit its own counts',
    ({ kernel }, { scalars }) =>
      kernel.scanMany({ ...batch, outputs: new Uint8Array(32 * 199) }, scalars.map(walletOf)),
  ],
  ['addHashes', ({ kernel }, { messages }) => kernel.addHashes(NO_POINT, messages, 48)],
  ['multiply', ({ kernel }, secrets) => kernel.multiply(concatBytes(...points, NO_POINT), first(secrets))],
  [
    'multiplySecret',
    ({ curve }, { scalars }) => curve.multiplySecret([...points.slice(1), NO_POINT], scalars),
  ],
  [
    'addSecretMultiples',
    ({ curve }, { scalars }) => curve.addSecretMultiples([...points.slice(1), NO_POINT], scalars),
  ],
];

/** Keeps what the memory held when an operation was about to wipe it. */
class WatchedMemory extends WasmMemory {
  full: Buffer = Buffer.alloc(0);

  all(): Buffer {
    return Buffer.from(new Uint8Array(this.wasm.memory.buffer));
  }

  override wiping<T>(task: () => T, wipe?: () => void): T {
    return super.wiping(() => {
      try {
        return task();
      } finally {
        this.full = this.all();
      }
    }, wipe);
  }
}

describe.each(['relaxed', 'simd'] as const)('the memory of the %s build', (build) => {
  const memoryAfter = (operate: (parts: Parts) => void): { wiped: Buffer; full: Buffer } => {
    const memory = new WatchedMemory(build);
    operate({ memory, kernel: new WasmKernel(build, memory), curve: new WasmCurve(build, memory) });
    return { wiped: memory.all(), full: memory.full };
  };

  test.each(OPERATIONS)('is the same after %s, whatever the secrets were', (_, operate) => {
    const [one, other] = [someSecrets(), someSecrets()].map((secrets) =>
      memoryAfter((parts) => operate(parts, secrets)),
    );
    expect(one?.full.length).toBeGreaterThan(0);
    expect(other?.full.equals(one?.full as Buffer)).toBe(false);
    expect(other?.wiped.equals(one?.wiped as Buffer)).toBe(true);
  });

  test.each(REFUSALS)('is the same after %s was refused', (_, operate) => {
    const [one, other] = [someSecrets(), someSecrets()].map((secrets) =>
      memoryAfter((parts) => {
        expect(() => operate(parts, secrets)).toThrow(/not a point|out of bounds/);
      }),
    );
    expect(other?.wiped.equals(one?.wiped as Buffer)).toBe(true);
  });
});

describe('a task of a scanning thread', () => {
  const kernelThat = (scanMany: ScanKernel['scanMany']): Pick<ScanKernel, 'scanMany'> => ({ scanMany });
  const quiet = { areFrequent: false, giveWay: () => undefined };
  const none = new Uint8Array();
  const HITS = [{ outputs: new Uint32Array(), derivations: none, spendKeys: none, internal: none }];

  it('wipes its copies of the secrets when the scan is done', () => {
    const keys = [{ viewSecret: secretBytes(), balanceSecret: secretBytes() }, { viewSecret: secretBytes() }];
    const kernel = kernelThat((_batch, given) => {
      expect(given.flatMap(secretsOf)).not.toContainEqual(new Uint8Array(32));
      return HITS;
    });
    expect(scanTask(kernel, { batch, keys }, quiet)).toBe(HITS);
    expect(keys.flatMap(secretsOf)).toEqual([0, 1, 2].map(() => new Uint8Array(32)));
  });

  it('wipes its copies of the secrets when the scan throws', () => {
    const keys = [{ viewSecret: secretBytes(), balanceSecret: secretBytes() }, { viewSecret: secretBytes() }];
    const failing = kernelThat(() => {
      throw new Error('out of memory');
    });
    expect(() => scanTask(failing, { batch, keys }, quiet)).toThrow('out of memory');
    expect(keys.flatMap(secretsOf)).toEqual([0, 1, 2].map(() => new Uint8Array(32)));
  });
});
