import type { KeyDerivation, PublicKey } from '../../crypto/types.js';
import { type InputContexts, type ScanBatch, type ScanHits, NO_CONTEXT } from '../../kernel/kernel.js';
import { INPUT_CONTEXT_BYTES } from '../../fork-rules.js';
import type { KnownAddresses } from './subaddress-table.js';
import type { Transaction } from '../../cryptonote/types.js';
import { inputContextOf, isCarrotTx, scannedKeys, scannedTag } from './scanned-keys.js';
import { joinBytes } from '../../../util/bytes.js';

/** An output that may belong to the wallet, because its view tag fits a public key of its transaction. */
export interface OutputMatch {
  /** Index of the transaction among the scanned transactions. */
  readonly tx: number;
  readonly outputIndex: number;
  /** Transaction public key; an ephemeral public key in the form of the fork. */
  readonly key: PublicKey;
  /** Key derivation; a shared secret in the form of the fork. Secret. */
  readonly derivation: KeyDerivation;
  /**
   * Spend key that the paid address has if the output belongs to the wallet: `P − H(D, i)·G`. Absent in the form of the fork,
   * where it follows from the commitment, too.
   */
  readonly spendKey?: PublicKey;
  /** True if the output was found with the view-balance secret. */
  readonly internal: boolean;
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

  /**
   * Yields the matches whose output pays one of the addresses, or has the form of the fork, in order. Their keys are views of
   * shared memory.
   */
  *payingTo(addresses: KnownAddresses): Generator<OutputMatch, void, void> {
    for (let n = 0; n < this.count; n++)
      if (this.#isCarrot(n) || addresses.find(this.spendKey(n)) !== undefined) yield this.#match(n);
  }

  #isCarrot(n: number): boolean {
    const { contexts, outputKey } = this.#batch.scan;
    return (
      contexts !== undefined && at(contexts.ofKeys, at(outputKey, at(this.#hits.outputs, n))) !== NO_CONTEXT
    );
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
      ...(this.#isCarrot(n) ? {} : { spendKey: bytesAt(this.#hits.spendKeys, n) as PublicKey }),
      internal: this.#hits.internal[n] === 1,
    };
  }
}

const bytesAt = (list: Uint8Array, n: number): Uint8Array => list.subarray(32 * n, 32 * n + 32);

function at(list: Uint32Array, index: number): number {
  const value = list[index];
  if (value === undefined) throw new RangeError('a match outside its batch');
  return value;
}

/** Outputs and transaction public keys that a scan tries, in the order of the transactions. */
export interface Candidates {
  /** For each transaction, the index of its first output. */
  readonly firstOutputs: Uint32Array;
  /** For each output, its output key (32 bytes). */
  readonly outputs: Uint8Array;
  /** For each output, its index in its transaction. */
  readonly outputIndices: Uint32Array;
  /** For each output, its view tag as in {@link ScanBatch.viewTags}. */
  readonly viewTags: Uint32Array;
  /** For each transaction, the index of its first key. */
  readonly firstKeys: Uint32Array;
  /** For each transaction, the number of its keys that are tried with every output. */
  readonly mainKeys: Uint32Array;
  /**
   * Transaction public keys, 32 bytes each. For each transaction its main keys, then additional keys, the n-th of which
   * belongs to the n-th output.
   */
  readonly keys: Uint8Array;
  /** For each transaction, the index of its input context in `contexts`, or `NO_CONTEXT` if it is scanned in the old form. */
  readonly contextOf: Uint32Array;
  /** Input contexts of transactions in the form of the fork, 33 bytes each. */
  readonly contexts: Uint8Array;
}

/** Returns the number of transaction public keys of all transactions before `tx`. */
export const keysBefore = ({ firstKeys, keys }: Candidates, tx: number): number =>
  firstKeys[tx] ?? keys.length / 32;

/**
 * Lists the keys, outputs, view tags and input contexts that a scan reads in transactions, full or pruned. The parser of
 * block pages makes the same lists from encoded transactions.
 */
export function candidatesIn(txs: readonly Pick<Transaction, 'prefix'>[]): Candidates {
  const firstOutputs: number[] = [];
  const firstKeys: number[] = [];
  const mainKeys: number[] = [];
  const outputs: PublicKey[] = [];
  const outputIndices: number[] = [];
  const viewTags: number[] = [];
  const keys: PublicKey[] = [];
  const contextOf: number[] = [];
  const contexts: Uint8Array[] = [];
  for (const { prefix } of txs) {
    firstOutputs.push(outputs.length);
    firstKeys.push(keys.length);
    const { main, own } = scannedKeys(prefix);
    mainKeys.push(main.length);
    for (const key of main) keys.push(key);
    for (const key of own) keys.push(key);
    const context = inputContextOf(prefix);
    contextOf.push(context === undefined ? NO_CONTEXT : contexts.length);
    if (context !== undefined) contexts.push(context);
    const isCarrot = isCarrotTx(prefix);
    prefix.outputs.forEach((output, i) => {
      outputs.push(output.publicKey);
      outputIndices.push(i);
      viewTags.push(scannedTag(output, isCarrot));
    });
  }
  return {
    firstOutputs: Uint32Array.from(firstOutputs),
    outputs: joinBytes(outputs),
    outputIndices: Uint32Array.from(outputIndices),
    viewTags: Uint32Array.from(viewTags),
    firstKeys: Uint32Array.from(firstKeys),
    mainKeys: Uint32Array.from(mainKeys),
    keys: joinBytes(keys),
    contextOf: Uint32Array.from(contextOf),
    contexts: joinBytes(contexts),
  };
}

/** Largest number of transaction public keys in a kernel batch. */
export const BATCH_KEYS = 256;

/** Number of rows (pairs of a key and an output) after which a batch ends. Its last key may add as many rows again. */
export const BATCH_ROWS = 4096;

/** A batch for the kernel: one row per pair of a transaction public key and an output. */
export interface KernelBatch {
  readonly scan: ScanBatch;
  /** Index of the transaction, by key. */
  readonly txs: Uint32Array;
}

/** Keys of an unfinished batch, each with the range of outputs to try. */
class Runs {
  /**
   * Columns with one value per key: index of the key, index of its transaction, its first output, and the index after
   * its last output.
   */
  readonly keys = new Uint32Array(BATCH_KEYS);
  readonly txs = new Uint32Array(BATCH_KEYS);
  readonly firsts = new Uint32Array(BATCH_KEYS);
  readonly ends = new Uint32Array(BATCH_KEYS);
  count = 0;
  /** Number of pairs of a key and an output. */
  rows = 0;

  get isFull(): boolean {
    return this.count === BATCH_KEYS || this.rows >= BATCH_ROWS;
  }

  add(key: number, tx: number, first: number, end: number): void {
    const i = this.count++;
    this.keys[i] = key;
    this.txs[i] = tx;
    this.firsts[i] = first;
    this.ends[i] = end;
    this.rows += end - first;
  }
}

/**
 * Divides the pairs of keys and outputs of some transactions into kernel batches of bounded size. Batches are made on
 * demand, because one transaction may have millions of pairs. The pairs of one output keep the order of the keys.
 * @param endTx index after the last transaction.
 */
export function* kernelBatches(
  candidates: Candidates,
  firstTx: number,
  endTx: number,
): Generator<KernelBatch, void, void> {
  const { firstOutputs, outputIndices, mainKeys } = candidates;
  let runs = new Runs();
  for (let tx = firstTx; tx < endTx; tx++) {
    const key = keysBefore(candidates, tx);
    const endKey = keysBefore(candidates, tx + 1);
    const firstOwn = key + (mainKeys[tx] ?? 0);
    const start = firstOutputs[tx] ?? outputIndices.length;
    const endOutput = firstOutputs[tx + 1] ?? outputIndices.length;
    for (let first = start; first < endOutput; first += BATCH_ROWS) {
      const end = Math.min(first + BATCH_ROWS, endOutput);
      for (let i = key; i < firstOwn; i++) {
        runs.add(i, tx, first, end);
        if (!runs.isFull) continue;
        yield batchOf(candidates, runs);
        runs = new Runs();
      }
      // The n-th additional key is tried with the n-th output only.
      for (let output = first; output < end && firstOwn + output - start < endKey; output++) {
        runs.add(firstOwn + output - start, tx, output, output + 1);
        if (!runs.isFull) continue;
        yield batchOf(candidates, runs);
        runs = new Runs();
      }
    }
  }
  if (runs.count > 0) yield batchOf(candidates, runs);
}

function batchOf(candidates: Candidates, runs: Runs): KernelBatch {
  const { count, rows, firsts, ends } = runs;
  const keys = new Uint8Array(32 * count);
  const outputKey = new Uint32Array(rows);
  const outputIndex = new Uint32Array(rows);
  const viewTags = new Uint32Array(rows);
  const outputs = new Uint8Array(32 * rows);
  let row = 0;
  let firstKey = 0;
  let firstRun = 0;
  let firstRow = 0;
  for (let i = 0; i < count; i++) {
    const end = ends[i] ?? 0;
    const nextRow = row + end - (firsts[i] ?? 0);
    outputKey.fill(i, row, nextRow);
    row = nextRow;
    // Consecutive keys are copied in one step, and so are consecutive outputs.
    if (i + 1 === count || runs.keys[i + 1] !== (runs.keys[i] ?? 0) + 1) {
      const key = runs.keys[firstKey] ?? 0;
      keys.set(candidates.keys.subarray(32 * key, 32 * (key + i + 1 - firstKey)), 32 * firstKey);
      firstKey = i + 1;
    }
    if (i + 1 === count || firsts[i + 1] !== end) {
      const first = firsts[firstRun] ?? 0;
      outputIndex.set(candidates.outputIndices.subarray(first, end), firstRow);
      viewTags.set(candidates.viewTags.subarray(first, end), firstRow);
      outputs.set(candidates.outputs.subarray(32 * first, 32 * end), 32 * firstRow);
      firstRun = i + 1;
      firstRow = row;
    }
  }
  const txs = runs.txs.slice(0, count);
  const contexts = contextsOf(candidates, txs);
  return {
    scan: {
      keys,
      outputKey,
      outputIndex,
      viewTags,
      outputs,
      ...(contexts === undefined ? {} : { contexts }),
    },
    txs,
  };
}

/**
 * Copies the input contexts of the keys of a batch; undefined if none has one.
 * @param txs index of the transaction, by key, ascending.
 */
function contextsOf({ contextOf, contexts }: Candidates, txs: Uint32Array): InputContexts | undefined {
  if (contexts.length === 0) return undefined;
  const ofKeys = new Uint32Array(txs.length).fill(NO_CONTEXT);
  const copies: Uint8Array[] = [];
  let last = NO_CONTEXT;
  txs.forEach((tx, i) => {
    const context = contextOf[tx] ?? NO_CONTEXT;
    if (context === NO_CONTEXT) return;
    if (context !== last)
      copies.push(contexts.subarray(INPUT_CONTEXT_BYTES * context, INPUT_CONTEXT_BYTES * (context + 1)));
    last = context;
    ofKeys[i] = copies.length - 1;
  });
  return copies.length === 0 ? undefined : { ofKeys, bytes: joinBytes(copies) };
}
