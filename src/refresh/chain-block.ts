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

/** A transaction in the pool. */
export interface UnminedTx extends ChainTx {
  readonly doubleSpendSeen: boolean;
}

/** The chain that a daemon must follow to be of use. */
export interface ExpectedChain {
  readonly genesis: Hash;
  /** Newest block version whose rules are known; undefined accepts any. */
  readonly newestVersion?: number;
}

/** Transactions of a block, all or some. */
export interface TxsOfBlock {
  readonly height: number;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly txs: readonly ChainTx[];
}

/** With all its transactions, the miner's first. */
export interface ChainBlock extends TxsOfBlock {
  readonly hash: Hash;
}

/**
 * Decodes what a daemon sent and holds it together: hashes chain up, counts fit, indices are there.
 * @throws DaemonError `malformed` when they do not, or when a block follows rules that nobody here knows.
 */
export function toChainBlocks(page: DaemonBlocks, { newestVersion }: ExpectedChain): ChainBlock[] {
  try {
    return page.blocks
      .map(({ block, txs, outputIndices }, i) => {
        const { header, minerTx, txHashes } = parseBlock(block);
        if (newestVersion !== undefined && header.majorVersion > newestVersion)
          throw new DaemonError(
            'malformed',
            `block ${page.startHeight + i} has version ${header.majorVersion}, and ${newestVersion} is the newest known here: update this server, or start it with --allow-mismatched-daemon-version`,
          );
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
