import type { Hash } from '../../monero/crypto/types.js';
import { MAX_REORGANISATION, type BlockRef, type ReplacedBlocks } from '../../monero/wallet/scan/findings.js';
import { toBytes } from './columns.js';
import type { SqlDatabase } from '../../util/sql-database.js';

interface BlockRow {
  readonly height: number;
  readonly hash: Uint8Array;
}

const toBlock = ({ height, hash }: BlockRow): BlockRef => ({ height, hash: toBytes<'Hash'>(hash) });

/**
 * Interval of heights at which block hashes stay stored for blocks that no reorganisation can undo. The hashes of newer
 * blocks are all stored.
 */
const SPARSE = 1_000;
/** Number of the newest blocks that a short history contains without gaps. */
const DENSE_HISTORY = 10;
/**
 * Depth of a block that every short history contains [blocks]. A reorganisation is measured from the newest common
 * block in the short history; a gap there must not make it appear deeper than `MAX_REORGANISATION`. Deferred blocks
 * increase the depth.
 */
const DEEPEST_NAMED = MAX_REORGANISATION - 100;

/** Reads the stored block hashes. */
export class ChainReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  /** Returns the oldest block at or above a height; undefined if there is no such block. */
  oldestFrom(height: number): BlockRef | undefined {
    const row = this.db.row<BlockRow>(
      'SELECT height, hash FROM chain_block WHERE height >= ? ORDER BY height LIMIT 1',
      height,
    );
    return row && toBlock(row);
  }

  /**
   * Returns the stored blocks from a height on, which a page at this height replaces; undefined if there are no such
   * blocks. The page may begin below the oldest block that the wallet holds.
   */
  replacedFrom(height: number): ReplacedBlocks | undefined {
    const tip = this.tip()?.height ?? -1;
    if (height > tip) return undefined;
    const fromHeight = Math.max(height, this.oldestFrom(0)?.height ?? height);
    return { fromHeight, depth: tip - fromHeight + 1 };
  }

  tip(): BlockRef | undefined {
    return this.newestUpTo(Number.MAX_SAFE_INTEGER);
  }

  hashAt(height: number): Hash | undefined {
    const hash = this.db.value<Uint8Array>('SELECT hash FROM chain_block WHERE height = ?', height);
    return hash && toBytes<'Hash'>(hash);
  }

  /**
   * Returns blocks, newest first: ten consecutive blocks, then blocks at doubling distances, including the block at
   * depth {@link DEEPEST_NAMED}, down to the oldest stored block.
   */
  shortHistory(): BlockRef[] {
    const history: BlockRef[] = [];
    const top = this.tip()?.height ?? -1;
    const deepest = top - DEEPEST_NAMED;
    for (let height = top, step = 1; height >= 0;) {
      const block = this.newestUpTo(height);
      if (block === undefined) break;
      history.push(block);
      if (history.length >= DENSE_HISTORY) step *= 2;
      height = block.height > deepest ? Math.max(block.height - step, deepest) : block.height - step;
    }
    const oldest = this.oldestFrom(0);
    if (oldest !== undefined && history.at(-1)?.height !== oldest.height) history.push(oldest);
    return history;
  }

  /** Returns the newest block at or below a height; undefined if there is no such block. */
  newestUpTo(height: number): BlockRef | undefined {
    const row = this.db.row<BlockRow>(
      'SELECT height, hash FROM chain_block WHERE height <= ? ORDER BY height DESC LIMIT 1',
      height,
    );
    return row && toBlock(row);
  }
}

export class ChainWriter extends ChainReader {
  /** Deletes the blocks at or above a height. */
  drop(height: number): void {
    this.db.run('DELETE FROM chain_block WHERE height >= ?', height);
  }

  attach(startHeight: number, hashes: readonly Hash[]): void {
    const firstRecent = (this.tip()?.height ?? startHeight - 1) + 1 - MAX_REORGANISATION;
    hashes.forEach((hash, i) =>
      this.db.run('INSERT INTO chain_block (height, hash) VALUES (?, ?)', startHeight + i, hash),
    );
    // Blocks below `firstRecent` were deleted when they ceased to be recent, so a page takes the same time at any chain
    // length.
    this.db.run(
      `DELETE FROM chain_block WHERE height BETWEEN ? AND ? AND height % ${SPARSE} <> 0
         AND height > (SELECT min(height) FROM chain_block)`,
      firstRecent,
      startHeight + hashes.length - MAX_REORGANISATION - 1,
    );
  }
}
