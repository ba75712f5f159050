import type { KeyDerivation, PublicKey, SecretKey } from '../crypto/types.js';
import type { Candidates, TxOutlines } from '../daemon/tx-outlines.js';
import type { ScanBatch } from '../kernel/kernel.js';
import type { KernelPool } from '../kernel/kernel-pool.js';

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

/** By the place of their transaction, main keys first. */
export type Hits = ReadonlyMap<number, readonly Hit[]>;

/** Keys handed to the kernel at once. */
export const BATCH_KEYS = 256;

/** Those of some keys, and the outputs to be tried with them. @param row the first of theirs. */
function batchOf(candidates: Candidates, firstKey: number, endKey: number, row: number): ScanBatch {
  const { keys, firstRows, outputs, outputIndices, viewTags } = candidates;
  const endRow = firstRows[endKey] ?? viewTags.length;
  const outputKey = new Uint32Array(endRow - row);
  for (let key = firstKey; key < endKey; key++)
    outputKey.fill(key - firstKey, at(firstRows, key) - row, (firstRows[key + 1] ?? endRow) - row);
  return {
    keys: keys.slice(32 * firstKey, 32 * endKey),
    outputKey,
    outputIndex: outputIndices.slice(row, endRow),
    viewTags: viewTags.slice(row, endRow),
    outputs: outputs.slice(32 * row, 32 * endRow),
  };
}

/** Hits among the rows of a batch. @param row the first of them. */
async function scan(
  { txs }: Candidates,
  batch: ScanBatch,
  row: number,
  viewSecret: SecretKey,
  kernel: KernelPool,
): Promise<Hit[]> {
  const { outputs, derivations, spendKeys } = await kernel.scan(batch, viewSecret);
  const key = (list: Uint8Array, n: number): Uint8Array => list.slice(32 * n, 32 * n + 32);
  return Array.from(outputs, (j, n) => ({
    tx: at(txs, row + j),
    outputIndex: at(batch.outputIndex, j),
    key: key(batch.keys, at(batch.outputKey, j)) as PublicKey,
    derivation: key(derivations, n) as KeyDerivation,
    spendKey: key(spendKeys, n) as PublicKey,
  }));
}

function at(list: Uint32Array, index: number): number {
  const value = list[index];
  if (value === undefined) throw new RangeError('an output that was not to be tried');
  return value;
}

/** Tries every output of some transactions with every key that may open it. */
export async function findHits(
  outlines: TxOutlines,
  viewSecret: SecretKey,
  kernel: KernelPool,
  firstTx = 0,
  endTx = outlines.count,
): Promise<Hits> {
  const { candidates } = outlines;
  const { firstRows } = candidates;
  const jobs: Promise<Hit[]>[] = [];
  const end = outlines.keysBefore(endTx);
  for (let key = outlines.keysBefore(firstTx); key < end;) {
    const next = Math.min(key + BATCH_KEYS, end);
    const row = at(firstRows, key);
    jobs.push(scan(candidates, batchOf(candidates, key, next, row), row, viewSecret, kernel));
    key = next;
  }
  const byTx = new Map<number, Hit[]>();
  for (const hit of (await Promise.all(jobs)).flat()) {
    const others = byTx.get(hit.tx);
    if (others === undefined) byTx.set(hit.tx, [hit]);
    else others.push(hit);
  }
  return byTx;
}
