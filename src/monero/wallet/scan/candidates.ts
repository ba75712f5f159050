import type { PublicKey } from '../../crypto/types.js';
import { additionalPublicKeys, parseExtra, txPublicKeys } from '../../cryptonote/extra.js';
import type { Transaction } from '../../cryptonote/types.js';
import { NO_VIEW_TAG } from '../../kernel/kernel.js';
import { joinBytes } from '../../../util/bytes.js';

/** Outputs and transaction public keys that a scan tries, in the order of the transactions. */
export interface Candidates {
  /** For each transaction, the index of its first output. */
  readonly firstOutputs: Uint32Array;
  /** For each output, its output key (32 bytes). */
  readonly outputs: Uint8Array;
  /** For each output, its index in its transaction. */
  readonly outputIndices: Uint32Array;
  /** For each output, its view tag as in {@link ScanBatch.viewTags}. */
  readonly viewTags: Uint16Array;
  /** For each transaction, the index of its first key. */
  readonly firstKeys: Uint32Array;
  /** For each transaction, the number of its keys that are tried with every output. */
  readonly mainKeys: Uint32Array;
  /**
   * Transaction public keys, 32 bytes each. For each transaction its main keys, then additional keys, the n-th of which
   * belongs to the n-th output.
   */
  readonly keys: Uint8Array;
}

/** Returns the number of transaction public keys of all transactions before `tx`. */
export const keysBefore = ({ firstKeys, keys }: Candidates, tx: number): number =>
  firstKeys[tx] ?? keys.length / 32;

/**
 * Lists what a scan reads in transactions, full or pruned. Additional keys count only beside a main key, as in wallet2.cpp
 * `process_new_transaction`. The parser of block pages makes the same lists from encoded transactions.
 */
export function candidatesIn(txs: readonly Pick<Transaction, 'prefix'>[]): Candidates {
  const firstOutputs: number[] = [];
  const firstKeys: number[] = [];
  const mainKeys: number[] = [];
  const outputs: PublicKey[] = [];
  const outputIndices: number[] = [];
  const viewTags: number[] = [];
  const keys: PublicKey[] = [];
  for (const { prefix } of txs) {
    firstOutputs.push(outputs.length);
    firstKeys.push(keys.length);
    const { fields } = parseExtra(prefix.extra);
    const main = prefix.outputs.length === 0 ? [] : txPublicKeys(fields);
    mainKeys.push(main.length);
    for (const key of main) keys.push(key);
    if (main.length > 0)
      for (const key of additionalPublicKeys(fields).slice(0, prefix.outputs.length)) keys.push(key);
    prefix.outputs.forEach(({ publicKey, viewTag = NO_VIEW_TAG }, i) => {
      outputs.push(publicKey);
      outputIndices.push(i);
      viewTags.push(viewTag);
    });
  }
  return {
    firstOutputs: Uint32Array.from(firstOutputs),
    outputs: joinBytes(outputs),
    outputIndices: Uint32Array.from(outputIndices),
    viewTags: Uint16Array.from(viewTags),
    firstKeys: Uint32Array.from(firstKeys),
    mainKeys: Uint32Array.from(mainKeys),
    keys: joinBytes(keys),
  };
}
