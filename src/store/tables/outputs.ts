import type { Hash, KeyImage, PublicKey } from '../../monero/crypto/types.js';
import type { OutputRef } from '../../monero/wallet/select/spendable-outputs.js';
import type { OwnedOutput } from '../../monero/wallet/scan/findings.js';
import { toHex } from '../../util/bytes.js';
import { ringPlaceOf } from '../../monero/wallet/scan/ambiguous-spends.js';
import type { SqlDatabase, SqlParameter } from '../../util/sql-database.js';
import { toBytes, keyEquals, WITHOUT_KEY_IMAGE } from './columns.js';
import type { Part } from './pages.js';
import {
  CHAIN_ORDER,
  EXPORT_COLUMNS,
  IMPORT_COLUMNS,
  OUTPUT_COLUMNS,
  PROVEN,
  STATE_COLUMNS,
  toExportFacts,
  toImportFacts,
  toOutput,
  toState,
  UNSPENT,
  type ExportFacts,
  type ImportFacts,
  type ImportRow,
  type KeyImageState,
  type OutputRow,
  type StateRow,
} from './output-row.js';

/** Amount and global index with which rings name an output. */
export interface RingPlace {
  /** Row number; ascends in the order in which outputs were found. */
  readonly number: number;
  readonly publicKey: PublicKey;
  /** Text form of the position, from {@link ringPlaceOf}. */
  readonly place: string;
}

/** A {@link RingPlace} as a row; the amount is text. */
type RingPlaceRow = readonly [
  number: number,
  publicKey: Uint8Array,
  denomination: string,
  globalIndex: number,
];

/**
 * SQL order of the chain in which an output with a reused key takes the position of the first output with that key. No
 * index has this order.
 */
const FIRST_PLACE_ORDER = `ORDER BY coalesce(first_height, height), coalesce(first_index, global_index), height,
  global_index, tx_hash, output_index`;

const FIRST_PLACE = `coalesce(first_height, height) AS first_height, coalesce(first_index, global_index) AS first_index,
  height, global_index, tx_hash, output_index`;

/** SQL condition that the key image of an output is not proven, in a view-only wallet. */
const UNPROVEN = `(key_image IS NULL OR NOT ${PROVEN})`;

/** A part of the list of all outputs. Without `count` it extends to the end of the list. */
export interface OutputRange {
  /** Number of outputs before the part, counted from the output `after` if `after` is given. Default: 0. */
  readonly first?: number;
  readonly count?: number;
  /** Row number of the output after which the part begins. For lists in chain order only. */
  readonly after?: number;
}

/** First outputs of a range, and the range of the outputs after them; undefined at the end of the range. */
export type OutputPart<Facts> = Part<readonly Facts[], OutputRange>;

/** Parameter value of a query for a range. */
type RangeValue = number | Uint8Array;

/** Limit with which SQLite returns all rows. */
const NO_LIMIT = -1;

const limitOf = (count: number): number => (count === Infinity ? NO_LIMIT : count);

/**
 * SQL order of outputs that equals {@link CHAIN_ORDER} in a wallet without outputs from before RingCT, which alone may
 * have equal global indices. An index has this order; with {@link CHAIN_ORDER}, SQLite sorts the outputs of each global
 * index.
 */
const INDEX_ORDER = 'ORDER BY height, global_index, rowid';

/** Position of an output in {@link CHAIN_ORDER}. */
type ChainPlaceRow = readonly [height: number, globalIndex: number, txHash: Uint8Array, outputIndex: number];

/**
 * Position of an output in {@link FIRST_PLACE_ORDER}. Outputs before RingCT in one block may have equal global indices.
 */
interface FirstPlace {
  readonly height: number;
  readonly global_index: number;
  readonly tx_hash: Uint8Array;
  readonly output_index: number;
  readonly first_height: number;
  readonly first_index: number;
}

/** Reads outputs that were found in the chain. */
export class OutputReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  /** Returns the output with a key image. Of several such outputs, returns the output that is not burnt. */
  byKeyImage(keyImage: KeyImage): OwnedOutput | undefined {
    return this.#first(`${keyEquals('key_image', '?')} ORDER BY burnt`, keyImage, keyImage);
  }

  byRef({ txHash, outputIndex }: OutputRef): OwnedOutput | undefined {
    return this.#first('tx_hash = ? AND output_index = ?', txHash, outputIndex);
  }

  /** Returns the outputs without a mined spend that are neither burnt nor frozen. */
  unspent(): OwnedOutput[] {
    return this.#select(`WHERE ${UNSPENT} ORDER BY height, tx_hash, output_index`);
  }

  /** Returns the outputs before RingCT without a mined spend that are neither burnt nor frozen. */
  unspentPlain(): OwnedOutput[] {
    return this.#select(`INDEXED BY owned_output_plain WHERE rct = 0 AND ${UNSPENT}`);
  }

  /**
   * Returns all outputs or a part of them in chain order, without burnt outputs. If a later output has a reused key and
   * a larger amount, it takes the position of the first output with that key. {@link placeOf} uses the same order.
   * Source: wallet2.cpp `process_new_transaction`, `m_transfers`.
   */
  inOrder(range: OutputRange = {}): OwnedOutput[] {
    const { sql, values } = this.#ordered(OUTPUT_COLUMNS, range);
    return this.db.bigints.rows<OutputRow>(sql, ...values).map(toOutput);
  }

  /**
   * Returns the facts that an import of key images needs, for the same outputs as {@link inOrder} in the same order.
   * @param most largest number of outputs; a list that is not in chain order is returned whole.
   */
  importFacts(range: OutputRange = {}, most = Infinity): OutputPart<ImportFacts> {
    return this.#part<ImportRow, ImportFacts>(IMPORT_COLUMNS, range, most, (rows) => rows.map(toImportFacts));
  }

  /** Returns the facts that an export of outputs needs, as {@link importFacts}. */
  exportFacts(range: OutputRange = {}, most = Infinity): OutputPart<ExportFacts> {
    return this.#part(EXPORT_COLUMNS, range, most, toExportFacts);
  }

  /**
   * Reads the first outputs of a range, and the remaining range, which begins after a row, so that no outputs before
   * the row are read again. @param columns SQL columns, of which the row number is the first.
   */
  #part<Row extends readonly [number: number, ...unknown[]], Facts>(
    columns: string,
    range: OutputRange,
    most: number,
    toFacts: (rows: readonly Row[]) => Facts[],
  ): OutputPart<Facts> {
    const { count = Infinity, after } = range;
    const wanted = after === undefined && this.#isMoved() ? count : Math.min(count, most);
    const { sql, values } = this.#ordered(columns, { ...range, count: wanted });
    const rows = this.db.arrays.rows<Row>(sql, ...values);
    const last = rows.at(-1);
    const isEnd = wanted === count || last === undefined || rows.length < wanted;
    return { page: toFacts(rows), rest: isEnd ? undefined : { count: count - wanted, after: last[0] } };
  }

  #ordered(
    columns: string,
    { first = 0, count = Infinity, after }: OutputRange,
  ): { readonly sql: string; readonly values: readonly RangeValue[] } {
    const list = `SELECT ${columns} FROM owned_output WHERE burnt = 0`;
    const hasTies = this.db.row('SELECT 1 FROM owned_output WHERE rct = 0 LIMIT 1') !== undefined;
    if (after === undefined) {
      const order = this.#isMoved() ? FIRST_PLACE_ORDER : hasTies ? CHAIN_ORDER : INDEX_ORDER;
      return { sql: `${list} ${order} LIMIT ? OFFSET ?`, values: [limitOf(count), first] };
    }
    const place = this.db.arrays.row<ChainPlaceRow>(
      'SELECT height, global_index, tx_hash, output_index FROM owned_output WHERE rowid = ?',
      after,
    );
    if (place === undefined) throw new Error('the output after which a part begins is missing');
    const [height, globalIndex] = place;
    return hasTies
      ? {
          sql: `${list} AND (height, global_index, tx_hash, output_index) > (?, ?, ?, ?)
            ${CHAIN_ORDER} LIMIT ? OFFSET ?`,
          values: [...place, limitOf(count), first],
        }
      : {
          sql: `${list} AND (height, global_index, rowid) > (?, ?, ?) ${INDEX_ORDER} LIMIT ? OFFSET ?`,
          values: [height, globalIndex, after, limitOf(count), first],
        };
  }

  /** Returns the number of outputs that {@link inOrder} lists. */
  count(): number {
    // SQLite counts the rows of a table by reading its smallest index.
    return (
      this.db.value<number>(
        `SELECT (SELECT count(*) FROM owned_output) - (SELECT count(*) FROM owned_output WHERE burnt = 1)`,
      ) ?? 0
    );
  }

  /**
   * Returns the index in {@link inOrder} of the first output without a key image; undefined if all outputs have one.
   * @param proven true: a key image that no signature proves counts as missing.
   */
  firstWithoutKeyImage({ proven }: { readonly proven: boolean }): number | undefined {
    // Few outputs have no key image, and an index finds them. Outputs with unproven key images are searched in the
    // order of another index.
    const condition = proven ? UNPROVEN : WITHOUT_KEY_IMAGE;
    const order = proven && !this.#isMoved() ? CHAIN_ORDER : FIRST_PLACE_ORDER;
    const place = this.db.row<FirstPlace>(
      `SELECT ${FIRST_PLACE} FROM owned_output WHERE burnt = 0 AND ${condition} ${order} LIMIT 1`,
    );
    return place && this.#countBefore(place);
  }

  /** Returns true if any output with a reused key has the position of another output. */
  #isMoved(): boolean {
    return this.db.row('SELECT 1 FROM owned_output WHERE first_height IS NOT NULL LIMIT 1') !== undefined;
  }

  /** Returns the output with an output key. Of several such outputs, returns the output that is not burnt. */
  byPublicKey(publicKey: PublicKey): OwnedOutput | undefined {
    return this.#first(`${keyEquals('public_key', '?')} ORDER BY burnt`, publicKey, publicKey);
  }

  /** Returns the outputs that a transaction spends or reserves. */
  spentBy(txHash: Hash): OwnedOutput[] {
    return this.#select('WHERE spent_by = ? ORDER BY burnt, height', txHash);
  }

  /** Returns the given transactions that are mined and pay the wallet a credited amount other than change. */
  incomeAmong(txHashes: readonly Hash[]): Hash[] {
    const places = this.db.values<number>(
      `SELECT key FROM json_each(?) WHERE EXISTS (
           SELECT 1 FROM owned_output WHERE tx_hash = unhex(value) AND change = 0 AND credited IS NOT 0)`,
      JSON.stringify(txHashes.map(toHex)),
    );
    return places.flatMap((place) => txHashes[place] ?? []);
  }

  /**
   * Returns the amount that a transaction paid to an account on reused keys and that is not credited [atomic units].
   */
  uncredited(txHash: Hash, account: number): bigint {
    return (
      this.db.bigints.value<bigint>(
        `SELECT coalesce(sum(amount - credited), 0) FROM owned_output
         WHERE tx_hash = ? AND account = ? AND credited IS NOT NULL`,
        txHash,
        account,
      ) ?? 0n
    );
  }

  /** Returns the outputs of a transaction, including burnt outputs. */
  ofTx(txHash: Hash): OwnedOutput[] {
    return this.#select('WHERE tx_hash = ?', txHash);
  }

  /**
   * Returns outputs with a known key image, without burnt outputs, in the order in which they were found.
   * @param after row number after which the outputs begin.
   * @param count largest number of outputs.
   */
  keyImageStates(after = 0, count = Infinity): KeyImageState[] {
    return this.db.arrays
      .rows<StateRow>(
        `SELECT ${STATE_COLUMNS} FROM owned_output WHERE key_image IS NOT NULL AND burnt = 0 AND rowid > ?
         ORDER BY rowid LIMIT ?`,
        after,
        limitOf(count),
      )
      .map(toState);
  }

  /**
   * Returns the positions of outputs in rings, including burnt outputs, in the order in which the outputs were found.
   * @param after row number after which the outputs begin.
   * @param count largest number of outputs.
   */
  ringPlaces(after: number, count: number): RingPlace[] {
    return this.db.arrays
      .rows<RingPlaceRow>(
        `SELECT rowid, public_key, iif(rct, '0', CAST(amount AS TEXT)), global_index FROM owned_output
         WHERE rowid > ? ORDER BY rowid LIMIT ?`,
        after,
        count,
      )
      .map(([number, publicKey, value, globalIndex]) => ({
        number,
        publicKey: toBytes<'PublicKey'>(publicKey),
        place: ringPlaceOf(BigInt(value), globalIndex),
      }));
  }

  /**
   * Returns the index of an output in {@link inOrder}, which is also its index in the list `m_transfers` of the
   * reference.
   */
  placeOf({ txHash, outputIndex, height, globalIndex }: OwnedOutput): number {
    const place = this.db.row<FirstPlace>(
      `SELECT ${FIRST_PLACE} FROM owned_output WHERE tx_hash = ? AND output_index = ?`,
      txHash,
      outputIndex,
    ) ?? {
      ...{ first_height: height, first_index: globalIndex },
      ...{ height, global_index: globalIndex, tx_hash: txHash, output_index: outputIndex },
    };
    return this.#countBefore(place);
  }

  /** Counts the outputs before a position in {@link inOrder}. */
  #countBefore(place: FirstPlace): number {
    const before = (height: string, index: string): string =>
      `(SELECT count(*) FROM owned_output WHERE burnt = 0
        AND (${height}, ${index}, height, global_index, tx_hash, output_index)
          < (:first_height, :first_index, :height, :global_index, :tx_hash, :output_index)`;
    const sql = `SELECT ${before('height', 'global_index')} AND first_height IS NULL)
      + ${before('first_height', 'first_index')} AND first_height IS NOT NULL)`;
    return this.db.value<number>(sql, place) ?? 0;
  }

  has({ txHash, outputIndex }: OutputRef): boolean {
    return (
      this.db.row(
        'SELECT 1 FROM owned_output WHERE tx_hash = ? AND output_index = ?',
        txHash,
        outputIndex,
      ) !== undefined
    );
  }

  /** Returns true if no output is spent, reserved, frozen or burnt. */
  areFree(outputs: readonly OutputRef[]): boolean {
    return outputs.every(({ txHash, outputIndex }) => {
      const free = this.db.row(
        `SELECT 1 FROM owned_output
         WHERE tx_hash = ? AND output_index = ? AND spent_by IS NULL AND frozen = 0 AND burnt = 0`,
        txHash,
        outputIndex,
      );
      return free !== undefined;
    });
  }

  /** Returns at most a given number of outputs without a known key image, including burnt outputs, in any order. */
  someWithoutKeyImage(most: number): OwnedOutput[] {
    return this.#select(`WHERE ${WITHOUT_KEY_IMAGE} LIMIT ?`, most);
  }

  #first(condition: string, ...params: readonly SqlParameter[]): OwnedOutput | undefined {
    const row = this.db.bigints.row<OutputRow>(
      `SELECT ${OUTPUT_COLUMNS} FROM owned_output WHERE ${condition}`,
      ...params,
    );
    return row && toOutput(row);
  }

  #select(tail: string, ...params: readonly SqlParameter[]): OwnedOutput[] {
    return this.db.bigints
      .rows<OutputRow>(`SELECT ${OUTPUT_COLUMNS} FROM owned_output ${tail}`, ...params)
      .map(toOutput);
  }
}
