import type { Hash } from '../../monero/crypto/types.js';
import { parsePrunedTransaction } from '../../monero/cryptonote/transaction.js';
import type { Transaction } from '../../monero/cryptonote/types.js';
import type { DaemonBlocks } from '../../daemon/daemon.js';
import { NEWEST_FORK } from '../../monero/cryptonote/constants.js';
import { DaemonError, NewerBlock, unreadError } from '../../daemon/errors.js';
import { isUnverifiable, parseTxs, type RawTx, type ParsedTxs } from '../../monero/wallet/scan/block-page.js';
import { sum, type Amount } from '../../util/amount.js';
import { CodecError } from '../../util/codec.js';

/** Properties of the chain that the daemon must serve. */
export interface ExpectedChain {
  readonly genesis: Hash;
  /** Newest version of blocks whose rules are known; absent: {@link NEWEST_FORK}. */
  readonly newestFork?: number;
  /** True: blocks of unknown newer versions are read with the rules of the newest known version. */
  readonly anyVersion?: boolean;
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

/** Blocks of a page, and the error at which they end. */
export interface ReadBlocks extends ChainTxs<ChainBlock> {
  /** Error of the block after these blocks, if the daemon sent such a block and it cannot be read. */
  readonly end?: DaemonError;
}

/** Adds heights to the blocks of a page, up to the first block that cannot be read or has a newer version. */
export function toChainBlocks(
  { blocks: sent, unread, startHeight, txs }: DaemonBlocks,
  { anyVersion = false, newestFork = NEWEST_FORK }: ExpectedChain,
): ReadBlocks {
  const blocks: ChainBlock[] = [];
  for (const { hash, version, timestamp, firstTx, endTx } of sent) {
    const height = startHeight + blocks.length;
    if (!anyVersion && version > newestFork)
      return { blocks, txs, end: new NewerBlock({ height, version }, newestFork) };
    blocks.push({ height, hash, timestamp, firstTx, endTx });
  }
  return {
    blocks,
    txs,
    ...(unread === undefined ? {} : { end: unreadError(startHeight + blocks.length, unread) }),
  };
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
  const sent = loose.flatMap(({ txs }) => txs);
  return { blocks, txs: readable(() => parseTxs(sent)) };
}

/** Parses unmined transactions. @throws DaemonError `malformed` */
export const outlineUnmined = (txs: readonly RawTx[]): ParsedTxs => readable(() => parseUnmined(txs));

/** Parses unmined transactions, and leaves out transactions that cannot be read. */
export function outlineReadable<T extends RawTx>(
  sent: readonly T[],
): { readonly sent: readonly T[]; readonly txs: ParsedTxs } {
  try {
    return { sent, txs: parseUnmined(sent) };
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    const left = sent.filter(isReadable);
    return { sent: left, txs: parseUnmined(left) };
  }
}

/**
 * Parses unmined transactions.
 * @throws CodecError also for a transaction without signatures, which daemons have for unmined transactions.
 */
function parseUnmined(txs: readonly RawTx[]): ParsedTxs {
  if (txs.some(isUnverifiable)) throw new CodecError('an unmined transaction without its signatures');
  return parseTxs(txs);
}

function isReadable(tx: RawTx): boolean {
  try {
    parseUnmined([tx]);
    return true;
  } catch (error) {
    if (error instanceof CodecError) return false;
    throw error;
  }
}

/** Runs a parser. @throws DaemonError `malformed` in place of its CodecError. */
function readable<T>(parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    if (cause instanceof CodecError) throw unreadable(cause);
    throw cause;
  }
}

const UNREADABLE = 'the daemon sent a transaction that cannot be read';

/** Error of a transaction with an index that cannot be read. Only a proof says whether the daemon has altered its bytes. */
export class UnreadableTx extends DaemonError {
  readonly at: number;

  constructor(at: number, cause: unknown) {
    super('malformed', UNREADABLE, { cause });
    this.at = at;
  }
}

/** Parses the transaction with an index into a value with all its fields. @throws UnreadableTx */
export function readTx(txs: ParsedTxs, at: number): Transaction {
  try {
    return parsePrunedTransaction(txs.blob(at));
  } catch (cause) {
    throw new UnreadableTx(at, cause);
  }
}

const rewards = new WeakMap<ParsedTxs, Map<number, Amount>>();

/**
 * Reads the reward of a block from its miner transaction, which is parsed only once.
 * @throws UnreadableTx
 * @param minerTx index of the miner transaction in `txs`.
 */
export function rewardOf(txs: ParsedTxs, minerTx: number): Amount {
  const known = rewards.get(txs) ?? new Map<number, Amount>();
  rewards.set(txs, known);
  const reward = known.get(minerTx) ?? sum(readTx(txs, minerTx).prefix.outputs.map(({ amount }) => amount));
  known.set(minerTx, reward);
  return reward;
}

const unreadable = (cause: unknown): DaemonError => new DaemonError('malformed', UNREADABLE, { cause });
