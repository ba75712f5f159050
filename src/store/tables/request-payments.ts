import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { Receipt, RequestPayment } from '../../model/payment-request.js';
import { amount } from '../../util/amount.js';
import { compareBytes, equalBytes, toHex } from '../../util/bytes.js';
import { toAmount, toBytes, toFlag, toNumber, type Integer } from './columns.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { PoolCredits } from './pool.js';

interface ReceiptRow {
  readonly minor: Integer;
  readonly amount: Integer;
  readonly timestamp: Integer;
  readonly height: Integer | null;
  readonly unlock_time: string;
  readonly contested: Integer;
  readonly arrival: Integer | null;
  readonly since: Integer | null;
  readonly confirmed_to: Integer | null;
  readonly accepted: Integer | null;
}

interface FoundRow extends ReceiptRow {
  readonly tx_hash: Uint8Array;
  readonly seen_by: Integer | null;
  readonly priority: Integer | null;
}

/** An account, and the minor indices of addresses as JSON list. */
interface Place {
  readonly major: number;
  readonly minors: string;
}

const present = (column: Integer | null): number | undefined =>
  column === null ? undefined : toNumber(column);

const toReceipt = (row: ReceiptRow): Receipt => ({
  amount: toAmount(row.amount),
  arrival: toNumber(row.arrival ?? row.timestamp),
  earliestArrival: present(row.since),
  height: present(row.height),
  confirmedTo: present(row.confirmed_to),
  unlockTime: BigInt(row.unlock_time),
  isContested: toFlag(row.contested),
  ...(row.accepted === null ? {} : { isAccepted: true }),
});

const toPayment = (row: FoundRow): RequestPayment => ({
  txHash: toBytes<'Hash'>(row.tx_hash),
  ...toReceipt(row),
  ...(row.seen_by === null || row.priority === null
    ? {}
    : { signals: { seenBy: toNumber(row.seen_by), priority: toNumber(row.priority) } }),
});

/** SQL that joins the arrival of a payment, if it is recorded. @param of alias of the table of the payment. */
const arrivalOf = (of: string): string =>
  `LEFT JOIN arrival a ON a.tx_hash = ${of}.tx_hash AND a.account = :major AND a.minor = ${of}.minor`;

/**
 * SQL of the height of the tip by which a mined payment was confirmed before a running rescan; NULL if no rescan runs.
 * The height is at most the height of the tip from which the rescan began, because the loss of an earlier, higher chain
 * took back its confirmations.
 * @param of alias of the table of the payment.
 */
const confirmedTo = (of: string): string => `
  (SELECT min(CAST(k.value AS INTEGER), coalesce(
      (SELECT f.tip FROM fresh_payment f
       WHERE f.tx_hash = ${of}.tx_hash AND f.account = :major AND f.minor = ${of}.minor),
      CAST(k.value AS INTEGER)))
    FROM meta k WHERE k.key = 'rescan_to') AS confirmed_to`;

/** Columns of a {@link ReceiptRow} of an output in a block. */
const MINED_COLUMNS = `o.minor, coalesce(o.credited, o.amount) AS amount, t.timestamp, t.height, t.unlock_time,
  a.time AS arrival, NULL AS since, 0 AS contested, a.accepted, ${confirmedTo('o')}`;

/**
 * Returns SQL that selects the outputs in blocks that pay addresses. CROSS JOIN makes SQLite begin with the addresses.
 */
const minedSql = (columns: string): string => `
  SELECT ${columns}
    FROM json_each(:minors) m CROSS JOIN owned_output o ON o.minor = m.value AND o.account = :major AND o.change = 0
      CROSS JOIN received_tx t USING (tx_hash) ${arrivalOf('o')}`;

/**
 * SQL that selects the payments to addresses that a rescan has not found again or that are not mined. A transaction is
 * in only one of these tables.
 */
const OTHERS = `
  SELECT r.minor, r.tx_hash, r.amount, r.timestamp, r.height, r.unlock_time, a.time AS arrival, NULL AS since,
      0 AS contested, a.accepted, ${confirmedTo('r')}, a.seen_by, a.priority
    FROM json_each(:minors) m CROSS JOIN reported_payment r ON r.minor = m.value AND r.account = :major
      ${arrivalOf('r')}
    WHERE NOT EXISTS (SELECT 1 FROM received_tx t WHERE t.tx_hash = r.tx_hash)
  UNION ALL
  SELECT s.minor, s.tx_hash, s.amount, s.timestamp, NULL, s.unlock_time, a.time, a.since,
      s.gone_height IS NOT NULL OR coalesce(a.contested, 0), a.accepted, NULL, a.seen_by, a.priority
    FROM json_each(:minors) m CROSS JOIN seen_payment s ON s.minor = m.value AND s.account = :major
      ${arrivalOf('s')}`;

/** Compares two rows of an address for `sort`, in the order of their blocks; unmined payments are last. */
function inBlockOrder(a: FoundRow, b: FoundRow): number {
  if (a.height !== b.height) return a.height !== null && (b.height === null || a.height < b.height) ? -1 : 1;
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? -1 : 1;
  return compareBytes(a.tx_hash, b.tx_hash);
}

/** Returns the data of the payments to an address. */
type ByAddress<T> = (subaddress: SubaddressIndex) => readonly T[];

/** Reads the payments to addresses, account by account. @param read returns the data of one account by minor index. */
function inAccounts<T>(
  subaddresses: readonly SubaddressIndex[],
  read: (place: Place) => ReadonlyMap<number, readonly T[]>,
): ByAddress<T> {
  const accounts = new Map<number, number[]>();
  for (const { major, minor } of subaddresses) listIn(accounts, major).push(minor);
  const found = new Map(
    Array.from(accounts, ([major, minors]) => [major, read({ major, minors: JSON.stringify(minors) })]),
  );
  return ({ major, minor }) => found.get(major)?.get(minor) ?? [];
}

/**
 * Returns the payments to one address: outputs of one transaction are one payment.
 * @param rows one row for each output.
 */
function group(rows: FoundRow[]): RequestPayment[] {
  if (rows.length > 1) rows.sort(inBlockOrder);
  const payments: RequestPayment[] = [];
  for (const row of rows) {
    const payment = toPayment(row);
    const last = payments.at(-1);
    if (last !== undefined && equalBytes(last.txHash, payment.txHash))
      payments[payments.length - 1] = { ...last, amount: amount(last.amount + payment.amount) };
    else payments.push(payment);
  }
  return payments.filter((payment) => payment.amount > 0n);
}

/** Returns the list of a key in a map, which is added if it is missing. */
function listIn<T>(map: Map<number, T[]>, key: number): T[] {
  const known = map.get(key);
  if (known !== undefined) return known;
  const list: T[] = [];
  map.set(key, list);
  return list;
}

/** Reads the payments to addresses of payment requests. */
export class RequestPayments {
  readonly #db: SqlDatabase;
  readonly #poolCredits: PoolCredits;

  constructor(db: SqlDatabase) {
    this.#db = db;
    this.#poolCredits = new PoolCredits(db);
  }

  /**
   * Reads the payments to addresses, which have the order of their blocks; unmined payments are last.
   * @param subaddresses addresses, each once.
   * @returns a function that returns the payments to one address.
   */
  to(subaddresses: readonly SubaddressIndex[]): ByAddress<RequestPayment> {
    return inAccounts(subaddresses, (place) => {
      const rows = new Map<number, FoundRow[]>();
      for (const row of this.#db.bigints.rows<FoundRow>(
        minedSql(`o.tx_hash, a.seen_by, a.priority, ${MINED_COLUMNS}`),
        place,
      ))
        listIn(rows, toNumber(row.minor)).push(row);
      for (const row of this.#othersAt(place)) listIn(rows, toNumber(row.minor)).push(row);
      return this.#paymentsOf(place, rows);
    });
  }

  /**
   * Reads the receipts of addresses, in any order. They have the same sums as the payments {@link to} the addresses,
   * but the outputs of a payment may be separate receipts.
   * @param subaddresses addresses, each once. @returns a function that returns the receipts of one address.
   */
  receiptsAt(subaddresses: readonly SubaddressIndex[]): ByAddress<Receipt> {
    return inAccounts(subaddresses, (place) => {
      const receipts = new Map<number, Receipt[]>();
      for (const row of this.#db.bigints.rows<ReceiptRow>(minedSql(MINED_COLUMNS), place))
        if (row.amount > 0n) listIn(receipts, toNumber(row.minor)).push(toReceipt(row));
      const rows = new Map<number, FoundRow[]>();
      for (const row of this.#othersAt(place)) listIn(rows, toNumber(row.minor)).push(row);
      for (const [minor, payments] of this.#paymentsOf(place, rows))
        listIn(receipts, minor).push(...payments);
      return receipts;
    });
  }

  /** Returns the payments to addresses that are not mined, or that a rescan has not found again. */
  #othersAt(place: Place): FoundRow[] {
    const any = this.#db.value<number>(
      'SELECT EXISTS (SELECT 1 FROM seen_payment) OR EXISTS (SELECT 1 FROM reported_payment)',
    );
    return any === 1 ? this.#db.bigints.rows<FoundRow>(OTHERS, place) : [];
  }

  /** Returns the payments of rows by minor index. */
  #paymentsOf(
    { major }: Place,
    rows: ReadonlyMap<number, FoundRow[]>,
  ): ReadonlyMap<number, readonly RequestPayment[]> {
    const payments = new Map<number, readonly RequestPayment[]>();
    for (const [minor, found] of rows) payments.set(minor, this.#credited({ major, minor }, group(found)));
    return payments;
  }

  /** Returns the payments to an address with the credited amounts of unmined payments. */
  #credited(subaddress: SubaddressIndex, payments: readonly RequestPayment[]): readonly RequestPayment[] {
    if (payments.every(({ height }) => height !== undefined)) return payments;
    const credits = this.#poolCredits.of(subaddress);
    return payments
      .map((payment) =>
        payment.height === undefined
          ? { ...payment, amount: credits.get(toHex(payment.txHash)) ?? payment.amount }
          : payment,
      )
      .filter((payment) => payment.amount > 0n);
  }
}
