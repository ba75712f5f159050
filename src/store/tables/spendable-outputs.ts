import { lockableHeights } from '../../monero/cryptonote/unlock-time.js';
import {
  nameOf,
  type AddressFunds,
  type OutputRef,
  type SpendableOutput,
  type SpendableOutputSource,
  type SpendableTerms,
} from '../../monero/wallet/select/spendable-outputs.js';
import {
  fromFlag,
  toAmount,
  toBytes,
  toFlag,
  toNumber,
  type Integer,
  WITHOUT_KEY_IMAGE,
  MAYBE_LOCKED,
} from './columns.js';
import type { SqlDatabase, SqlQueries } from '../../util/sql-database.js';
import { FREE } from './output-row.js';

interface CoinRow {
  readonly tx_hash: Uint8Array;
  readonly output_index: Integer;
  readonly global_index: Integer;
  readonly amount: Integer;
  readonly minor: Integer;
  readonly height: Integer;
  readonly unlock_time: string;
  readonly rct: Integer;
  readonly key_image: Uint8Array | null;
  readonly is_carrot: Integer;
}

interface SumRow {
  readonly minor: Integer;
  readonly count: Integer;
  readonly total: Integer;
}

/** Account, and minor indices as a JSON list; null selects every address. */
interface Scope {
  readonly account: number;
  readonly minors: string | null;
}

type Name = Pick<CoinRow, 'tx_hash' | 'output_index'>;

const COLUMNS =
  'tx_hash, output_index, global_index, amount, minor, height, unlock_time, rct, key_image, carrot IS NOT NULL AS is_carrot';
/** Index of the spendable outputs of an address by amount. */
const BY_SIZE = 'owned_output_by_size';
const SCOPE = `account = :account AND (:minors IS NULL OR minor IN (SELECT value FROM json_each(:minors)))`;

/** SQL condition of the spendable outputs of one address. */
const ADDRESS = `${FREE} AND account = :account AND minor = :minor`;

/**
 * SQL that selects the columns of outputs.
 * @param index index that SQLite must use; absent: SQLite chooses the index.
 */
const coins = (condition: string, index?: string): string =>
  `SELECT ${COLUMNS} FROM owned_output ${index === undefined ? '' : `INDEXED BY ${index}`} WHERE ${condition}`;

/** Reads the spendable outputs of an account from the store's indexes, only as many as the caller consumes. */
export class SpendableOutputReader {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  /** Counts the outputs of an account that are neither spent nor frozen, locked outputs too, up to a number. */
  countUpTo(most: number, account: number): number {
    return (
      this.#db.value<number>(
        `SELECT count(*) FROM (SELECT 1 FROM owned_output WHERE ${FREE} AND account = ? LIMIT ?)`,
        account,
        most,
      ) ?? 0
    );
  }

  /**
   * Counts the outputs of an account that are neither spent nor frozen nor locked, up to a number. Leaves out young
   * outputs with an unlock time even if it has passed. @param chainHeight number of blocks.
   */
  countOpenUpTo(most: number, account: number, chainHeight: number): number {
    return (
      this.#db.value<number>(
        `SELECT count(*) FROM (SELECT 1 FROM owned_output WHERE ${FREE} AND account = :account
           AND NOT (${MAYBE_LOCKED.recent}) LIMIT :most)`,
        { account, most, ...lockableHeights(chainHeight) },
      ) ?? 0
    );
  }

  /**
   * Returns true if an account has at most a given number of addresses with spendable outputs, and at most a given
   * number of spendable outputs on these addresses.
   * @param minors minor indices of the addresses; empty: every address of the account.
   */
  hasAtMost(
    account: number,
    minors: readonly number[],
    { addresses, outputs }: { readonly addresses: number; readonly outputs: number },
  ): boolean {
    const [found = 0, count = 0] =
      this.#db.arrays.row<[addresses: number, outputs: number]>(
        `SELECT count(*), coalesce(sum(free_count), 0) FROM
           (SELECT free_count FROM address_sum WHERE ${SCOPE} AND free_count > 0 LIMIT :most)`,
        { ...scopeOf(account, minors), most: addresses + 1 },
      ) ?? [];
    return found <= addresses && count <= outputs;
  }

  /**
   * Returns the source of the spendable outputs of an account.
   * @param minors minor indices of the addresses; empty: every address.
   */
  of(account: number, minors: readonly number[] = []): SpendableOutputSource {
    return new StoredOutputSource(this.#db, account, minors);
  }
}

/** Spendable outputs of an account in a store. */
class StoredOutputSource implements SpendableOutputSource {
  readonly #db: SqlQueries;
  readonly #account: number;
  readonly #scope: Scope;

  constructor(db: SqlDatabase, account: number, minors: readonly number[]) {
    this.#db = db.bigints;
    this.#account = account;
    this.#scope = scopeOf(account, minors);
  }

  sums(): AddressFunds[] {
    return this.#db
      .rows<SumRow>(
        `SELECT minor, free_count AS count, free_total AS total FROM address_sum WHERE ${SCOPE} AND free_count > 0`,
        this.#scope,
      )
      .map(toFunds);
  }

  exceptions({ chainHeight, blind, held = [] }: SpendableTerms, least: bigint): SpendableOutput[] {
    // The statement has one query per index. UNION lists an output only once, even if several queries find it.
    const sql = [
      coins(`${FREE} AND ${SCOPE} AND ${MAYBE_LOCKED.recent}`, 'owned_output_by_age'),
      coins(`${FREE} AND ${SCOPE} AND ${MAYBE_LOCKED.older}`, 'owned_output_lock'),
      coins(`${FREE} AND ${SCOPE} AND ${WITHOUT_KEY_IMAGE} AND NOT :blind`, 'owned_output_key_image'),
      coins(`${FREE} AND ${SCOPE} AND rct = 0`, 'owned_output_plain'),
      coins(`${FREE} AND ${SCOPE} AND carrot IS NOT NULL`, 'owned_output_carrot'),
      `SELECT ${COLUMNS.replace('minor', 'owned_output.minor')}
       FROM (SELECT account, minor FROM address_sum WHERE ${SCOPE} AND free_count > 0) AS address
       CROSS JOIN owned_output INDEXED BY ${BY_SIZE} USING (account, minor) WHERE ${FREE} AND amount < :least`,
    ].join(' UNION ');
    const params = { ...this.#scope, least, ...lockableHeights(chainHeight), blind: fromFlag(blind) };
    const found = this.#db.rows<CoinRow>(sql, params).map((row) => this.#toCoin(row));
    const names = new Set(held.map(nameOf));
    if (names.size > 0) for (const coin of found) names.delete(nameOf(coin));
    const others = held.filter((output) => names.has(nameOf(output)));
    return [...found, ...others.flatMap((output) => this.#find(output) ?? [])];
  }

  /** Finds an unspent output of the account and its addresses by its name. */
  #find({ txHash, outputIndex }: OutputRef): SpendableOutput | undefined {
    const row = this.#db.row<CoinRow>(
      coins(`${FREE} AND ${SCOPE} AND tx_hash = :txHash AND output_index = :outputIndex`),
      { ...this.#scope, txHash, outputIndex },
    );
    return row && this.#toCoin(row);
  }

  byAge(least: bigint): Iterable<SpendableOutput> {
    return this.#named(
      this.#db.each<Name>(
        `SELECT tx_hash, output_index FROM owned_output WHERE ${FREE} AND ${SCOPE} AND amount >= :least
         ORDER BY height, global_index, tx_hash, output_index`,
        { ...this.#scope, least },
      ),
    );
  }

  *bySize(minor: number, least: bigint): Iterable<SpendableOutput> {
    const rows = this.#db.each<CoinRow>(
      `${coins(`${ADDRESS} AND amount >= :least`, BY_SIZE)} ORDER BY amount, height, global_index, tx_hash, output_index`,
      { account: this.#account, minor, least },
    );
    for (const row of rows) yield this.#toCoin(row);
  }

  bySizeDown(minor: number, least: bigint, most: number): SpendableOutput[] {
    return this.#db
      .rows<CoinRow>(
        `${coins(`${ADDRESS} AND amount >= :least`, BY_SIZE)}
         ORDER BY amount DESC, height DESC, global_index DESC, tx_hash DESC, output_index DESC LIMIT :most`,
        { account: this.#account, minor, least, most },
      )
      .map((row) => this.#toCoin(row));
  }

  largest(minor: number): bigint {
    const largest = this.#db.value<bigint | null>(
      `SELECT max(amount) FROM owned_output INDEXED BY ${BY_SIZE} WHERE ${ADDRESS}`,
      { account: this.#account, minor },
    );
    return largest ?? 0n;
  }

  at(minor: number, least: bigint): SpendableOutput[] {
    return this.#db
      .rows<CoinRow>(
        `${coins(`${ADDRESS} AND amount >= :least`, BY_SIZE)} ORDER BY height, global_index, tx_hash, output_index`,
        { account: this.#account, minor, least },
      )
      .map((row) => this.#toCoin(row));
  }

  each(minor: number, least: bigint): Iterable<SpendableOutput> {
    return this.#named(
      this.#db.each<Name>(
        `SELECT tx_hash, output_index FROM owned_output INDEXED BY owned_output_by_age
         WHERE ${ADDRESS} AND amount >= :least ORDER BY height, global_index, tx_hash, output_index`,
        { account: this.#account, minor, least },
      ),
    );
  }

  nth(minor: number, place: number): SpendableOutput | undefined {
    const names = this.#db.rows<Name>(
      `SELECT tx_hash, output_index FROM owned_output INDEXED BY ${BY_SIZE} WHERE ${ADDRESS}
       ORDER BY amount, height, global_index LIMIT 1 OFFSET :place`,
      { account: this.#account, minor, place },
    );
    const [found] = this.#named(names);
    return found;
  }

  /** Reads the complete row of each named output. */
  *#named(names: Iterable<Name>): Iterable<SpendableOutput> {
    for (const name of names) {
      const row = this.#db.row<CoinRow>(coins('tx_hash = :tx_hash AND output_index = :output_index'), name);
      if (row !== undefined) yield this.#toCoin(row);
    }
  }

  #toCoin(row: CoinRow): SpendableOutput {
    return toCoin(row, this.#account);
  }
}

const scopeOf = (account: number, minors: readonly number[]): Scope => ({
  account,
  minors: minors.length === 0 ? null : JSON.stringify(minors),
});

const toFunds = ({ minor, count, total }: SumRow): AddressFunds => ({
  minor: toNumber(minor),
  count: toNumber(count),
  total,
});

const toCoin = (row: CoinRow, account: number): SpendableOutput => ({
  txHash: toBytes<'Hash'>(row.tx_hash),
  outputIndex: toNumber(row.output_index),
  globalIndex: toNumber(row.global_index),
  amount: toAmount(row.amount),
  subaddress: { major: account, minor: toNumber(row.minor) },
  height: toNumber(row.height),
  unlockTime: BigInt(row.unlock_time),
  rct: toFlag(row.rct),
  ...(toFlag(row.is_carrot) ? { carrot: {} } : {}),
  ...(row.key_image === null ? {} : { keyImage: toBytes<'KeyImage'>(row.key_image) }),
});
