import type { Statement } from '../../util/sql-database.js';
import { lockableHeights, type LockableHeights } from '../../monero/cryptonote/unlock-time.js';
import type {
  AddressFunds,
  SpendableOutput,
  SpendableOutputSource,
} from '../../monero/wallet/select/spendable-outputs.js';
import { fromFlag, toAmount, toBytes, toFlag, toNumber, type Integer } from '../sql/columns.js';
import type { Db } from '../file/database.js';
import { FREE } from '../tables/output-row.js';
import { WITHOUT_KEY_IMAGE } from '../sql/key-index.js';
import { MAYBE_LOCKED } from '../sql/unlocked-column.js';

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

type Address = Pick<Scope, 'account'> & { readonly minor: number };

/** Lower bound of amounts [atomic units]. */
interface Bound {
  readonly least: bigint;
}

type Name = Pick<CoinRow, 'tx_hash' | 'output_index'>;

const COLUMNS = 'tx_hash, output_index, global_index, amount, minor, height, unlock_time, rct, key_image';
/** Index of the spendable outputs of an address by amount. */
const BY_SIZE = 'owned_output_by_size';
const SCOPE = `account = :account AND (:minors IS NULL OR minor IN (SELECT value FROM json_each(:minors)))`;

/** Reads the spendable outputs of an account from the store's indexes, only as many as the caller consumes. */
export class SpendableOutputReader {
  readonly #sums: Statement<[Scope], SumRow>;
  readonly #counts: Statement<[Scope & { readonly most: number }], [addresses: number, outputs: number]>;
  readonly #exceptions: Statement<[Scope & Bound & LockableHeights & { readonly blind: number }], CoinRow>;
  readonly #byAge: Statement<[Scope & Bound], Name>;
  readonly #bySize: Statement<[Address & Bound], CoinRow>;
  readonly #bySizeDown: Statement<[Address & Bound & { readonly most: number }], CoinRow>;
  readonly #largest: Statement<[Address], [amount: Integer | null]>;
  readonly #at: Statement<[Address & Bound], CoinRow>;
  readonly #each: Statement<[Address & Bound], Name>;
  readonly #nth: Statement<[Address & { readonly place: number }], Name>;
  readonly #byName: Statement<[Name], CoinRow>;

  constructor(db: Db) {
    const rows = <P extends unknown[], Row = CoinRow>(sql: string): Statement<P, Row> =>
      db.prepare<P, Row>(sql).safeIntegers();
    const coins = (condition: string, index?: string): string =>
      `SELECT ${COLUMNS} FROM owned_output ${index === undefined ? '' : `INDEXED BY ${index}`} WHERE ${condition}`;
    this.#sums = rows(
      `SELECT minor, free_count AS count, free_total AS total FROM address_sum WHERE ${SCOPE} AND free_count > 0`,
    );
    this.#counts = db
      .prepare<[Scope & { readonly most: number }], [addresses: number, outputs: number]>(
        `SELECT count(*), coalesce(sum(free_count), 0) FROM
           (SELECT free_count FROM address_sum WHERE ${SCOPE} AND free_count > 0 LIMIT :most)`,
      )
      .raw();
    // One query per index. UNION lists an output once that several queries find.
    this.#exceptions = rows(
      [
        coins(`${FREE} AND ${SCOPE} AND ${MAYBE_LOCKED.recent}`, 'owned_output_by_age'),
        coins(`${FREE} AND ${SCOPE} AND ${MAYBE_LOCKED.older}`, 'owned_output_lock'),
        coins(`${FREE} AND ${SCOPE} AND ${WITHOUT_KEY_IMAGE} AND NOT :blind`, 'owned_output_key_image'),
        coins(`${FREE} AND ${SCOPE} AND rct = 0`, 'owned_output_plain'),
        `SELECT ${COLUMNS.replace('minor', 'owned_output.minor')}
         FROM (SELECT account, minor FROM address_sum WHERE ${SCOPE} AND free_count > 0) AS address
         CROSS JOIN owned_output INDEXED BY ${BY_SIZE} USING (account, minor) WHERE ${FREE} AND amount < :least`,
      ].join(' UNION '),
    );
    this.#byAge = rows(
      `SELECT tx_hash, output_index FROM owned_output WHERE ${FREE} AND ${SCOPE} AND amount >= :least
       ORDER BY height, global_index, tx_hash, output_index`,
    );
    const place = 'account = :account AND minor = :minor';
    const address = `${FREE} AND ${place}`;
    this.#bySize = rows(
      `${coins(`${address} AND amount >= :least`, BY_SIZE)} ORDER BY amount, height, global_index, tx_hash, output_index`,
    );
    this.#bySizeDown = rows(
      `${coins(`${address} AND amount >= :least`, BY_SIZE)}
       ORDER BY amount DESC, height DESC, global_index DESC, tx_hash DESC, output_index DESC LIMIT :most`,
    );
    this.#largest = rows<[Address], [amount: Integer | null]>(
      `SELECT max(amount) FROM owned_output INDEXED BY ${BY_SIZE} WHERE ${address}`,
    ).raw();
    this.#at = rows(
      `${coins(`${address} AND amount >= :least`, BY_SIZE)} ORDER BY height, global_index, tx_hash, output_index`,
    );
    this.#each = rows(
      `SELECT tx_hash, output_index FROM owned_output INDEXED BY owned_output_by_age
       WHERE ${FREE} AND ${place} AND amount >= :least ORDER BY height, global_index, tx_hash, output_index`,
    );
    this.#nth = rows(
      `SELECT tx_hash, output_index FROM owned_output INDEXED BY ${BY_SIZE} WHERE ${address}
       ORDER BY amount, height, global_index LIMIT 1 OFFSET :place`,
    );
    this.#byName = rows(coins('tx_hash = :tx_hash AND output_index = :output_index'));
  }

  /**
   * Returns true if an account has at most a given number of addresses with spendable outputs, and at most a given
   * number of such outputs on them.
   * @param minors minor indices of the addresses; empty: every address of the account.
   */
  hasAtMost(
    account: number,
    minors: readonly number[],
    { addresses, outputs }: { readonly addresses: number; readonly outputs: number },
  ): boolean {
    const [found = 0, count = 0] =
      this.#counts.get({ ...scopeOf(account, minors), most: addresses + 1 }) ?? [];
    return found <= addresses && count <= outputs;
  }

  /**
   * Returns the source of the spendable outputs of an account.
   * @param minors minor indices of the addresses; empty: every address.
   */
  of(account: number, minors: readonly number[] = []): SpendableOutputSource {
    const scope = scopeOf(account, minors);
    const coin = (row: CoinRow): SpendableOutput => toCoin(row, account);
    return {
      sums: () => this.#sums.all(scope).map(toFunds),
      exceptions: ({ chainHeight, blind }, least) =>
        this.#exceptions
          .all({ ...scope, least, ...lockableHeights(chainHeight), blind: fromFlag(blind) })
          .map(coin),
      byAge: (least) => this.#withRows(this.#byAge.iterate({ ...scope, least }), coin),
      bySize: (minor, least) => eachOf(this.#bySize.iterate({ account, minor, least }), coin),
      bySizeDown: (minor, least, most) => this.#bySizeDown.all({ account, minor, least, most }).map(coin),
      largest: (minor) => this.#largest.get({ account, minor })?.[0] ?? 0n,
      at: (minor, least) => this.#at.all({ account, minor, least }).map(coin),
      each: (minor, least) => this.#withRows(this.#each.iterate({ account, minor, least }), coin),
      nth: (minor, place) => {
        const [found] = this.#withRows(this.#nth.all({ account, minor, place }), coin);
        return found;
      },
    };
  }

  /** Reads the complete row of each named output. */
  *#withRows<T>(names: Iterable<Name>, make: (row: CoinRow) => T): Iterable<T> {
    for (const name of names) {
      const row = this.#byName.get(name);
      if (row !== undefined) yield make(row);
    }
  }
}

const scopeOf = (account: number, minors: readonly number[]): Scope => ({
  account,
  minors: minors.length === 0 ? null : JSON.stringify(minors),
});

function* eachOf<A, B>(items: Iterable<A>, make: (item: A) => B): Iterable<B> {
  for (const item of items) yield make(item);
}

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
  ...(row.key_image === null ? {} : { keyImage: toBytes<'KeyImage'>(row.key_image) }),
});
