import type { Statement } from 'better-sqlite3';
import type { Db } from './database.js';

/** A transaction as sent to wallets. Its hash is listed in the block. */
export interface ServedPayment {
  /** Encoded transaction, full or pruned. */
  readonly blob: Uint8Array;
  /** Hash of the prunable part that a pruned `blob` lacks; absent for a full one. */
  readonly prunableHash?: Uint8Array;
}

/** A block as sent to wallets. */
export interface ServedBlock {
  readonly blob: Uint8Array;
  readonly payments: readonly ServedPayment[];
  /**
   * For each transaction, the global indices of its outputs, the miner transaction first. Every transaction has
   * outputs.
   */
  readonly outputIndices: readonly (readonly number[])[];
}

type Range = [first: number, end: number];

/**
 * Reads ranges of blocks with only the columns that are sent to wallets. Wallets request the whole chain, so a range is
 * read with few statements, of one column each where possible: to read a row of several columns takes as long as three
 * rows of one column.
 */
export class ServedBlocks {
  readonly #blobs: Statement<Range, Uint8Array>;
  readonly #counts: Statement<Range, number>;
  readonly #firstTx: Statement<[number], number>;
  readonly #pruned: Statement<Range, [pruned: Uint8Array, prunableHash: Uint8Array]>;
  readonly #whole: Statement<Range, Uint8Array>;
  readonly #indices: Statement<Range, number>;

  constructor(db: Db) {
    const where = 'WHERE height >= ? AND height < ?';
    this.#blobs = db.prepare<Range, Uint8Array>(`SELECT blob FROM block ${where} ORDER BY height`).pluck();
    this.#counts = db.prepare<Range, number>(`SELECT payments FROM block ${where} ORDER BY height`).pluck();
    this.#firstTx = db
      .prepare<[number], number>('SELECT id FROM tx WHERE height >= ? ORDER BY height, id LIMIT 1')
      .pluck();
    // Selects payments: only miner transactions have an empty prunable part.
    const payments = `FROM tx ${where} AND length(prunable) > 0 ORDER BY height, id`;
    this.#pruned = db
      .prepare<Range, [Uint8Array, Uint8Array]>(`SELECT pruned, prunable_hash ${payments}`)
      .raw();
    // Concatenating the columns in SQLite takes half the time of reading two columns. The cast to text and back keeps
    // the bytes.
    this.#whole = db
      .prepare<Range, Uint8Array>(`SELECT CAST(pruned || prunable AS BLOB) ${payments}`)
      .pluck();
    // Global indices, negated (−1 − index) for the first output of each transaction, so that one column suffices.
    this.#indices = db
      .prepare<Range, number>(
        `SELECT CASE position WHEN 0 THEN -1 - idx ELSE idx END FROM output
           WHERE tx >= ? AND tx < ? ORDER BY tx, position`,
      )
      .pluck();
  }

  /**
   * Returns at most `count` blocks from the height `start` on, by ascending height.
   * @param prune true: payments lack signatures and proofs.
   */
  range(start: number, count: number, prune: boolean): ServedBlock[] {
    const end = start + count;
    const blobs = this.#blobs.all(start, end);
    const payments = prune ? this.#prunedPayments(start, end) : this.#wholePayments(start, end);
    const outputIndices = this.#outputIndices(start, end);
    const counts = this.#counts.all(start - 1, end);
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
    return this.#pruned.all(start, end).map(([blob, prunableHash]) => ({ blob, prunableHash }));
  }

  #wholePayments(start: number, end: number): ServedPayment[] {
    return this.#whole.all(start, end).map((blob) => ({ blob }));
  }

  /** Returns the global output indices of each transaction, in chain order. */
  #outputIndices(start: number, end: number): number[][] {
    const first = this.#firstTx.get(start);
    if (first === undefined) return [];
    const transactions: number[][] = [];
    for (const index of this.#indices.all(first, this.#firstTx.get(end) ?? Number.MAX_SAFE_INTEGER))
      if (index < 0) transactions.push([-1 - index]);
      else transactions.at(-1)?.push(index);
    return transactions;
  }
}
