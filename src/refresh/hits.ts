import type { KeyDerivation, PublicKey, SecretKey } from '../crypto/types.js';
import type { ParsedTxs } from '../daemon/parsed-txs.js';
import type { ScanHits } from '../kernel/kernel.js';
import type { KernelPool } from '../kernel/kernel-pool.js';
import { kernelBatches, type KernelBatch } from './kernel-batches.js';

/** Batches that a scanning thread is given at once. */
export const BATCHES_AHEAD = 2;

/** Scanning threads. */
export type BatchScanner = Pick<KernelPool, 'scan' | 'threads'>;

/** An output that a key of its transaction may open. */
export interface Hit {
  /** Place of the transaction among those looked at. */
  readonly tx: number;
  readonly outputIndex: number;
  readonly key: PublicKey;
  readonly derivation: KeyDerivation;
  /** Spend key of the address it was paid to, if that is one of ours. */
  readonly spendKey: PublicKey;
}

/** Portions of hits, by transaction; those of an output are in the order of the keys. */
export type Hits = AsyncIterable<HitPortion>;

/** Hits of one batch. Most are chance, by a view tag that fits: each is built only when it is asked for. */
export class HitPortion {
  readonly #batch: KernelBatch;
  readonly #hits: ScanHits;

  constructor(batch: KernelBatch, hits: ScanHits) {
    this.#batch = batch;
    this.#hits = hits;
  }

  get count(): number {
    return this.#hits.outputs.length;
  }

  /** {@link Hit.spendKey} of a hit, sharing memory with all others. */
  spendKey(n: number): Uint8Array {
    return this.#hits.spendKeys.subarray(32 * n, 32 * n + 32);
  }

  /** A copy. */
  hit(n: number): Hit {
    const { scan, txs } = this.#batch;
    const row = at(this.#hits.outputs, n);
    const key = at(scan.outputKey, row);
    return {
      tx: at(txs, key),
      outputIndex: at(scan.outputIndex, row),
      key: bytesAt(scan.keys, key) as PublicKey,
      derivation: bytesAt(this.#hits.derivations, n) as KeyDerivation,
      spendKey: bytesAt(this.#hits.spendKeys, n) as PublicKey,
    };
  }
}

const bytesAt = (list: Uint8Array, n: number): Uint8Array => list.slice(32 * n, 32 * n + 32);

function at(list: Uint32Array, index: number): number {
  const value = list[index];
  if (value === undefined) throw new RangeError('an output that was not to be tried');
  return value;
}

/**
 * Tries every output of some transactions with every key that may open it. Begins at once, and goes on as portions
 * are taken: no more than {@link BATCHES_AHEAD} batches a scanning thread are under way or wait to be taken.
 * @returns portions, to be iterated over once.
 */
export function findHits(
  outlines: ParsedTxs,
  viewSecret: SecretKey,
  kernel: BatchScanner,
  firstTx = 0,
  endTx = outlines.count,
): Hits {
  const batches = kernelBatches(outlines, firstTx, endTx);
  const underWay: Promise<HitPortion>[] = [];
  const begin = (): void => {
    const { done, value: batch } = batches.next();
    if (done === true) return;
    const portion = kernel.scan(batch.scan, viewSecret).then((hits) => new HitPortion(batch, hits));
    // A caller that stops early leaves it without a listener.
    portion.catch(() => undefined);
    underWay.push(portion);
  };
  for (let i = 0; i < BATCHES_AHEAD * kernel.threads; i++) begin();
  return (async function* () {
    for (let next = underWay.shift(); next !== undefined; next = underWay.shift()) {
      const portion = await next;
      begin();
      yield portion;
    }
  })();
}
