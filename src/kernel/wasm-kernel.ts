import { bytesToInt } from '../crypto/scalar.js';
import type { ScanBatch, ScanHits, ScanKernel } from './kernel.js';
import { KernelMemory, ROWS } from './kernel-memory.js';
import { WasmCurve } from './wasm-curve.js';
import type { Build } from './wasm-module.js';

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
    const memory = this.#memory;
    const { keys, outputs, outputKey, outputIndex, viewTags } = batch;
    const count = outputKey.length;
    if (memory.grow((wasm) => wasm.roomToScan(keys.length / 32, count)) === 0)
      throw new Error('out of memory');
    const { wasm } = memory;
    const { buffer } = wasm.memory;
    new Uint8Array(buffer, wasm.scanKeysAt(), keys.length).set(keys);
    new Uint8Array(buffer, wasm.scanOutputsAt(), 32 * count).set(outputs);
    new Uint32Array(buffer, wasm.scanOutputKeyAt(), count).set(outputKey);
    new Uint32Array(buffer, wasm.scanOutputIndexAt(), count).set(outputIndex);
    new Uint16Array(buffer, wasm.scanTagsAt(), count).set(viewTags);
    // Of the integer, not of its residue: keys may have torsion, which the 8 clears.
    const found = wasm.scan(memory.setDigits(8n * bytesToInt(viewSecret)));
    const hits = {
      outputs: new Uint32Array(buffer, wasm.scanHitsAt(), found).slice(),
      derivations: new Uint8Array(buffer, wasm.scanDerivationsAt(), 32 * found).slice(),
      spendKeys: new Uint8Array(buffer, wasm.scanSpendKeysAt(), 32 * found).slice(),
    };
    wasm.forgetScan();
    wasm.forget();
    return hits;
  }

  addHashes(point: Uint8Array, messages: Uint8Array, length: number): Uint8Array {
    const total = messages.length / length;
    const sums = new Uint8Array(32 * total);
    // In both lanes; a point is judged even where there is nothing to add.
    this.#memory.points.set(point, 0);
    this.#memory.points.set(point, 32);
    for (let start = 0; start === 0 || start < total; start += ROWS) {
      const count = Math.min(ROWS, total - start);
      this.#memory.messages.set(messages.subarray(length * start, length * (start + count)));
      this.#memory.wasm.addHashes(Math.max(2, even(count)), length);
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
}
