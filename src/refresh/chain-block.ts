import type { Hash } from '../crypto/types.js';
import { parsePrunedTransaction } from '../cryptonote/transaction.js';
import type { Transaction } from '../cryptonote/types.js';
import type { DaemonBlocks } from '../daemon/daemon.js';
import { DaemonError } from '../daemon/errors.js';
import { parseTxs, type RawTx } from '../daemon/block-parser.js';
import type { ParsedTxs } from '../daemon/parsed-txs.js';
import { CodecError } from '../util/codec.js';

/** The chain that a daemon must follow to be of use. */
export interface ExpectedChain {
  readonly genesis: Hash;
  /** Newest block version whose rules are known; undefined accepts any. */
  readonly newestVersion?: number;
}

/** Transactions of a block, all or some: a run of those beside it. */
export interface TxsOfBlock {
  readonly height: number;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly firstTx: number;
  /** The one behind the last. */
  readonly endTx: number;
}

/** With all its transactions, the miner's first. */
export interface ChainBlock extends TxsOfBlock {
  readonly hash: Hash;
}

/** Blocks by ascending height, and transactions in the same order. */
export interface ChainTxs<B extends TxsOfBlock = TxsOfBlock> {
  readonly blocks: readonly B[];
  readonly txs: ParsedTxs;
}

/** @throws DaemonError `malformed` for a block that follows rules which nobody here knows. */
export function toChainBlocks(page: DaemonBlocks, { newestVersion }: ExpectedChain): ChainTxs<ChainBlock> {
  const blocks = page.blocks.map(({ hash, version, timestamp, firstTx, endTx }, i) => {
    const height = page.startHeight + i;
    if (newestVersion !== undefined && version > newestVersion)
      throw new DaemonError(
        'malformed',
        `block ${height} has version ${version}, and ${newestVersion} is the newest known here: update this server, or start it with --allow-mismatched-daemon-version`,
      );
    return { height, hash, timestamp, firstTx, endTx };
  });
  return { blocks, txs: page.txs };
}

/** Transactions of a block that came alone. */
export interface LooseBlock {
  readonly height: number;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly txs: readonly RawTx[];
}

/** @param loose by ascending height. @throws DaemonError `malformed` */
export function outlineLoose(loose: readonly LooseBlock[]): ChainTxs {
  let endTx = 0;
  const blocks = loose.map(({ height, timestamp, txs }) => {
    const firstTx = endTx;
    endTx += txs.length;
    return { height, timestamp, firstTx, endTx };
  });
  return { blocks, txs: outlineSent(loose.flatMap(({ txs }) => txs)) };
}

/** Transactions that the daemon sent alone. @throws DaemonError `malformed` */
export function outlineSent(txs: readonly RawTx[]): ParsedTxs {
  try {
    return parseTxs(txs);
  } catch (cause) {
    if (cause instanceof CodecError) throw unreadable(cause);
    throw cause;
  }
}

/** @throws DaemonError `malformed` */
export function buildTx(blob: Uint8Array): Transaction {
  try {
    return parsePrunedTransaction(blob);
  } catch (cause) {
    throw unreadable(cause);
  }
}

const unreadable = (cause: unknown): DaemonError =>
  new DaemonError('malformed', 'the daemon sent a transaction that cannot be read', { cause });
