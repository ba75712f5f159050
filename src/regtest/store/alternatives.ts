import type { Hash } from '../../monero/crypto/types.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { toBytes } from './database.js';

/** A block that is not in the main chain. */
export interface AlternativeBlock {
  readonly hash: Hash;
  readonly prevHash: Hash;
  readonly height: number;
  readonly blob: Uint8Array;
  /** Weight of the block; 0 if one of its transactions is unknown. */
  readonly weight: number;
  readonly cumulativeDifficulty: bigint;
  readonly generated: bigint;
}

interface AlternativeRow {
  readonly hash: Uint8Array;
  readonly prev_hash: Uint8Array;
  readonly height: number;
  readonly blob: Uint8Array;
  readonly weight: number;
  readonly cumulative_difficulty: string;
  readonly generated: string;
}

const toBlock = (row: AlternativeRow): AlternativeBlock => ({
  hash: toBytes<'Hash'>(row.hash),
  prevHash: toBytes<'Hash'>(row.prev_hash),
  height: row.height,
  blob: Uint8Array.from(row.blob),
  weight: row.weight,
  cumulativeDifficulty: BigInt(row.cumulative_difficulty),
  generated: BigInt(row.generated),
});

/** Table of the alternative blocks. */
export class AlternativeTable {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  get(hash: Hash): AlternativeBlock | undefined {
    const row = this.#db.row<AlternativeRow>('SELECT * FROM alternative_block WHERE hash = ?', hash);
    return row && toBlock(row);
  }

  all(): AlternativeBlock[] {
    return this.#db
      .rows<AlternativeRow>('SELECT * FROM alternative_block ORDER BY height, hash')
      .map(toBlock);
  }

  count(): number {
    return this.#db.value<number>('SELECT count(*) FROM alternative_block') ?? 0;
  }

  add(block: AlternativeBlock): void {
    this.#db.run(
      `INSERT INTO alternative_block
         VALUES (@hash, @prev_hash, @height, @blob, @weight, @cumulative_difficulty, @generated)`,
      {
        hash: block.hash,
        prev_hash: block.prevHash,
        height: block.height,
        blob: block.blob,
        weight: block.weight,
        cumulative_difficulty: block.cumulativeDifficulty.toString(),
        generated: block.generated.toString(),
      },
    );
  }

  remove(hash: Hash): void {
    this.#db.run('DELETE FROM alternative_block WHERE hash = ?', hash);
  }
}
