import { bytesToInt } from '../crypto/scalar.js';
import { concatBytes, utf8 } from '../util/bytes.js';
import { encode, varintNumber } from '../util/codec.js';
import { NO_VIEW_TAG, type ScanBatch, type ScanHits, type ScanKernel } from './kernel.js';
import { instantiate, type Build, type KernelExports } from './wasm-module.js';

/** Rows of one call. */
const ROWS = 256;
/** Bytes of a row to hash; the last one is its length. */
const ROW_BYTES = 64;

const VIEW_TAG_SALT = utf8('view_tag');

/** Digits of n in non-adjacent form of width 5, lowest first: odd, within ±15, or zero. */
function digitsOf(n: bigint): Int8Array {
  const digits: number[] = [];
  for (let rest = n; rest > 0n; rest >>= 1n) {
    const low = Number(rest & 31n);
    const digit = (low & 1) === 0 ? 0 : low < 16 ? low : low - 32;
    rest -= BigInt(digit);
    digits.push(digit);
  }
  return Int8Array.from(digits);
}

const even = (count: number): number => count + (count & 1);

/** The kernel in WebAssembly: pairs of points in vectors, 256 a call. */
export class WasmKernel implements ScanKernel {
  readonly name: string;
  readonly #wasm: KernelExports;
  readonly #points: Uint8Array;
  readonly #results: Uint8Array;
  readonly #scalars: Uint8Array;
  readonly #amounts: DataView;
  readonly #valid: Uint8Array;
  readonly #rows: Uint8Array;
  readonly #digits: Int8Array;

  /** @throws Error when the engine does not know the instructions of this build. */
  constructor(build: Build) {
    this.name = `wasm ${build}`;
    this.#wasm = instantiate(build);
    const { buffer } = this.#wasm.memory;
    this.#points = new Uint8Array(buffer, this.#wasm.pointsAt(), 32 * ROWS);
    this.#results = new Uint8Array(buffer, this.#wasm.resultsAt(), 32 * ROWS);
    this.#scalars = new Uint8Array(buffer, this.#wasm.scalarsAt(), 32 * ROWS);
    this.#amounts = new DataView(buffer, this.#wasm.amountsAt(), 32 * ROWS);
    this.#valid = new Uint8Array(buffer, this.#wasm.validAt(), ROWS);
    this.#rows = new Uint8Array(buffer, this.#wasm.rowsAt(), ROW_BYTES * ROWS);
    this.#digits = new Int8Array(buffer, this.#wasm.digitsAt(), 264);
  }

  scan(batch: ScanBatch, viewSecret: Uint8Array): ScanHits {
    const { derivations, valid } = this.#derive(batch.keys, viewSecret);
    const hits = this.#matching(batch, derivations, valid);
    const spendKeys = this.#spendKeys(batch, derivations, hits);
    const found = hits.flatMap((j, n) => (spendKeys[n] === undefined ? [] : [{ j, spendKey: spendKeys[n] }]));
    this.#wasm.forget();
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
    this.#points.set(point, 0);
    this.#points.set(point, 32);
    for (let start = 0; start === 0 || start < total; start += ROWS) {
      const count = Math.min(ROWS, total - start);
      for (let i = 0; i < count; i++)
        this.#setRow(i, messages.subarray(length * (start + i), length * (start + i + 1)));
      this.#wasm.hashRows(count);
      this.#wasm.addMultiplesOfG(Math.max(2, even(count)), 0, 1);
      sums.set(this.#results.subarray(0, 32 * count), 32 * start);
    }
    this.#wasm.forget();
    if (this.#valid[0] !== 1) throw new RangeError('the base is not a point');
    return sums;
  }

  commit(amounts: readonly bigint[], masks: Uint8Array): Uint8Array {
    return this.#inRows(amounts.length, (start, count) => {
      this.#scalars.set(masks.subarray(32 * start, 32 * (start + count)));
      for (let i = 0; i < count; i++) this.#amounts.setBigUint64(32 * i, amounts[start + i] ?? 0n, true);
      this.#wasm.commit(even(count));
    });
  }

  keyImages(outputKeys: Uint8Array, secrets: Uint8Array): Uint8Array {
    return this.#inRows(outputKeys.length / 32, (start, count) => {
      this.#points.set(outputKeys.subarray(32 * start, 32 * (start + count)));
      this.#scalars.set(secrets.subarray(32 * start, 32 * (start + count)));
      this.#wasm.multiplyHashes(even(count));
    });
  }

  /** Gathers the results of as many calls as it takes. */
  #inRows(total: number, call: (start: number, count: number) => void): Uint8Array {
    const results = new Uint8Array(32 * total);
    for (let start = 0; start < total; start += ROWS) {
      const count = Math.min(ROWS, total - start);
      call(start, count);
      results.set(this.#results.subarray(0, 32 * count), 32 * start);
    }
    this.#wasm.forget();
    return results;
  }

  /** `8·a·R` of every key, and whether it was a point. */
  #derive(keys: Uint8Array, viewSecret: Uint8Array): { derivations: Uint8Array; valid: Uint8Array } {
    const total = keys.length / 32;
    const derivations = new Uint8Array(keys.length);
    const valid = new Uint8Array(total);
    // Of the integer, not of its residue: keys may have torsion, which the 8 clears.
    const digits = digitsOf(8n * bytesToInt(viewSecret));
    for (let start = 0; start < total; start += ROWS) {
      const count = Math.min(ROWS, total - start);
      this.#points.set(keys.subarray(32 * start, 32 * (start + count)));
      // The digits go with every `forget`.
      this.#digits.set(digits);
      if (digits.length > 0) this.#wasm.multiplyPoints(even(count), digits.length - 1);
      derivations.set(this.#results.subarray(0, 32 * count), 32 * start);
      valid.set(this.#valid.subarray(0, count), start);
    }
    digits.fill(0);
    return { derivations, valid };
  }

  /** Outputs whose key was a point and whose tag, if there is one, fits. */
  #matching(batch: ScanBatch, derivations: Uint8Array, valid: Uint8Array): number[] {
    const hits: number[] = [];
    const tagged: number[] = [];
    const flush = (): void => {
      this.#wasm.hashRowsPlain(tagged.length);
      tagged.forEach((j, i) => {
        if (this.#results[32 * i] === batch.viewTags[j]) hits.push(j);
      });
      tagged.length = 0;
    };
    for (let j = 0; j < batch.outputKey.length; j++) {
      if (valid[batch.outputKey[j] ?? 0] !== 1) continue;
      if (batch.viewTags[j] === NO_VIEW_TAG) {
        hits.push(j);
        continue;
      }
      this.#setRow(
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
        this.#points.set(batch.outputs.subarray(32 * j, 32 * j + 32), 32 * i);
        this.#setRow(i, derivationOf(batch, derivations, j), encode(varintNumber, batch.outputIndex[j] ?? 0));
      });
      this.#wasm.hashRows(chunk.length);
      this.#wasm.addMultiplesOfG(even(chunk.length), 1, 0);
      chunk.forEach((_, i) =>
        keys.push(this.#valid[i] === 1 ? this.#results.slice(32 * i, 32 * i + 32) : undefined),
      );
    }
    return keys;
  }

  #setRow(row: number, ...parts: readonly Uint8Array[]): void {
    let at = ROW_BYTES * row;
    for (const part of parts) {
      this.#rows.set(part, at);
      at += part.length;
    }
    this.#rows[ROW_BYTES * row + ROW_BYTES - 1] = at - ROW_BYTES * row;
  }
}

const derivationOf = (batch: ScanBatch, derivations: Uint8Array, j: number): Uint8Array => {
  const key = batch.outputKey[j] ?? 0;
  return derivations.subarray(32 * key, 32 * key + 32);
};
