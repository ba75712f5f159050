import type { Hash } from '../../monero/crypto/types.js';
import { parsePrunedTransaction } from '../../monero/cryptonote/transaction.js';
import type { Transaction } from '../../monero/cryptonote/types.js';
import type { DaemonBlocks } from '../../daemon/daemon.js';
import { DaemonError } from '../../daemon/errors.js';
import { parseTxs, type RawTx } from '../../daemon/block-parser.js';
import type { ParsedTxs } from '../../daemon/parsed-txs.js';
import { sum, type Amount } from '../../util/amount.js';
import { CodecError } from '../../util/codec.js';

/** The chain that the daemon must follow. */
export interface ExpectedChain {
  readonly genesis: Hash;
  /** Newest block version with known rules; undefined accepts any version. */
  readonly newestVersion?: number;
}

/** A block with all or some of its transactions, as a range of indices. */
export interface TxsOfBlock {
  readonly height: number;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly firstTx: number;
  /** Index behind the last transaction. */
  readonly endTx: number;
}

/** A block with all its transactions, the miner transaction first. */
export interface ChainBlock extends TxsOfBlock {
  readonly hash: Hash;
}

/** Blocks by ascending height, with their transactions in the same order. */
export interface ChainTxs<B extends TxsOfBlock = TxsOfBlock> {
  readonly blocks: readonly B[];
  readonly txs: ParsedTxs;
}

/** Numbers the blocks of a page. @throws DaemonError `malformed` for a block version with unknown rules. */
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

/** Single transactions of a block. */
export interface LooseBlock {
  readonly height: number;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly txs: readonly RawTx[];
}

/** Parses single transactions of blocks. @param loose by ascending height. @throws DaemonError `malformed` */
export function outlineLoose(loose: readonly LooseBlock[]): ChainTxs {
  let endTx = 0;
  const blocks = loose.map(({ height, timestamp, txs }) => {
    const firstTx = endTx;
    endTx += txs.length;
    return { height, timestamp, firstTx, endTx };
  });
  return { blocks, txs: outlineSent(loose.flatMap(({ txs }) => txs)) };
}

/** Parses single transactions. @throws DaemonError `malformed` */
export function outlineSent(txs: readonly RawTx[]): ParsedTxs {
  try {
    return parseTxs(txs);
  } catch (cause) {
    if (cause instanceof CodecError) throw unreadable(cause);
    throw cause;
  }
}

/** Parses a pruned transaction in full. @throws DaemonError `malformed` */
export function buildTx(blob: Uint8Array): Transaction {
  try {
    return parsePrunedTransaction(blob);
  } catch (cause) {
    throw unreadable(cause);
  }
}

const rewards = new WeakMap<ParsedTxs, Map<number, Amount>>();

/** Reads the reward of a block; parses each miner transaction once. @throws DaemonError `malformed` */
export function rewardOf(txs: ParsedTxs, minerTx: number): Amount {
  const known = rewards.get(txs) ?? new Map<number, Amount>();
  rewards.set(txs, known);
  const reward =
    known.get(minerTx) ?? sum(buildTx(txs.blob(minerTx)).prefix.outputs.map(({ amount }) => amount));
  known.set(minerTx, reward);
  return reward;
}

const unreadable = (cause: unknown): DaemonError =>
  new DaemonError('malformed', 'the daemon sent a transaction that cannot be read', { cause });
