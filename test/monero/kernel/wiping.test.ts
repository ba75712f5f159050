import { describe, expect, it, test } from '@jest/globals';
import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import { hashToScalar, scalarBytes } from '../../../src/monero/crypto/scalar.js';
import type { SecretKey } from '../../../src/monero/crypto/types.js';
import { NO_VIEW_TAG, type ScanBatch, type ScanKernel } from '../../../src/monero/kernel/kernel.js';
import { WasmMemory } from '../../../src/monero/crypto/curve/wasm-memory.js';
import { scanTask } from '../../../src/monero/kernel/scan-task.js';
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
const first = (secrets: Secrets): Uint8Array => secrets.scalars[0] as Uint8Array;

interface Parts {
  readonly memory: WasmMemory;
  readonly kernel: WasmKernel;
  readonly curve: WasmCurve;
}

/** Every operation with secrets, first as it should be, then refused part of the way. */
const OPERATIONS: readonly (readonly [string, (parts: Parts, secrets: Secrets) => void])[] = [
  ['scan', ({ kernel }, secrets) => kernel.scan(batch, first(secrets))],
  ['scanMany with few secrets', ({ kernel }, { scalars }) => kernel.scanMany(batch, scalars)],
  [
    'scanMany with many secrets',
    ({ kernel }, { scalars }) => kernel.scanMany(batch, Array.from({ length: 27 }, () => scalars).flat()),
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
    ({ kernel }, secrets) => kernel.scan({ ...batch, outputs: new Uint8Array(32 * 99) }, first(secrets)),
  ],
  [
    'scanMany of a batch that does not fit its own counts',
    ({ kernel }, { scalars }) => kernel.scanMany({ ...batch, outputs: new Uint8Array(32 * 199) }, scalars),
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

  override wiping<T>(task: () => T): T {
    return super.wiping(() => {
      try {
        return task();
      } finally {
        this.full = this.all();
      }
    });
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
  const HITS = [{ outputs: new Uint32Array(), derivations: new Uint8Array(), spendKeys: new Uint8Array() }];

  it('wipes its copies of the view secrets when the scan is done', () => {
    const viewSecrets = [secretBytes(), secretBytes()];
    const kernel = kernelThat((_batch, secrets) => {
      expect(secrets).not.toContainEqual(new Uint8Array(32));
      return HITS;
    });
    expect(scanTask(kernel, { batch, viewSecrets }, quiet)).toBe(HITS);
    expect(viewSecrets).toEqual([new Uint8Array(32), new Uint8Array(32)]);
  });

  it('wipes its copies of the view secrets when the scan throws', () => {
    const viewSecrets = [secretBytes(), secretBytes()];
    const failing = kernelThat(() => {
      throw new Error('out of memory');
    });
    expect(() => scanTask(failing, { batch, viewSecrets }, quiet)).toThrow('out of memory');
    expect(viewSecrets).toEqual([new Uint8Array(32), new Uint8Array(32)]);
  });
});
