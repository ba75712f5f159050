import { instantiate, type Build, type KernelExports } from './wasm-module.js';

/** Largest number of rows in a call. Source: assembly/multiples.ts `MOST_ROWS`. */
export const ROWS = 256;
/** Largest size of a message that is hashed to a scalar [bytes]. */
const MESSAGE_BYTES = 63;

/** Returns the digits of n in non-adjacent form of width 5, lowest first. Each is zero, or odd and within ±15. */
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

/** An instance of the WebAssembly module, with views of its memory areas for arguments and results. */
export class WasmMemory {
  readonly wasm: KernelExports;
  #views: Views;

  /** @throws Error when the engine lacks the instructions of this build. */
  constructor(build: Build) {
    this.wasm = instantiate(build);
    this.#views = viewsOf(this.wasm);
  }

  get points(): Uint8Array {
    return this.#views.points;
  }

  get results(): Uint8Array {
    return this.#views.results;
  }

  get scalars(): Uint8Array {
    return this.#views.scalars;
  }

  get amounts(): DataView {
    return this.#views.amounts;
  }

  get valid(): Uint8Array {
    return this.#views.valid;
  }

  /** Runs a call that may grow the memory; creates the views again if it has. */
  grow<T>(call: (wasm: KernelExports) => T): T {
    const result = call(this.wasm);
    if (this.#views.buffer !== this.wasm.memory.buffer) this.#views = viewsOf(this.wasm);
    return result;
  }

  get messages(): Uint8Array {
    return this.#views.messages;
  }

  /** Memory of the view secret key and the spend secret key, 32 bytes each. */
  get walletKeys(): Uint8Array {
    return this.#views.walletKeys;
  }

  /**
   * Runs a task, then wipes all secrets and temporary values from the memory, also if the task throws.
   * @param wipe wipes the memory that the task uses; absent: wipes all memory.
   */
  wiping<T>(task: () => T, wipe = (): void => this.wasm.wipe()): T {
    try {
      return task();
    } finally {
      wipe();
    }
  }

  /**
   * Computes `n·P` of every point in variable time; the product is the identity if P is not a point.
   * @param points 32 bytes each.
   * @param n public number below 2^256.
   */
  multiplyPoints(points: Uint8Array, n: bigint): Products {
    const digits = digitsOf(n);
    this.#views.digits.set(digits);
    return this.#multiplied(points, (padded) => this.wasm.multiplyPoints(padded, digits.length - 1));
  }

  /** Computes products as {@link multiplyPoints}, but in constant time. @param secret scalar of 32 bytes, below ℓ. */
  multiplyPointsBySecret(points: Uint8Array, secret: Uint8Array): Products {
    return this.wiping(() => {
      this.scalars.set(secret);
      this.wasm.recodeSecret();
      return this.#multiplied(points, (padded) => this.wasm.multiplyPointsBySecret(padded, 0));
    });
  }

  #multiplied(points: Uint8Array, call: (padded: number) => void): Products {
    const total = points.length / 32;
    const products = new Uint8Array(points.length);
    const valid = new Uint8Array(total);
    for (let start = 0; start < total; start += ROWS) {
      const count = Math.min(ROWS, total - start);
      this.points.set(points.subarray(32 * start, 32 * (start + count)));
      call(even(count));
      products.set(this.results.subarray(0, 32 * count), 32 * start);
      valid.set(this.valid.subarray(0, count), start);
    }
    return { products, valid };
  }

  /**
   * Divides rows among as many calls as needed and joins the results; then wipes the memory, also if a call throws.
   * @param call receives the first row, the number of rows, and this number rounded up to an even number.
   * @param rows largest number of rows in a call.
   */
  inRows(
    total: number,
    call: (start: number, count: number, padded: number) => void,
    rows = ROWS,
  ): Uint8Array {
    return this.wiping(() => {
      const results = new Uint8Array(32 * total);
      for (let start = 0; start < total; start += rows) {
        const count = Math.min(rows, total - start);
        call(start, count, even(count));
        results.set(this.results.subarray(0, 32 * count), 32 * start);
      }
      return results;
    });
  }
}

const memories = new Map<Build, WasmMemory>();

/**
 * Returns the memory that all curve arithmetic of this thread shares. This is possible because each call ends before
 * the next one begins.
 */
export function sharedMemory(build: Build): WasmMemory {
  const known = memories.get(build);
  if (known !== undefined) return known;
  const memory = new WasmMemory(build);
  memories.set(build, memory);
  return memory;
}

interface Products {
  readonly products: Uint8Array;
  /** For each encoding, 1 if it is a point, otherwise 0. */
  readonly valid: Uint8Array;
}

interface Views {
  readonly buffer: ArrayBuffer;
  readonly points: Uint8Array;
  readonly results: Uint8Array;
  readonly scalars: Uint8Array;
  readonly amounts: DataView;
  readonly valid: Uint8Array;
  readonly messages: Uint8Array;
  readonly digits: Int8Array;
  readonly walletKeys: Uint8Array;
}

function viewsOf(wasm: KernelExports): Views {
  const { buffer } = wasm.memory;
  return {
    buffer,
    points: new Uint8Array(buffer, wasm.pointsAt(), 32 * ROWS),
    results: new Uint8Array(buffer, wasm.resultsAt(), 32 * ROWS),
    scalars: new Uint8Array(buffer, wasm.scalarsAt(), 32 * ROWS),
    amounts: new DataView(buffer, wasm.amountsAt(), 32 * ROWS),
    valid: new Uint8Array(buffer, wasm.validAt(), ROWS),
    messages: new Uint8Array(buffer, wasm.messagesAt(), MESSAGE_BYTES * ROWS),
    digits: new Int8Array(buffer, wasm.digitsAt(), 264),
    walletKeys: new Uint8Array(buffer, wasm.walletKeysAt(), 64),
  };
}
