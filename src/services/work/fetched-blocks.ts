import type { DaemonBlock, DaemonInfo } from '../../daemon/daemon.js';
import { DaemonError, unreadError } from '../../daemon/errors.js';
import { CARROT_ONLY_FORK } from '../../monero/fork-rules.js';
import { parseBlock } from '../../monero/cryptonote/block.js';
import { chainHeader, type ChainHeader } from '../../monero/cryptonote/header-rules.js';
import type { Block } from '../../monero/cryptonote/types.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { CodecError } from '../../util/codec.js';

/** Calls of a daemon with which blocks are fetched. */
export interface BlockSource {
  getInfo(): Promise<DaemonInfo>;
  getBlock(height: number): Promise<DaemonBlock>;
}

/** A fetched block with its computed hash, and the work that the daemon reports. */
export interface FetchedBlock extends ChainHeader {
  readonly block: Block;
  readonly cumulativeDifficulty: bigint;
}

/** Number of blocks that are requested at the same time. */
const AT_ONCE = 3;

/** Fetches consecutive blocks. @throws DaemonError `malformed` if a block does not follow the block before it. */
export async function fetchBlocks(source: BlockSource, first: number, last: number): Promise<FetchedBlock[]> {
  const blocks: FetchedBlock[] = [];
  for (let from = first; from <= last; from += AT_ONCE) {
    const count = Math.min(AT_ONCE, last + 1 - from);
    const page = Array.from({ length: count }, (_, i) => fetchBlock(source, from + i));
    for (const block of await Promise.all(page)) {
      const parent = blocks.at(-1);
      if (parent !== undefined && !equalBytes(block.prevHash, parent.hash))
        throw new DaemonError(
          'malformed',
          `block ${first + blocks.length} does not follow the block before it`,
        );
      blocks.push(block);
    }
  }
  return blocks;
}

/**
 * Fetches a block, and computes its hash.
 * @throws NewerBlock, DaemonError `malformed` for a block that cannot be read; `forged` if the daemon names another hash, or
 * sends a block of another height.
 */
export async function fetchBlock(
  source: Pick<BlockSource, 'getBlock'>,
  height: number,
): Promise<FetchedBlock> {
  const { blob, hash, cumulativeDifficulty } = await source.getBlock(height);
  const block = parsed(blob, height);
  const header = chainHeader(block);
  if (!equalBytes(header.hash, hash))
    throw new DaemonError(
      'forged',
      `block ${height} has the hash ${toHex(header.hash)}, and the daemon says ${toHex(hash)}`,
    );
  const [input] = block.minerTx.prefix.inputs;
  if (input?.type !== 'gen' || input.height !== height)
    throw new DaemonError(
      'forged',
      `the block that the daemon sends for height ${height} is of another height`,
    );
  return { ...header, block, cumulativeDifficulty };
}

/** Parses a block. @throws NewerBlock, DaemonError `malformed` */
function parsed(blob: Uint8Array, height: number): Block {
  try {
    return parseBlock(blob);
  } catch (cause) {
    if (!(cause instanceof CodecError || cause instanceof RangeError)) throw cause;
    const [version] = blob;
    throw unreadError(height, {
      ...(version === undefined ? {} : { version }),
      ...{ cause, isForged: false, newestFork: CARROT_ONLY_FORK },
    });
  }
}
