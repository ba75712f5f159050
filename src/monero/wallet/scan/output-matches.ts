import type { KeyDerivation, PublicKey } from '../../crypto/types.js';
import type { ScanHits } from '../../kernel/kernel.js';
import type { KernelBatch } from './kernel-batches.js';
import type { KnownAddresses } from './subaddress-table.js';

/** An output that may belong to the wallet, because its view tag fits a public key of its transaction. */
export interface OutputMatch {
  /** Index of the transaction among the scanned transactions. */
  readonly tx: number;
  readonly outputIndex: number;
  readonly key: PublicKey;
  readonly derivation: KeyDerivation;
  /** Spend key that the paid address has if the output belongs to the wallet: `P − H(D, i)·G`. */
  readonly spendKey: PublicKey;
}

/**
 * Output matches of consecutive kernel batches. Several matches of one output have the order of the transaction's keys.
 */
export type MatchStream = AsyncIterable<OutputMatches>;

/**
 * Output matches of one kernel batch. Most of them match by a chance view tag, so an object is made only on request.
 */
export class OutputMatches {
  readonly #batch: KernelBatch;
  readonly #hits: ScanHits;

  constructor(batch: KernelBatch, hits: ScanHits) {
    this.#batch = batch;
    this.#hits = hits;
  }

  get count(): number {
    return this.#hits.outputs.length;
  }

  /** Returns {@link OutputMatch.spendKey} of match `n`, as a view of shared memory. */
  spendKey(n: number): Uint8Array {
    return bytesAt(this.#hits.spendKeys, n);
  }

  /** Yields the matches whose output pays one of the addresses, in order. Their keys are views of shared memory. */
  *payingTo(addresses: KnownAddresses): Generator<OutputMatch, void, void> {
    for (let n = 0; n < this.count; n++)
      if (addresses.find(this.spendKey(n)) !== undefined) yield this.#match(n);
  }

  #match(n: number): OutputMatch {
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

const bytesAt = (list: Uint8Array, n: number): Uint8Array => list.subarray(32 * n, 32 * n + 32);

function at(list: Uint32Array, index: number): number {
  const value = list[index];
  if (value === undefined) throw new RangeError('a match outside its batch');
  return value;
}
