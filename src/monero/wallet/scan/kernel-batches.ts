import type { ScanBatch } from '../../kernel/kernel.js';
import { keysBefore, type Candidates } from './candidates.js';

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
  const viewTags = new Uint16Array(rows);
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
  return { scan: { keys, outputKey, outputIndex, viewTags, outputs }, txs: runs.txs.slice(0, count) };
}
