import type { Statement } from '../../util/sql-database.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { RequestPayment } from '../../monero/wallet/requests/payment-request.js';
import { amount } from '../../util/amount.js';
import { compareBytes, equalBytes, toHex } from '../../util/bytes.js';
import { toAmount, toBytes, toFlag, toNumber, type Integer } from '../sql/columns.js';
import type { Db } from '../file/database.js';
import { PoolCredits } from './pool-credits.js';

interface FoundRow {
  readonly minor: Integer;
  readonly tx_hash: Uint8Array;
  readonly amount: Integer;
  readonly timestamp: Integer;
  readonly height: Integer | null;
  readonly unlock_time: string;
  readonly contested: Integer;
  readonly arrival: Integer | null;
}

/** An account, and the minor indices of addresses as JSON list. */
interface Place {
  readonly major: number;
  readonly minors: string;
}

const toPayment = (row: FoundRow): RequestPayment => ({
  txHash: toBytes<'Hash'>(row.tx_hash),
  amount: toAmount(row.amount),
  arrival: toNumber(row.arrival === null || row.arrival > row.timestamp ? row.timestamp : row.arrival),
  height: row.height === null ? undefined : toNumber(row.height),
  unlockTime: BigInt(row.unlock_time),
  isContested: toFlag(row.contested),
});

/**
 * SQL that selects the outputs in blocks that pay addresses, and the payments to them that a rescan has not found again
 * or that are not mined. A transaction that is in one of these tables is in no other. CROSS JOIN makes SQLite begin with
 * the addresses.
 */
const PAYMENTS = `
  SELECT f.*, a.time AS arrival, f.height IS NULL AND (f.gone OR coalesce(a.contested, 0)) AS contested FROM (
    SELECT o.minor, t.tx_hash, coalesce(o.credited, o.amount) AS amount, t.timestamp, t.height, t.unlock_time, 0 AS gone
      FROM json_each(:minors) m CROSS JOIN owned_output o ON o.minor = m.value AND o.account = :major AND o.change = 0
        CROSS JOIN received_tx t USING (tx_hash)
    UNION ALL
    SELECT r.minor, r.tx_hash, r.amount, r.timestamp, r.height, r.unlock_time, 0
      FROM json_each(:minors) m CROSS JOIN reported_payment r ON r.minor = m.value AND r.account = :major
      WHERE NOT EXISTS (SELECT 1 FROM received_tx t WHERE t.tx_hash = r.tx_hash)
    UNION ALL
    SELECT s.minor, s.tx_hash, s.amount, s.timestamp, NULL, s.unlock_time, s.gone_height IS NOT NULL
      FROM json_each(:minors) m CROSS JOIN seen_payment s ON s.minor = m.value AND s.account = :major
  ) f LEFT JOIN request_arrival a ON a.minor = f.minor AND a.account = :major AND a.tx_hash = f.tx_hash`;

/** Compares two rows of an address for `sort`, in the order of their blocks; unmined payments are last. */
function inBlockOrder(a: FoundRow, b: FoundRow): number {
  if (a.height !== b.height) return a.height !== null && (b.height === null || a.height < b.height) ? -1 : 1;
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? -1 : 1;
  return compareBytes(a.tx_hash, b.tx_hash);
}

/** Returns the payments to one address: outputs of one transaction are one payment. @param rows one for each output. */
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
  readonly #payments: Statement<[Place], FoundRow>;
  readonly #poolCredits: PoolCredits;

  constructor(db: Db) {
    this.#payments = db.prepare<[Place], FoundRow>(PAYMENTS).safeIntegers();
    this.#poolCredits = new PoolCredits(db);
  }

  /**
   * Reads the payments to addresses, which have the order of their blocks; unmined ones are last.
   * @param subaddresses addresses, each once.
   * @returns a function that returns the payments to one of them.
   */
  to(subaddresses: readonly SubaddressIndex[]): (subaddress: SubaddressIndex) => readonly RequestPayment[] {
    const accounts = new Map<number, number[]>();
    for (const { major, minor } of subaddresses) listIn(accounts, major).push(minor);
    const payments = new Map(Array.from(accounts, ([major, minors]) => [major, this.#in(major, minors)]));
    return ({ major, minor }) => payments.get(major)?.get(minor) ?? [];
  }

  /** Returns the payments to addresses of an account, by minor index. */
  #in(major: number, minors: readonly number[]): ReadonlyMap<number, readonly RequestPayment[]> {
    const rows = new Map<number, FoundRow[]>();
    for (const row of this.#payments.all({ major, minors: JSON.stringify(minors) }))
      listIn(rows, toNumber(row.minor)).push(row);
    const payments = new Map<number, readonly RequestPayment[]>();
    for (const [minor, found] of rows) payments.set(minor, this.#credited({ major, minor }, group(found)));
    return payments;
  }

  /** Returns the payments to an address with the amounts that unmined ones are credited. */
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
