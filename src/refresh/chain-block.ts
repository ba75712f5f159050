import type { Hash } from '../crypto/types.js';
import { outlineBlock } from '../cryptonote/block.js';
import { parsePrunedTransaction } from '../cryptonote/transaction.js';
import { outlineTx, type TxOutline } from '../cryptonote/tx-outline.js';
import type { Transaction } from '../cryptonote/types.js';
import type { DaemonBlocks } from '../daemon/daemon.js';
import { DaemonError } from '../daemon/errors.js';
import { equalBytes } from '../util/bytes.js';
import { Reader } from '../util/codec.js';

/** A transaction as a block holds it, its prunable part left out; it is built only where it concerns a wallet. */
export interface ChainTx {
  readonly hash: Hash;
  readonly blob: Uint8Array;
  readonly outline: TxOutline;
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
 * Looks through what a daemon sent and holds it together: hashes chain up, counts fit, indices are there.
 * @throws DaemonError `malformed` when they do not, or when a block follows rules that nobody here knows.
 */
export function toChainBlocks(page: DaemonBlocks, { newestVersion }: ExpectedChain): ChainBlock[] {
  try {
    let previous: Hash | undefined;
    return page.blocks.map(({ block, txs, outputIndices }, i) => {
      const { hash, header, minerTx, txHashes } = outlineBlock(block);
      if (newestVersion !== undefined && header.majorVersion > newestVersion)
        throw new DaemonError(
          'malformed',
          `block ${page.startHeight + i} has version ${header.majorVersion}, and ${newestVersion} is the newest known here: update this server, or start it with --allow-mismatched-daemon-version`,
        );
      if (previous !== undefined && !equalBytes(previous, header.prevHash))
        throw new RangeError('blocks do not chain up');
      previous = hash;
      if (txs.length !== txHashes.length) throw new RangeError('a block lacks transactions');
      if (outputIndices.length !== txs.length + 1) throw new RangeError('a block lacks output indices');
      const whole = [
        { ...minerTx, globalIndices: outputIndices[0] ?? [] },
        ...txs.map((blob, j) => ({
          hash: txHashes[j] as Hash,
          blob,
          outline: outlineTx(new Reader(blob)),
          globalIndices: outputIndices[j + 1] ?? [],
        })),
      ];
      if (whole.some(({ outline, globalIndices }) => globalIndices.length !== outline.outputs.length))
        throw new RangeError('a transaction lacks output indices');
      return { height: page.startHeight + i, hash, timestamp: header.timestamp, txs: whole };
    });
  } catch (cause) {
    if (cause instanceof DaemonError) throw cause;
    throw new DaemonError('malformed', 'a page of blocks cannot be decoded', { cause });
  }
}

/** @throws DaemonError `malformed` */
export function buildTx({ blob }: ChainTx): Transaction {
  try {
    return parsePrunedTransaction(blob);
  } catch (cause) {
    throw new DaemonError('malformed', 'the daemon sent a transaction that cannot be read', { cause });
  }
}
