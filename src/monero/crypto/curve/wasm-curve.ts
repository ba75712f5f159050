import { IDENTITY, MOST_MESSAGE, MOST_TWINS, mustFit, type Basis, type Curve } from './curve.js';
import { checkScalar, checkScalars, ORDER, reduce, writeWords } from '../scalar.js';
import { chunks, equalBytes, joinBytes } from '../../../util/bytes.js';
import { WasmMemory, ROWS } from './wasm-memory.js';
import type { Build } from './wasm-module.js';

/** Size of the block with the key before a hashed message [bytes]. Source: assembly/blake2b-pair.ts `BLOCK`. */
const HASH_BLOCK = 128;

/** Writes scalars, reduced modulo ℓ, 32 bytes each. */
function writeScalars(memory: WasmMemory, at: number, scalars: readonly bigint[]): void {
  const words = new BigUint64Array(memory.wasm.memory.buffer, at, 4 * scalars.length);
  words.fill(0n);
  scalars.forEach((scalar, i) => {
    if (scalar !== 0n) writeWords(reduce(scalar), words, 4 * i);
  });
}

/** Joins encodings of points. @throws RangeError if an encoding does not have 32 bytes. */
function rowsOf(points: readonly Uint8Array[]): Uint8Array {
  if (points.some(({ length }) => length !== 32)) throw new RangeError('not a point');
  return joinBytes(points);
}

const split = (rows: Uint8Array): Uint8Array[] => chunks(rows, 32);

function mustBePoints(valid: Uint8Array): void {
  if (valid.includes(0)) throw new RangeError('not a point');
}

function mustMatch(points: number, scalars: number): void {
  if (points !== scalars) throw new RangeError('multiexp: one scalar a point');
}

/**
 * Writes the tables of points.
 * @param index index of the first point in the basis or, if `isOther`, among the other points.
 */
function addTables(memory: WasmMemory, points: readonly Uint8Array[], index: number, isOther: boolean): void {
  for (let start = 0; start < points.length; start += ROWS) {
    const part = points.slice(start, start + ROWS);
    memory.points.set(rowsOf(part));
    memory.wasm.addTables(part.length + (part.length & 1), index + start, isOther ? 1 : 0);
    mustBePoints(memory.valid.subarray(0, part.length));
  }
}

/** A scalar that several terms have, with the indices of these terms. */
interface Repeated {
  readonly scalar: bigint;
  readonly indices: readonly number[];
}

/**
 * Smallest number of terms with the same scalar from which their points are added first; the table of the sum costs as
 * much as two terms.
 */
const LEAST_REPEATED = 4;

/**
 * Separates the scalars that many terms have from the other scalars.
 * @returns `rest`: the scalars, with zeros in place of the repeated ones.
 */
function withoutRepeated(scalars: readonly bigint[]): { rest: bigint[]; repeated: Repeated[] } {
  const indicesOf = new Map<bigint, number[]>();
  scalars.forEach((scalar, i) => {
    if (scalar === 0n) return;
    const indices = indicesOf.get(scalar);
    if (indices === undefined) indicesOf.set(scalar, [i]);
    else indices.push(i);
  });
  const rest = [...scalars];
  const repeated: Repeated[] = [];
  for (const [scalar, indices] of indicesOf)
    if (indices.length >= LEAST_REPEATED) {
      for (const i of indices) rest[i] = 0n;
      repeated.push({ scalar, indices });
    }
  return { rest, repeated };
}

/**
 * A basis in WebAssembly memory: points with tables of their multiples. A basis that has points needs a memory of its
 * own.
 */
class WasmBasis implements Basis {
  readonly #memory: WasmMemory;
  #size = 0;

  constructor(memory: WasmMemory) {
    this.#memory = memory;
  }

  get size(): number {
    return this.#size;
  }

  clear(): void {
    this.#memory.wasm.resizeBasis(-this.#size);
    this.#size = 0;
  }

  add(points: readonly Uint8Array[]): void {
    // The number of points changes only after all tables were written, so that an invalid point leaves the basis
    // unchanged.
    if (this.#memory.grow((wasm) => wasm.reserveBasis(points.length)) === 0) throw new Error('out of memory');
    addTables(this.#memory, points, this.#size, false);
    this.#memory.wasm.resizeBasis(points.length);
    this.#size += points.length;
  }

  multiexp(
    scalars: readonly bigint[],
    others: readonly Uint8Array[] = [],
    otherScalars: readonly bigint[] = [],
  ): Uint8Array {
    if (scalars.length > this.#size) throw new RangeError('multiexp: one scalar a point');
    mustMatch(others.length, otherScalars.length);
    const { rest, repeated } = withoutRepeated(scalars);
    const total = others.length + repeated.length;
    const at = this.#memory.grow((wasm) => wasm.reserveTerms(scalars.length, total));
    if (at === 0) throw new Error('out of memory');
    addTables(this.#memory, others, 0, true);
    this.#addTablesOfSums(repeated, at, others.length);
    writeScalars(this.#memory, at, rest);
    writeScalars(this.#memory, at + 32 * scalars.length, [
      ...otherScalars,
      ...repeated.map(({ scalar }) => scalar),
    ]);
    this.#memory.wasm.sum(scalars.length, total);
    return this.#memory.results.slice(0, 32);
  }

  /**
   * Writes the tables of sums of points that have the same scalar.
   * @param at address of free memory, four bytes per point.
   */
  #addTablesOfSums(sums: readonly Repeated[], at: number, index: number): void {
    const { wasm } = this.#memory;
    for (let i = 0; i < sums.length; i += 2) {
      const [first = [], second = []] = sums.slice(i, i + 2).map(({ indices }) => indices);
      new Uint32Array(wasm.memory.buffer, at, first.length + second.length).set([...first, ...second]);
      wasm.addTablesOfSums(at, first.length, second.length, index + i);
    }
  }

  foldedSums(first: number, count: number, scalars: readonly bigint[]): Uint8Array[] {
    if (scalars.length > this.#size) throw new RangeError('multiexp: one scalar a point');
    const at = this.#memory.grow((wasm) => wasm.reserveTerms(scalars.length, 0));
    if (at === 0) throw new Error('out of memory');
    writeScalars(this.#memory, at, scalars);
    this.#memory.wasm.startGroups(scalars.length);
    const sums = this.#memory.inRows(count, (start, _count, padded) => {
      this.#memory.wasm.sumGroups(padded, scalars.length, first + start, count);
    });
    this.#memory.wasm.endGroups(scalars.length);
    return split(sums);
  }
}

/** Curve arithmetic in WebAssembly, on pairs of points in vector lanes. */
export class WasmCurve implements Curve {
  readonly name: string;
  readonly #build: Build;
  readonly #memory: WasmMemory;
  /** Basis without points, for sums of other points only. */
  readonly #empty: WasmBasis;

  /** @throws Error when the engine lacks the instructions of this build. */
  constructor(build: Build, memory = new WasmMemory(build)) {
    this.name = `wasm ${build}`;
    this.#build = build;
    this.#memory = memory;
    this.#empty = new WasmBasis(memory);
  }

  commit(amounts: readonly bigint[], masks: Uint8Array): Uint8Array {
    checkScalars(masks);
    const memory = this.#memory;
    return memory.inRows(amounts.length, (start, count, padded) => {
      memory.scalars.set(masks.subarray(32 * start, 32 * (start + count)));
      for (let i = 0; i < count; i++) memory.amounts.setBigUint64(32 * i, amounts[start + i] ?? 0n, true);
      memory.wasm.commit(padded);
    });
  }

  keyImages(outputKeys: Uint8Array, secrets: Uint8Array): Uint8Array {
    return this.#withScalars(outputKeys, secrets, (padded) => {
      this.#memory.wasm.multiplyHashes(padded);
    });
  }

  unbiasedKeyImages(outputKeys: Uint8Array, secrets: Uint8Array): Uint8Array {
    return this.#withScalars(outputKeys, secrets, (padded) => {
      this.#memory.wasm.multiplyUnbiasedHashes(padded);
    });
  }

  x25519(u: Uint8Array, scalar: Uint8Array): Uint8Array {
    if (u.length !== 32 || scalar.length !== 32) throw new RangeError('expected 32 bytes');
    return this.#withScalars(u, scalar, (padded) => {
      this.#memory.wasm.multiplyFractions(padded);
    });
  }

  /** Passes rows and their scalars to a call. @throws RangeError for a scalar of ℓ or more. */
  #withScalars(rows: Uint8Array, scalars: Uint8Array, call: (padded: number) => void): Uint8Array {
    checkScalars(scalars);
    const memory = this.#memory;
    return memory.inRows(rows.length / 32, (start, count, padded) => {
      memory.points.set(rows.subarray(32 * start, 32 * (start + count)));
      memory.scalars.set(scalars.subarray(32 * start, 32 * (start + count)));
      call(padded);
    });
  }

  multiplySecret(points: readonly Uint8Array[], secrets: readonly Uint8Array[]): Uint8Array[] {
    return this.#withSecrets(points, secrets, (padded) => {
      this.#memory.wasm.multiplySecrets(padded);
    });
  }

  addSecretMultiples(points: readonly Uint8Array[], secrets: readonly Uint8Array[]): Uint8Array[] {
    return this.#withSecrets(points, secrets, (padded) => {
      this.#memory.wasm.addMultiplesOfG(padded, 0, 0);
    });
  }

  #withSecrets(
    points: readonly Uint8Array[],
    secrets: readonly Uint8Array[],
    call: (padded: number, start: number) => void,
  ): Uint8Array[] {
    mustMatch(points.length, secrets.length);
    secrets.forEach(checkScalar);
    const memory = this.#memory;
    return split(
      memory.inRows(points.length, (start, count, padded) => {
        memory.points.set(rowsOf(points.slice(start, start + count)));
        secrets.slice(start, start + count).forEach((secret, i) => {
          memory.scalars.set(secret, 32 * i);
        });
        call(padded, start);
        mustBePoints(memory.valid.subarray(0, count));
      }),
    );
  }

  addMultiplesOfBoth(
    points: readonly Uint8Array[],
    ofG: readonly Uint8Array[],
    ofT: readonly Uint8Array[],
  ): Uint8Array[] {
    mustMatch(points.length, ofT.length);
    ofT.forEach(checkScalar);
    return this.#withSecrets(points, ofG, (padded, start) => {
      const { amounts } = this.#memory;
      const rows = new Uint8Array(amounts.buffer, amounts.byteOffset, 32 * ROWS);
      rows.set(joinBytes(ofT.slice(start, start + ROWS)));
      this.#memory.wasm.addMultiplesOfBoth(padded);
    });
  }

  forkHash(length: number, message: Uint8Array, key: Uint8Array = new Uint8Array()): Uint8Array {
    mustFit(length, message, key);
    const { wasm } = this.#memory;
    const { buffer } = wasm.memory;
    return this.#memory.wiping(
      () => {
        const input = new Uint8Array(buffer, wasm.forkInputAt(), HASH_BLOCK + MOST_MESSAGE);
        input.set(key);
        input.set(message, key.length === 0 ? 0 : HASH_BLOCK);
        wasm.hashInput(length, key.length, message.length);
        return new Uint8Array(buffer, wasm.forkHashAt(), length).slice();
      },
      () => wasm.wipeForkHash(),
    );
  }

  hashToPointUnbiased(outputKey: Uint8Array): Uint8Array {
    const memory = this.#memory;
    return memory.inRows(1, (_start, _count, padded) => {
      memory.points.set(rowsOf([outputKey]));
      memory.wasm.hashUnbiasedToPoints(padded);
    });
  }

  hashToPoints(data: readonly Uint8Array[]): Uint8Array[] {
    const memory = this.#memory;
    return split(
      memory.inRows(data.length, (start, count, padded) => {
        memory.points.set(rowsOf(data.slice(start, start + count)));
        memory.wasm.hashToPoints(padded);
      }),
    );
  }

  arePoints(all: readonly Uint8Array[]): boolean {
    return (
      all.every(({ length }) => length === 32) &&
      !this.#memory.multiplyPoints(joinBytes(all), 1n).valid.includes(0)
    );
  }

  eachInMainSubgroup(all: readonly Uint8Array[]): boolean[] {
    const rows = all.map((bytes) => (bytes.length === 32 ? bytes : IDENTITY));
    const { products, valid } = this.#memory.multiplyPoints(joinBytes(rows), ORDER);
    return split(products).map(
      (product, i) => all[i]?.length === 32 && valid[i] === 1 && equalBytes(product, IDENTITY),
    );
  }

  multiplyEach(points: readonly Uint8Array[], n: bigint): Uint8Array[] {
    const { products, valid } = this.#memory.multiplyPoints(rowsOf(points), n);
    mustBePoints(valid);
    return split(products);
  }

  subtractFromEach(points: readonly Uint8Array[], subtrahend: Uint8Array): Uint8Array[] {
    const memory = this.#memory;
    return split(
      memory.inRows(
        points.length,
        (start, count, padded) => {
          memory.points.set(rowsOf(points.slice(start, start + count)));
          memory.points.set(rowsOf([subtrahend, subtrahend]), 32 * padded);
          memory.wasm.subtractLast(padded);
          mustBePoints(memory.valid.subarray(0, count));
          mustBePoints(memory.valid.subarray(padded, padded + 1));
        },
        ROWS - 2,
      ),
    );
  }

  multiexp(points: readonly Uint8Array[], scalars: readonly bigint[]): Uint8Array {
    return this.#empty.multiexp([], points, scalars);
  }

  twinSums(
    left: readonly Uint8Array[],
    right: readonly Uint8Array[],
    scalars: readonly bigint[],
  ): readonly [Uint8Array, Uint8Array] {
    mustMatch(left.length, scalars.length);
    mustMatch(right.length, scalars.length);
    if (scalars.length > MOST_TWINS) throw new RangeError('too many terms');
    const memory = this.#memory;
    memory.points.set(rowsOf(left.flatMap((point, i) => [point, right[i] ?? point])));
    writeScalars(memory, memory.scalars.byteOffset, scalars);
    memory.wasm.twinSums(scalars.length);
    mustBePoints(memory.valid.subarray(0, 2 * scalars.length));
    return [memory.results.slice(0, 32), memory.results.slice(32, 64)];
  }

  basis(): Basis {
    return new WasmBasis(new WasmMemory(this.#build));
  }
}
