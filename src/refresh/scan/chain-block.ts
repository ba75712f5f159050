import type { Hash } from '../../monero/crypto/types.js';
import { parsePrunedTransaction } from '../../monero/cryptonote/transaction.js';
import type { Transaction } from '../../monero/cryptonote/types.js';
import type { DaemonBlocks } from '../../daemon/daemon.js';
import { DaemonError } from '../../daemon/errors.js';
import { parseTxs, type RawTx } from '../../daemon/block-parser.js';
import type { ParsedTxs } from '../../daemon/parsed-txs.js';
import { sum, type Amount } from '../../util/amount.js';
import { CodecError } from '../../util/codec.js';

/** Properties of the chain that the daemon must serve. */
export interface ExpectedChain {
  readonly genesis: Hash;
  /** Newest block version whose rules are known; undefined: any version is accepted. */
  readonly newestVersion?: number;
}

/** A block with all or some of its transactions, which are given as a range of indices. */
export interface TxsOfBlock {
  readonly height: number;
  /** Time of the block [Unix s]. */
  readonly timestamp: number;
  readonly firstTx: number;
  /** Index after the last transaction of the block. */
  readonly endTx: number;
}

/** A block with all its transactions, the miner transaction first. */
export interface ChainBlock extends TxsOfBlock {
  readonly hash: Hash;
}

/** Blocks by ascending height, with the parsed transactions of all blocks in the same order. */
export interface ChainTxs<B extends TxsOfBlock = TxsOfBlock> {
  readonly blocks: readonly B[];
  readonly txs: ParsedTxs;
}

/**
 * Adds heights to the blocks of a page.
 * @throws DaemonError `malformed` for a block version whose rules are unknown.
 */
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

/** Some transactions of one block, to be scanned without the rest of the block. */
export interface LooseBlock {
  readonly height: number;
  /** Time of the block [Unix s]. */
  readonly timestamp: number;
  readonly txs: readonly RawTx[];
}

/** Parses the given transactions of some blocks. @param loose by ascending height. @throws DaemonError `malformed` */
export function outlineLoose(loose: readonly LooseBlock[]): ChainTxs {
  let endTx = 0;
  const blocks = loose.map(({ height, timestamp, txs }) => {
    const firstTx = endTx;
    endTx += txs.length;
    return { height, timestamp, firstTx, endTx };
  });
  return { blocks, txs: outlineSent(loose.flatMap(({ txs }) => txs)) };
}

/** Parses transactions that belong to no block page. @throws DaemonError `malformed` */
export function outlineSent(txs: readonly RawTx[]): ParsedTxs {
  try {
    return parseTxs(txs);
  } catch (cause) {
    if (cause instanceof CodecError) throw unreadable(cause);
    throw cause;
  }
}

/** Parses the transaction with an index into a value with all its fields. @throws DaemonError `malformed` */
export function readTx(txs: ParsedTxs, at: number): Transaction {
  try {
    return parsePrunedTransaction(txs.blob(at));
  } catch (cause) {
    throw unreadable(cause);
  }
}

const rewards = new WeakMap<ParsedTxs, Map<number, Amount>>();

/**
 * Reads the reward of a block from its miner transaction, which is parsed only once.
 * @throws DaemonError `malformed`
 * @param minerTx index of the miner transaction in `txs`.
 */
export function rewardOf(txs: ParsedTxs, minerTx: number): Amount {
  const known = rewards.get(txs) ?? new Map<number, Amount>();
  rewards.set(txs, known);
  const reward = known.get(minerTx) ?? sum(readTx(txs, minerTx).prefix.outputs.map(({ amount }) => amount));
  known.set(minerTx, reward);
  return reward;
}

const unreadable = (cause: unknown): DaemonError =>
  new DaemonError('malformed', 'the daemon sent a transaction that cannot be read', { cause });
