import type { Statement } from '../../util/sql-database.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { RequestPayment } from '../../monero/wallet/requests/payment-request.js';
import { toHex } from '../../util/bytes.js';
import { toAmount, toBytes, toFlag, toNumber, type Integer } from '../sql/columns.js';
import type { Db } from '../file/database.js';
import { PoolCredits } from './pool-credits.js';

interface FoundRow {
  readonly tx_hash: Uint8Array;
  readonly amount: Integer;
  readonly timestamp: Integer;
  readonly height: Integer | null;
  readonly unlock_time: string;
  readonly contested: Integer;
  readonly arrival: Integer | null;
}

const toPayment = (row: FoundRow): RequestPayment => ({
  txHash: toBytes<'Hash'>(row.tx_hash),
  amount: toAmount(row.amount),
  arrival: toNumber(row.arrival === null || row.arrival > row.timestamp ? row.timestamp : row.arrival),
  ...(row.height === null ? {} : { height: toNumber(row.height) }),
  unlockTime: BigInt(row.unlock_time),
  isContested: toFlag(row.contested),
});

/**
 * SQL that selects the payments to one address: those in blocks, those that a rescan has not found again, and those that
 * are not mined. A transaction that is in one of these tables is in no other.
 */
const PAYMENTS = `
  SELECT f.*, a.time AS arrival, f.height IS NULL AND (f.gone OR coalesce(a.contested, 0)) AS contested FROM (
    SELECT t.tx_hash, sum(coalesce(o.credited, o.amount)) AS amount, t.timestamp, t.height, t.unlock_time, 0 AS gone
      FROM owned_output o CROSS JOIN received_tx t USING (tx_hash)
      WHERE o.minor = :minor AND o.account = :major AND o.change = 0 GROUP BY t.tx_hash
    UNION ALL
    SELECT r.tx_hash, r.amount, r.timestamp, r.height, r.unlock_time, 0 FROM reported_payment r
      WHERE r.minor = :minor AND r.account = :major AND NOT EXISTS (SELECT 1 FROM received_tx t WHERE t.tx_hash = r.tx_hash)
    UNION ALL
    SELECT s.tx_hash, s.amount, s.timestamp, NULL, s.unlock_time, s.gone_height IS NOT NULL
      FROM seen_payment s WHERE s.minor = :minor AND s.account = :major
  ) f LEFT JOIN request_arrival a ON a.minor = :minor AND a.account = :major AND a.tx_hash = f.tx_hash
  WHERE f.amount > 0
  ORDER BY coalesce(f.height, ${Number.MAX_SAFE_INTEGER}), f.timestamp, f.tx_hash`;

/** Reads the payments to addresses of payment requests. */
export class RequestPayments {
  readonly #payments: Statement<[{ readonly major: number; readonly minor: number }], FoundRow>;
  readonly #poolCredits: PoolCredits;

  constructor(db: Db) {
    this.#payments = db
      .prepare<[{ readonly major: number; readonly minor: number }], FoundRow>(PAYMENTS)
      .safeIntegers();
    this.#poolCredits = new PoolCredits(db);
  }

  /** Returns the payments to an address in the order of their blocks; unmined ones are last. */
  to({ major, minor }: SubaddressIndex): RequestPayment[] {
    const payments = this.#payments.all({ major, minor }).map(toPayment);
    if (payments.every(({ height }) => height !== undefined)) return payments;
    const credits = this.#poolCredits.of({ major, minor });
    return payments
      .map((payment) =>
        payment.height === undefined
          ? { ...payment, amount: credits.get(toHex(payment.txHash)) ?? payment.amount }
          : payment,
      )
      .filter((payment) => payment.amount > 0n);
  }
}
