import type { Hash } from '../../monero/crypto/types.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { toBytes } from './database.js';

/** A block of the main chain, with counters that are cumulative from the genesis block. */
export interface StoredBlock {
  readonly height: number;
  readonly hash: Hash;
  readonly blob: Uint8Array;
  /** Time of the block [Unix s]. */
  readonly timestamp: number;
  readonly weight: number;
  readonly longTermWeight: number;
  readonly difficulty: bigint;
  readonly cumulativeDifficulty: bigint;
  /** Emission up to and including this block [atomic units]. */
  readonly generated: bigint;
  /** Number of RingCT outputs in the blocks up to and including this block. */
  readonly rctOutputs: number;
  /** Number of transactions in the blocks up to and including this block, without miner transactions. */
  readonly payments: number;
}

interface BlockRow {
  readonly height: number;
  readonly hash: Uint8Array;
  readonly blob: Uint8Array;
  readonly timestamp: number;
  readonly weight: number;
  readonly long_term_weight: number;
  readonly difficulty: string;
  readonly cumulative_difficulty: string;
  readonly generated: string;
  readonly rct_outputs: number;
  readonly payments: number;
}

const toBlock = (row: BlockRow): StoredBlock => ({
  height: row.height,
  hash: toBytes<'Hash'>(row.hash),
  blob: Uint8Array.from(row.blob),
  timestamp: row.timestamp,
  weight: row.weight,
  longTermWeight: row.long_term_weight,
  difficulty: BigInt(row.difficulty),
  cumulativeDifficulty: BigInt(row.cumulative_difficulty),
  generated: BigInt(row.generated),
  rctOutputs: row.rct_outputs,
  payments: row.payments,
});

type Column = 'timestamp' | 'weight' | 'long_term_weight' | 'rct_outputs';

/** Table of the blocks in the main chain. */
export class BlockTable {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  /** Returns the latest block; undefined in an empty store. */
  tip(): StoredBlock | undefined {
    const row = this.#db.row<BlockRow>('SELECT * FROM block ORDER BY height DESC LIMIT 1');
    return row && toBlock(row);
  }

  at(height: number): StoredBlock | undefined {
    const row = this.#db.row<BlockRow>('SELECT * FROM block WHERE height = ?', height);
    return row && toBlock(row);
  }

  get(hash: Hash): StoredBlock | undefined {
    const row = this.#db.row<BlockRow>('SELECT * FROM block WHERE hash = ?', hash);
    return row && toBlock(row);
  }

  /** Returns at most `count` blocks from the height `start` on, by ascending height. */
  range(start: number, count: number): StoredBlock[] {
    return this.#db
      .rows<BlockRow>('SELECT * FROM block WHERE height >= ? ORDER BY height LIMIT ?', start, count)
      .map(toBlock);
  }

  hashes(start: number, count: number): Hash[] {
    return this.#db
      .values<Uint8Array>('SELECT hash FROM block WHERE height >= ? ORDER BY height LIMIT ?', start, count)
      .map((hash) => toBytes<'Hash'>(hash));
  }

  /**
   * Returns the height of the first block whose timestamp is not before a time [Unix s]; undefined if there is no such
   * block.
   */
  firstSince(time: number): number | undefined {
    return this.#db.value<number>(
      'SELECT height FROM block WHERE timestamp >= ? ORDER BY height LIMIT 1',
      time,
    );
  }

  timestamps(start: number, count: number): number[] {
    return this.#column('timestamp', start, count);
  }

  weights(start: number, count: number): number[] {
    return this.#column('weight', start, count);
  }

  longTermWeights(start: number, count: number): number[] {
    return this.#column('long_term_weight', start, count);
  }

  /** Returns the cumulative number of RingCT outputs for at most `count` blocks from the height `start` on. */
  rctOutputs(start: number, count: number): number[] {
    return this.#column('rct_outputs', start, count);
  }

  #column(name: Column, start: number, count: number): number[] {
    return this.#db.values<number>(
      `SELECT ${name} FROM block WHERE height >= ? ORDER BY height LIMIT ?`,
      start,
      count,
    );
  }

  add(block: StoredBlock): void {
    this.#db.run(
      `INSERT INTO block VALUES (@height, @hash, @blob, @timestamp, @weight, @long_term_weight, @difficulty,
         @cumulative_difficulty, @generated, @rct_outputs, @payments)`,
      {
        height: block.height,
        hash: block.hash,
        blob: block.blob,
        timestamp: block.timestamp,
        weight: block.weight,
        long_term_weight: block.longTermWeight,
        difficulty: block.difficulty.toString(),
        cumulative_difficulty: block.cumulativeDifficulty.toString(),
        generated: block.generated.toString(),
        rct_outputs: block.rctOutputs,
        payments: block.payments,
      },
    );
  }

  remove(height: number): void {
    this.#db.run('DELETE FROM block WHERE height = ?', height);
  }
}
