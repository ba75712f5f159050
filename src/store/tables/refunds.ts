import type { PayoutState } from '../../model/payout.js';
import type { Refund } from '../../model/refund.js';
import type { RefundKind } from '../../model/payout.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { toAmount, toBytes, toNumber, type Integer } from './columns.js';

/** Row of a payout that refunds a payment request. */
interface RefundRow {
  readonly request: Integer;
  readonly refund: RefundKind;
  readonly amount: Integer;
  readonly payout_id: string;
  readonly address: string;
  readonly state: PayoutState;
  readonly created: Integer;
  readonly tx_hash: Uint8Array | null;
}

const toRefund = (row: RefundRow): Refund => ({
  kind: row.refund,
  amount: toAmount(row.amount),
  payoutId: row.payout_id,
  address: row.address,
  state: row.state,
  created: toNumber(row.created),
  ...(row.tx_hash === null ? {} : { txHash: toBytes<'Hash'>(row.tx_hash) }),
});

/** Reads the refunds of payment requests, which are payouts. */
export class RefundReader {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  /** Returns the refunds of a payment request, the oldest first. @param request number of the request. */
  of(request: number): readonly Refund[] {
    return this.ofEach([request]).get(request) ?? [];
  }

  /** Returns the refunds of payment requests by the numbers of the requests; requests without refunds are left out. */
  ofEach(requests: readonly number[]): ReadonlyMap<number, readonly Refund[]> {
    const rows = this.#db.bigints.rows<RefundRow>(
      `SELECT p.request, p.refund, p.amount, p.payout_id, p.address, p.state, p.created,
         (SELECT tx_hash FROM order_tx t WHERE t.sequence = p.live_batch ORDER BY position, attempt DESC LIMIT 1) AS tx_hash
       FROM json_each(?) r CROSS JOIN payout p INDEXED BY payout_request ON p.request = r.value ORDER BY p.sequence`,
      JSON.stringify(requests),
    );
    const found = new Map<number, Refund[]>();
    for (const row of rows) {
      const request = toNumber(row.request);
      const known = found.get(request);
      if (known === undefined) found.set(request, [toRefund(row)]);
      else known.push(toRefund(row));
    }
    return found;
  }
}
