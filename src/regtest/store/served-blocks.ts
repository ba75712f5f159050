import type { SqlDatabase } from '../../util/sql-database.js';

/** A transaction in the form that is sent to wallets. Its hash is listed in the block. */
export interface ServedPayment {
  /** Encoded transaction, full or pruned. */
  readonly blob: Uint8Array;
  /** Hash of the prunable part that a pruned `blob` lacks; absent for a full transaction. */
  readonly prunableHash?: Uint8Array;
}

/** A block in the form that is sent to wallets. */
export interface ServedBlock {
  readonly blob: Uint8Array;
  readonly payments: readonly ServedPayment[];
  /**
   * For each transaction, the global indices of its outputs, the miner transaction first. Every transaction has
   * outputs.
   */
  readonly outputIndices: readonly (readonly number[])[];
}

const IN_RANGE = 'height >= ? AND height < ?';
/** SQL that selects payments: only miner transactions have an empty prunable part. */
const PAYMENTS = `FROM tx WHERE ${IN_RANGE} AND length(prunable) > 0 ORDER BY height, id`;

/**
 * Reads ranges of blocks with only the columns that are sent to wallets. Wallets request the whole chain, so a range is
 * read with few statements, of one column each if possible: reading a row of several columns takes as long as reading
 * three rows of one column.
 */
export class ServedBlocks {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  /**
   * Returns at most `count` blocks from the height `start` on, by ascending height.
   * @param prune true: payments lack signatures and proofs.
   */
  range(start: number, count: number, prune: boolean): ServedBlock[] {
    const end = start + count;
    const blobs = this.#db.values<Uint8Array>(
      `SELECT blob FROM block WHERE ${IN_RANGE} ORDER BY height`,
      start,
      end,
    );
    const payments = prune ? this.#prunedPayments(start, end) : this.#wholePayments(start, end);
    const outputIndices = this.#outputIndices(start, end);
    const counts = this.#db.values<number>(
      `SELECT payments FROM block WHERE ${IN_RANGE} ORDER BY height`,
      start - 1,
      end,
    );
    if (start === 0) counts.unshift(0);
    const before = counts[0] ?? 0;
    return blobs.map((blob, i) => {
      const from = (counts[i] ?? 0) - before;
      const to = (counts[i + 1] ?? 0) - before;
      return {
        blob,
        payments: payments.slice(from, to),
        outputIndices: outputIndices.slice(from + i, to + i + 1),
      };
    });
  }

  #prunedPayments(start: number, end: number): ServedPayment[] {
    return this.#db.arrays
      .rows<[pruned: Uint8Array, prunableHash: Uint8Array]>(
        `SELECT pruned, prunable_hash ${PAYMENTS}`,
        start,
        end,
      )
      .map(([blob, prunableHash]) => ({ blob, prunableHash }));
  }

  #wholePayments(start: number, end: number): ServedPayment[] {
    // Concatenating the columns in SQLite takes half the time of reading two columns. The cast to text and back keeps
    // the bytes.
    return this.#db
      .values<Uint8Array>(`SELECT CAST(pruned || prunable AS BLOB) ${PAYMENTS}`, start, end)
      .map((blob) => ({ blob }));
  }

  /** Returns the global output indices of each transaction, in chain order. */
  #outputIndices(start: number, end: number): number[][] {
    const first = this.#firstTxFrom(start);
    if (first === undefined) return [];
    // Global indices, negated (−1 − index) for the first output of each transaction, so that one column suffices.
    const indices = this.#db.values<number>(
      `SELECT CASE position WHEN 0 THEN -1 - idx ELSE idx END FROM output
       WHERE tx >= ? AND tx < ? ORDER BY tx, position`,
      first,
      this.#firstTxFrom(end) ?? Number.MAX_SAFE_INTEGER,
    );
    const transactions: number[][] = [];
    for (const index of indices)
      if (index < 0) transactions.push([-1 - index]);
      else transactions.at(-1)?.push(index);
    return transactions;
  }

  /**
   * Returns the number of the first transaction in the blocks from a height on; undefined if there is no such
   * transaction.
   */
  #firstTxFrom(height: number): number | undefined {
    return this.#db.value<number>('SELECT id FROM tx WHERE height >= ? ORDER BY height, id LIMIT 1', height);
  }
}
