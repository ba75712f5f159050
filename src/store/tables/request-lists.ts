import type { PaymentRequest, RequestState } from '../../model/payment-request.js';
import type { NumberRange, Period } from '../../util/ranges.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { fromFlag } from './columns.js';
import { REQUEST_COLUMNS, REQUESTS, toRequest, type RequestRow } from './request-row.js';

/** Requests to list. */
export interface RequestFilter {
  /** States of the listed requests; empty: any state. */
  readonly states: readonly RequestState[];
  readonly account?: number | undefined;
  /** Reference of the listed request; absent: any reference. */
  readonly reference?: string | undefined;
  /** Text that the id, the reference, the label or the metadata of the listed requests contain. */
  readonly text?: string | undefined;
  /** False: the text is searched for in ids alone. Absent: true. */
  readonly byNotes?: boolean;
  /** Least time of creation [Unix s]. */
  readonly createdSince?: number | undefined;
  /** Least time of the latest change of terms, state or refunds [Unix s]. */
  readonly changedSince?: number | undefined;
  /** Range of the requested amount [atomic units]. */
  readonly minAmount?: bigint | undefined;
  readonly maxAmount?: bigint | undefined;
  /** Range of the payments in time that were received [atomic units]. */
  readonly minReceived?: bigint | undefined;
  readonly maxReceived?: bigint | undefined;
}

/** Members of a {@link RequestFilter} that an index can answer. */
const INDEXED: ReadonlySet<string> = new Set(['states', 'byNotes']);

/** True if an index finds the requests of a filter. */
export const isIndexed = (filter: RequestFilter): boolean =>
  filter.reference !== undefined ||
  Object.entries(filter).every(([name, value]) => INDEXED.has(name) || value === undefined);

/** Largest integer of SQLite. */
const MAX_INTEGER = (1n << 63n) - 1n;

/** Returns the parameter of a bound of an amount; null: no bound. */
const bound = (value: bigint | undefined): bigint | null =>
  value === undefined ? null : value > MAX_INTEGER ? MAX_INTEGER : value;

/** Reads lists of payment requests. */
export class RequestListReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  /** Returns the requests in some states below a number, latest first. @param states empty: any state. */
  inStates(states: readonly RequestState[], before: number, limit: number): PaymentRequest[] {
    if (states.length === 0)
      return this.db.bigints
        .rows<RequestRow>(
          `SELECT ${REQUEST_COLUMNS} FROM ${REQUESTS} WHERE p.sequence < ? ORDER BY p.sequence DESC LIMIT ?`,
          before,
          limit,
        )
        .map(toRequest);
    const found = [...new Set(states)].flatMap((state) =>
      this.db.bigints.rows<RequestRow>(
        `SELECT ${REQUEST_COLUMNS}
         FROM request_state s INDEXED BY request_state_state CROSS JOIN payment_request p USING (sequence)
         WHERE s.state = ? AND s.sequence < ? ORDER BY s.sequence DESC LIMIT ?`,
        state,
        before,
        limit,
      ),
    );
    return found
      .map(toRequest)
      .sort((a, b) => b.sequence - a.sequence)
      .slice(0, limit);
  }

  /** Returns the requests of a range of numbers that match a filter, latest first. */
  matching(filter: RequestFilter, { from, to }: NumberRange, limit: number): PaymentRequest[] {
    const { states, byNotes = true } = filter;
    return this.db.bigints
      .rows<RequestRow>(
        `SELECT ${REQUEST_COLUMNS} FROM ${REQUESTS}
         WHERE p.sequence >= :from AND p.sequence < :to
           AND (:states IS NULL OR s.state IN (SELECT value FROM json_each(:states)))
           AND (:account IS NULL OR p.account = :account) AND (:reference IS NULL OR p.reference = :reference)
           AND (:text IS NULL OR instr(p.request_id, :text) OR :byNotes AND (
             instr(p.reference, :text) OR instr(p.metadata, :text) OR instr((SELECT l.label FROM subaddress_label l
               WHERE l.major = p.account AND l.minor = p.minor), :text)))
           AND p.created >= :createdSince AND s.changed >= :changedSince
           AND (:minAmount IS NULL OR p.amount >= :minAmount) AND (:maxAmount IS NULL OR p.amount <= :maxAmount)
           AND (:minReceived IS NULL OR s.received >= :minReceived)
           AND (:maxReceived IS NULL OR s.received <= :maxReceived)
         ORDER BY p.sequence DESC LIMIT :limit`,
        {
          ...{
            from,
            to,
            limit,
            createdSince: filter.createdSince ?? 0,
            changedSince: filter.changedSince ?? 0,
          },
          states: states.length === 0 ? null : JSON.stringify(states),
          ...{
            account: filter.account ?? null,
            reference: filter.reference ?? null,
            text: filter.text ?? null,
          },
          byNotes: fromFlag(byNotes),
          ...{ minAmount: bound(filter.minAmount), maxAmount: bound(filter.maxAmount) },
          ...{ minReceived: bound(filter.minReceived), maxReceived: bound(filter.maxReceived) },
        },
      )
      .map(toRequest);
  }

  /** Returns the requests above a number that were created in a period, in the order of their numbers. */
  createdIn({ from, to }: Period, above: number, limit: number): PaymentRequest[] {
    return this.db.bigints
      .rows<RequestRow>(
        `SELECT ${REQUEST_COLUMNS} FROM ${REQUESTS}
         WHERE p.sequence > ? AND p.created >= ? AND p.created < ? ORDER BY p.sequence LIMIT ?`,
        ...[above, from, to, limit],
      )
      .map(toRequest);
  }
}
