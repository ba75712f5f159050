import { bytesToInt } from '../crypto/scalar.js';
import { concatBytes, utf8 } from '../util/bytes.js';
import { encode, varintNumber } from '../util/codec.js';
import { NO_VIEW_TAG, type ScanBatch, type ScanHits, type ScanKernel } from './kernel.js';
import { KernelMemory, ROWS } from './kernel-memory.js';
import { WasmCurve } from './wasm-curve.js';
import type { Build } from './wasm-module.js';

const VIEW_TAG_SALT = utf8('view_tag');

const even = (count: number): number => count + (count & 1);

/** The kernel in WebAssembly: pairs of points in vectors, 256 a call. */
export class WasmKernel implements ScanKernel {
  readonly name: string;
  readonly #memory: KernelMemory;
  readonly #curve: WasmCurve;

  /** @throws Error when the engine does not know the instructions of this build. */
  constructor(build: Build) {
    this.name = `wasm ${build}`;
    this.#memory = new KernelMemory(build);
    this.#curve = new WasmCurve(build, this.#memory);
  }

  scan(batch: ScanBatch, viewSecret: Uint8Array): ScanHits {
    // Of the integer, not of its residue: keys may have torsion, which the 8 clears.
    const { products: derivations, valid } = this.#memory.multiplyPoints(
      batch.keys,
      8n * bytesToInt(viewSecret),
    );
    const hits = this.#matching(batch, derivations, valid);
    const spendKeys = this.#spendKeys(batch, derivations, hits);
    const found = hits.flatMap((j, n) => (spendKeys[n] === undefined ? [] : [{ j, spendKey: spendKeys[n] }]));
    this.#memory.wasm.forget();
    return {
      outputs: Uint32Array.from(found, ({ j }) => j),
      derivations: concatBytes(...found.map(({ j }) => derivationOf(batch, derivations, j))),
      spendKeys: concatBytes(...found.map(({ spendKey }) => spendKey)),
    };
  }

  addHashes(point: Uint8Array, messages: Uint8Array, length: number): Uint8Array {
    const total = messages.length / length;
    const sums = new Uint8Array(32 * total);
    // In both lanes; a point is judged even where there is nothing to add.
    this.#memory.points.set(point, 0);
    this.#memory.points.set(point, 32);
    for (let start = 0; start === 0 || start < total; start += ROWS) {
      const count = Math.min(ROWS, total - start);
      for (let i = 0; i < count; i++)
        this.#memory.setRow(i, messages.subarray(length * (start + i), length * (start + i + 1)));
      this.#memory.wasm.hashRows(count);
      this.#memory.wasm.addMultiplesOfG(Math.max(2, even(count)), 0, 1);
      sums.set(this.#memory.results.subarray(0, 32 * count), 32 * start);
    }
    this.#memory.wasm.forget();
    if (this.#memory.valid[0] !== 1) throw new RangeError('the base is not a point');
    return sums;
  }

  multiply(points: Uint8Array, secret: Uint8Array): Uint8Array {
    const { products, valid } = this.#memory.multiplyPoints(points, bytesToInt(secret));
    this.#memory.wasm.forget();
    if (valid.some((is) => is !== 1)) throw new RangeError('not a point');
    return products;
  }

  commit(amounts: readonly bigint[], masks: Uint8Array): Uint8Array {
    return this.#curve.commit(amounts, masks);
  }

  keyImages(outputKeys: Uint8Array, secrets: Uint8Array): Uint8Array {
    return this.#curve.keyImages(outputKeys, secrets);
  }

  /** Outputs whose key was a point and whose tag, if there is one, fits. */
  #matching(batch: ScanBatch, derivations: Uint8Array, valid: Uint8Array): number[] {
    const hits: number[] = [];
    const tagged: number[] = [];
    const flush = (): void => {
      this.#memory.wasm.hashRowsPlain(tagged.length);
      tagged.forEach((j, i) => {
        if (this.#memory.results[32 * i] === batch.viewTags[j]) hits.push(j);
      });
      tagged.length = 0;
    };
    for (let j = 0; j < batch.outputKey.length; j++) {
      if (valid[batch.outputKey[j] ?? 0] !== 1) continue;
      if (batch.viewTags[j] === NO_VIEW_TAG) {
        hits.push(j);
        continue;
      }
      this.#memory.setRow(
        tagged.length,
        VIEW_TAG_SALT,
        derivationOf(batch, derivations, j),
        encode(varintNumber, batch.outputIndex[j] ?? 0),
      );
      if (tagged.push(j) === ROWS) flush();
    }
    if (tagged.length > 0) flush();
    return hits.sort((a, b) => a - b);
  }

  /** `P - Hs(D, i)·G` of every hit; undefined where P is not a point. */
  #spendKeys(batch: ScanBatch, derivations: Uint8Array, hits: readonly number[]): (Uint8Array | undefined)[] {
    const keys: (Uint8Array | undefined)[] = [];
    for (let start = 0; start < hits.length; start += ROWS) {
      const chunk = hits.slice(start, start + ROWS);
      chunk.forEach((j, i) => {
        this.#memory.points.set(batch.outputs.subarray(32 * j, 32 * j + 32), 32 * i);
        this.#memory.setRow(
          i,
          derivationOf(batch, derivations, j),
          encode(varintNumber, batch.outputIndex[j] ?? 0),
        );
      });
      this.#memory.wasm.hashRows(chunk.length);
      this.#memory.wasm.addMultiplesOfG(even(chunk.length), 1, 0);
      chunk.forEach((_, i) =>
        keys.push(this.#memory.valid[i] === 1 ? this.#memory.results.slice(32 * i, 32 * i + 32) : undefined),
      );
    }
    return keys;
  }
}

const derivationOf = (batch: ScanBatch, derivations: Uint8Array, j: number): Uint8Array => {
  const key = batch.outputKey[j] ?? 0;
  return derivations.subarray(32 * key, 32 * key + 32);
};
