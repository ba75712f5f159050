import type { Hash } from '../crypto/types.js';
import { blockHash, parseBlock } from '../cryptonote/block.js';
import { parsePrunedTransaction, transactionHash } from '../cryptonote/transaction.js';
import type { Transaction } from '../cryptonote/types.js';
import type { DaemonBlocks } from '../daemon/daemon.js';
import { DaemonError } from '../daemon/errors.js';
import { equalBytes } from '../util/bytes.js';

/** A transaction as a block holds it, its prunable part left out. */
export interface ChainTx {
  readonly hash: Hash;
  readonly tx: Transaction;
  readonly coinbase: boolean;
  /** One an output: its place among all outputs of its amount. */
  readonly globalIndices: readonly number[];
}

export interface ChainBlock {
  readonly height: number;
  readonly hash: Hash;
  /** Unix seconds. */
  readonly timestamp: number;
  /** The miner transaction first. */
  readonly txs: readonly ChainTx[];
}

/**
 * Decodes what a daemon sent and holds it together: hashes chain up, counts fit, indices are there.
 * @throws DaemonError `malformed` when they do not.
 */
export function toChainBlocks(page: DaemonBlocks): ChainBlock[] {
  try {
    return page.blocks
      .map(({ block, txs, outputIndices }, i) => {
        const { header, minerTx, txHashes } = parseBlock(block);
        if (txs.length !== txHashes.length) throw new RangeError('a block lacks transactions');
        if (outputIndices.length !== txs.length + 1) throw new RangeError('a block lacks output indices');
        const whole = [
          { hash: transactionHash(minerTx), tx: minerTx, coinbase: true },
          ...txs.map(({ blob }, j) => ({
            hash: txHashes[j] as Hash,
            tx: parsePrunedTransaction(blob),
            coinbase: false,
          })),
        ].map((entry, j) => ({ ...entry, globalIndices: outputIndices[j] ?? [] }));
        if (whole.some(({ tx, globalIndices }) => globalIndices.length !== tx.prefix.outputs.length))
          throw new RangeError('a transaction lacks output indices');
        return {
          height: page.startHeight + i,
          hash: blockHash({ header, minerTx, txHashes }),
          timestamp: header.timestamp,
          prevHash: header.prevHash,
          txs: whole,
        };
      })
      .map(({ prevHash, ...block }, i, all) => {
        const previous = all[i - 1];
        if (previous !== undefined && !equalBytes(previous.hash, prevHash))
          throw new RangeError('blocks do not chain up');
        return block;
      });
  } catch (cause) {
    if (cause instanceof DaemonError) throw cause;
    throw new DaemonError('malformed', 'a page of blocks cannot be decoded', { cause });
  }
}
