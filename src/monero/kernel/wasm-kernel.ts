import { checkScalar } from '../crypto/scalar.js';
import type { OwnOutputs, WalletSecrets } from '../cryptonote/own-outputs.js';
import { INPUT_CONTEXT_BYTES } from '../fork-rules.js';
import type { ScanBatch, ScanHits, ScanKernel, ScanKeys } from './kernel.js';
import { WasmMemory, ROWS } from '../crypto/curve/wasm-memory.js';
import { WasmCurve } from '../crypto/curve/wasm-curve.js';
import type { Build } from '../crypto/curve/wasm-module.js';

/** Largest number of view secret keys in a call. Source: assembly/comb.ts `MOST_SCALARS`. */
const SECRETS = 128;

/** Size of a row that describes an output of the wallet [bytes]. Source: assembly/own-outputs.ts. */
const OWN_OUTPUT_BYTES = 44;

/** Kind of a hit that was found with the view-balance secret. Source: assembly/scan.ts `INTERNAL`. */
const INTERNAL = 2;

const even = (count: number): number => count + (count & 1);

/** Scan kernel in WebAssembly. It computes with pairs of points in vector lanes, up to 256 points in a call. */
export class WasmKernel implements ScanKernel {
  readonly name: string;
  readonly #memory: WasmMemory;
  readonly #curve: WasmCurve;

  /** @throws Error when the engine lacks the instructions of this build. */
  constructor(build: Build, memory = new WasmMemory(build)) {
    this.name = `wasm ${build}`;
    this.#memory = memory;
    this.#curve = new WasmCurve(build, this.#memory);
  }

  scan(batch: ScanBatch, keys: ScanKeys): ScanHits {
    checkScalar(keys.viewSecret);
    return this.#derived(batch, [keys], () => this.#hits(0));
  }

  scanMany(batch: ScanBatch, keys: readonly ScanKeys[]): readonly ScanHits[] {
    for (const { viewSecret } of keys) checkScalar(viewSecret);
    const hits: ScanHits[] = [];
    for (let start = 0; start < keys.length; start += SECRETS) {
      const group = keys.slice(start, start + SECRETS);
      hits.push(...this.#derived(batch, group, () => group.map((_, n) => this.#hits(n))));
    }
    return hits;
  }

  /**
   * Multiplies all keys by up to {@link SECRETS} view secret keys, calls `read` to take the results, and wipes the
   * memory.
   */
  #derived<T>(batch: ScanBatch, wallets: readonly ScanKeys[], read: () => T): T {
    const memory = this.#memory;
    const [keys, outputs] = [batch.keys.length / 32, batch.outputKey.length];
    const contexts = (batch.contexts?.bytes.length ?? 0) / INPUT_CONTEXT_BYTES;
    if (memory.grow((wasm) => wasm.reserveScan(keys, outputs, wallets.length, contexts)) === 0)
      throw new Error('out of memory');
    try {
      return memory.wiping(() => {
        this.#write(batch, wallets);
        memory.wasm.derive();
        return read();
      });
    } finally {
      memory.wasm.wipeScan();
    }
  }

  #write(
    { keys, outputs, outputKey, outputIndex, viewTags, contexts }: ScanBatch,
    wallets: readonly ScanKeys[],
  ): void {
    const { wasm, scalars } = this.#memory;
    const count = outputKey.length;
    const { buffer } = wasm.memory;
    const balances = new Uint8Array(buffer, wasm.scanBalancesAt(), 32 * wallets.length);
    const hasBalance = new Uint8Array(buffer, wasm.scanHasBalanceAt(), wallets.length);
    wallets.forEach(({ viewSecret, balanceSecret }, n) => {
      scalars.set(viewSecret, 32 * n);
      hasBalance[n] = balanceSecret === undefined ? 0 : 1;
      if (balanceSecret !== undefined) balances.set(balanceSecret, 32 * n);
    });
    new Uint8Array(buffer, wasm.scanKeysAt(), keys.length).set(keys);
    new Uint8Array(buffer, wasm.scanOutputsAt(), 32 * count).set(outputs);
    new Uint32Array(buffer, wasm.scanOutputKeyAt(), count).set(outputKey);
    new Uint32Array(buffer, wasm.scanOutputIndexAt(), count).set(outputIndex);
    new Uint32Array(buffer, wasm.scanTagsAt(), count).set(viewTags);
    if (contexts === undefined || contexts.bytes.length === 0) return;
    new Uint32Array(buffer, wasm.scanContextOfAt(), keys.length / 32).set(contexts.ofKeys);
    new Uint8Array(buffer, wasm.scanContextsAt(), contexts.bytes.length).set(contexts.bytes);
  }

  #hits(wallet: number): ScanHits {
    const { wasm } = this.#memory;
    const { buffer } = wasm.memory;
    const found = wasm.findHits(wallet);
    const kinds = new Uint8Array(buffer, wasm.scanKindsAt(), found);
    return {
      outputs: new Uint32Array(buffer, wasm.scanHitsAt(), found).slice(),
      derivations: new Uint8Array(buffer, wasm.scanDerivationsAt(), 32 * found).slice(),
      spendKeys: new Uint8Array(buffer, wasm.scanSpendKeysAt(), 32 * found).slice(),
      internal: kinds.map((kind) => (kind === INTERNAL ? 1 : 0)),
    };
  }

  addHashes(point: Uint8Array, messages: Uint8Array, length: number): Uint8Array {
    const memory = this.#memory;
    return memory.wiping(() => {
      const total = messages.length / length;
      const sums = new Uint8Array(32 * total);
      // The point is set in both lanes, and is checked even if there are no messages.
      memory.points.set(point, 0);
      memory.points.set(point, 32);
      for (let start = 0; start === 0 || start < total; start += ROWS) {
        const count = Math.min(ROWS, total - start);
        memory.messages.set(messages.subarray(length * start, length * (start + count)));
        memory.wasm.addHashes(Math.max(2, even(count)), length);
        sums.set(memory.results.subarray(0, 32 * count), 32 * start);
      }
      if (memory.valid[0] !== 1) throw new RangeError('the base is not a point');
      return sums;
    });
  }

  multiply(points: Uint8Array, secret: Uint8Array): Uint8Array {
    checkScalar(secret);
    const { products, valid } = this.#memory.multiplyPointsBySecret(points, secret);
    if (valid.some((is) => is !== 1)) throw new RangeError('not a point');
    return products;
  }

  commit(amounts: readonly bigint[], masks: Uint8Array): Uint8Array {
    return this.#curve.commit(amounts, masks);
  }

  keyImages(outputKeys: Uint8Array, secrets: Uint8Array): Uint8Array {
    return this.#curve.keyImages(outputKeys, secrets);
  }

  ownKeyImages(
    { outputKeys, derivations, outputIndices, subaddresses }: OwnOutputs,
    { viewSecret, spendSecret }: WalletSecrets,
  ): Uint8Array {
    checkScalar(viewSecret);
    checkScalar(spendSecret);
    const memory = this.#memory;
    return memory.inRows(outputIndices.length, (start, count, padded) => {
      memory.walletKeys.set(viewSecret);
      memory.walletKeys.set(spendSecret, 32);
      memory.points.set(outputKeys.subarray(32 * start, 32 * (start + count)));
      const { messages } = memory;
      const view = new DataView(messages.buffer, messages.byteOffset, messages.length);
      for (let row = 0; row < count; row++) {
        const at = OWN_OUTPUT_BYTES * row;
        const output = start + row;
        messages.set(derivations.subarray(32 * output, 32 * output + 32), at);
        view.setUint32(at + 32, outputIndices[output] ?? 0, true);
        view.setUint32(at + 36, subaddresses[2 * output] ?? 0, true);
        view.setUint32(at + 40, subaddresses[2 * output + 1] ?? 0, true);
      }
      memory.wasm.ownKeyImages(padded);
    });
  }
}
