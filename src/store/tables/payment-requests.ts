import type { Statement } from '../../util/sql-database.js';
import type { Hash } from '../../monero/crypto/types.js';
import { COINBASE_UNLOCK_BLOCKS } from '../../monero/cryptonote/constants.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { PaymentRequest, RequestState } from '../../model/payment-request.js';
import type { Db } from '../file/database.js';
import type { IdentityOf } from './event-row.js';
import { toAmount, toBytes, toColumn, toNumber } from '../sql/columns.js';
import { RequestPayments } from './request-payments.js';
import {
  REPORTABLE_COLUMNS,
  REQUEST_COLUMNS,
  toReportable,
  toRequest,
  toTracked,
  TRACKED_COLUMNS,
  type ReportableRequest,
  type ReportableRow,
  type ReportedRequest,
  type RequestRow,
  type TrackedRequest,
  type TrackedRow,
} from './request-row.js';

/** Facts of a new payment request that may be absent. */
type Optional = 'reference' | 'metadata' | 'returnUrl';

/** A new payment request. */
export interface NewRequest
  extends
    Omit<PaymentRequest, 'sequence' | 'state' | 'ended' | 'cancelled' | Optional>,
    Partial<Record<Optional, string | undefined>> {
  /** Key and hash of the parameters of the call that creates it; absent without a key. */
  readonly idempotency?: { readonly key: string; readonly paramsHash: Hash } | undefined;
}

/** Requests to list. */
export interface RequestFilter {
  /** State of the listed requests; absent: any state. */
  readonly state?: RequestState;
  /** Reference of the listed request; absent: any. */
  readonly reference?: string;
  readonly limit: number;
  /** Sequence number that the listed requests lie below. */
  readonly before: number;
}

type Column = bigint | number | string | null;

type ShortenedRow = Pick<RequestRow, 'account' | 'minor'>;

const isSame = (a: ReportedRequest, b: ReportedRequest): boolean =>
  a.state === b.state &&
  a.received === b.received &&
  a.paid === b.paid &&
  a.locked === b.locked &&
  a.late === b.late &&
  a.isExpiryReported === b.isExpiryReported &&
  a.dueHeight === b.dueHeight;

/** Returns a function that reads the identity of the payment request with an address; undefined without one. */
export function identityReader(db: Db): IdentityOf {
  const select = db
    .prepare<[number, number], Pick<RequestRow, 'request_id' | 'reference' | 'amount'>>(
      'SELECT request_id, reference, amount FROM payment_request WHERE minor = ? AND account = ?',
    )
    .safeIntegers();
  return ({ major, minor }) => {
    const row = select.get(minor, major);
    if (row === undefined) return undefined;
    return {
      requestId: row.request_id,
      ...(row.reference === null ? {} : { reference: row.reference }),
      ...(row.amount === null ? {} : { amount: toAmount(row.amount) }),
    };
  };
}

/** Reads payment requests, and the payments to their addresses. */
export class PaymentRequestReader {
  /** Returns the identity of the request with an address; undefined without one. */
  readonly identityOf: IdentityOf;
  protected readonly db: Db;
  readonly #any: Statement<[], unknown>;
  readonly #byId: Statement<[string], TrackedRow>;
  readonly #byReference: Statement<[string], TrackedRow>;
  readonly #byAddress: Statement<[number, number], TrackedRow>;
  readonly #atAddresses: Statement<[string, number], ReportableRow>;
  readonly #byToken: Statement<[Uint8Array], TrackedRow>;
  readonly #byKey: Statement<[string], TrackedRow & { readonly params_hash: Uint8Array }>;
  readonly #list: Statement<[number, number], RequestRow>;
  readonly #listState: Statement<[string, number, number], RequestRow>;
  readonly #due: Statement<[number], ReportableRow>;
  readonly #expiring: Statement<[number, number], TrackedRow>;
  readonly #nextExpiry: Statement<[], number | null>;
  readonly #awaited: Statement<[], number>;
  readonly #payments: RequestPayments;
  readonly #counts: Statement<[], { readonly state: RequestState; readonly count: number }>;
  readonly #uncontested: Statement<[], Uint8Array>;
  readonly #shortened: Statement<[{ readonly tip: number }], ShortenedRow>;

  constructor(db: Db) {
    this.db = db;
    const rows = <P extends unknown[], R = TrackedRow>(
      condition: string,
      columns = TRACKED_COLUMNS,
    ): Statement<P, R> =>
      db
        .prepare<P, R>(
          `SELECT ${columns} FROM payment_request p JOIN request_state s USING (sequence) WHERE ${condition}`,
        )
        .safeIntegers();
    this.#any = db.prepare('SELECT 1 FROM payment_request LIMIT 1');
    this.#byId = rows('request_id = ?');
    this.#byReference = rows('reference = ?');
    this.#byAddress = rows('minor = ? AND account = ?');
    // CROSS JOIN makes SQLite begin with the addresses.
    this.#atAddresses = db
      .prepare<[string, number], ReportableRow>(
        `SELECT ${REPORTABLE_COLUMNS}
         FROM json_each(?) a CROSS JOIN payment_request p ON p.minor = a.value AND p.account = ?
           CROSS JOIN request_state s USING (sequence)`,
      )
      .safeIntegers();
    this.#byToken = rows('token = ?');
    this.#byKey = rows('idempotency_key = ?', `${TRACKED_COLUMNS}, p.params_hash`);
    this.#list = rows('p.sequence < ? ORDER BY p.sequence DESC LIMIT ?', REQUEST_COLUMNS);
    this.#listState = db
      .prepare<[string, number, number], RequestRow>(
        `SELECT ${REQUEST_COLUMNS}
         FROM request_state s INDEXED BY request_state_state CROSS JOIN payment_request p USING (sequence)
         WHERE s.state = ? AND s.sequence < ? ORDER BY s.sequence DESC LIMIT ?`,
      )
      .safeIntegers();
    // CROSS JOIN makes SQLite begin with the rows that the index of heights selects.
    this.#due = db
      .prepare<[number], ReportableRow>(
        `SELECT ${REPORTABLE_COLUMNS}
         FROM request_state s INDEXED BY request_state_due CROSS JOIN payment_request p USING (sequence)
         WHERE s.due_height <= ? ORDER BY s.due_height, s.sequence`,
      )
      .safeIntegers();
    this.#expiring = rows('expires < ? AND ended = 0 ORDER BY expires, p.sequence LIMIT ?');
    this.#nextExpiry = db
      .prepare<[], number | null>(
        'SELECT min(expires) FROM payment_request WHERE expires IS NOT NULL AND ended = 0',
      )
      .pluck();
    this.#awaited = db
      .prepare<[], number>('SELECT EXISTS (SELECT 1 FROM request_state WHERE due_height IS NOT NULL)')
      .pluck();
    this.#payments = new RequestPayments(db);
    this.identityOf = identityReader(db);
    this.#counts = db.prepare('SELECT state, count(*) AS count FROM request_state GROUP BY state');
    this.#uncontested = db
      .prepare<[], Uint8Array>(
        `SELECT DISTINCT s.tx_hash FROM seen_payment s CROSS JOIN payment_request p USING (minor, account)
           JOIN arrival a USING (tx_hash, account, minor)
         WHERE p.confirmations = 0 AND a.contested = 0`,
      )
      .pluck();
    this.#shortened = db
      .prepare<[{ readonly tip: number }], ShortenedRow>(
        `SELECT account, minor FROM owned_output WHERE change = 0 AND
           height > :tip - (SELECT max(${COINBASE_UNLOCK_BLOCKS}, coalesce(max(confirmations), 0)) FROM payment_request)
         UNION SELECT account, minor FROM owned_output
           WHERE change = 0 AND unlock_time <> '0' AND NOT coinbase AND spent_height IS NULL`,
      )
      .safeIntegers();
  }

  /**
   * Returns the addresses of payments in the blocks of the chain that a longer chain may have confirmed or unlocked. Some
   * belong to no request.
   * @param tip height of the tip of the chain.
   */
  changedByShortening(tip: number): SubaddressIndex[] {
    return this.#shortened
      .all({ tip })
      .map(({ account, minor }) => ({ major: toNumber(account), minor: toNumber(minor) }));
  }

  /** True if there is no request. */
  get isEmpty(): boolean {
    return this.#any.get() === undefined;
  }

  /** True if some request waits for a height of the tip. */
  get awaitsTip(): boolean {
    return this.#awaited.get() === 1;
  }

  /** Returns a request by its id; undefined if there is none. */
  byId(requestId: string): TrackedRequest | undefined {
    return this.#one(this.#byId.get(requestId));
  }

  byReference(reference: string): TrackedRequest | undefined {
    return this.#one(this.#byReference.get(reference));
  }

  byAddress({ major, minor }: SubaddressIndex): TrackedRequest | undefined {
    return this.#one(this.#byAddress.get(minor, major));
  }

  /** Returns the requests with the given addresses of an account. */
  atAddresses(account: number, minors: readonly number[]): ReportableRequest[] {
    return this.#atAddresses.all(JSON.stringify(minors), account).map(toReportable);
  }

  byToken(token: Uint8Array): TrackedRequest | undefined {
    return this.#one(this.#byToken.get(token));
  }

  /** Returns the request that a call with a key has created, and the hash of the parameters of that call. */
  byKey(key: string): { readonly request: TrackedRequest; readonly paramsHash: Hash } | undefined {
    const row = this.#byKey.get(key);
    return row && { request: toTracked(row), paramsHash: toBytes<'Hash'>(row.params_hash) };
  }

  /** Returns requests, latest first. */
  list({ state, reference, limit, before }: RequestFilter): PaymentRequest[] {
    if (reference !== undefined) {
      const found = this.byReference(reference);
      const isListed = found && found.sequence < before && (state === undefined || found.state === state);
      return isListed === true ? [found] : [];
    }
    const rows =
      state === undefined ? this.#list.all(before, limit) : this.#listState.all(state, before, limit);
    return rows.map(toRequest);
  }

  /** Returns the requests with payments that count for more when the tip is at a height. */
  dueAt(tip: number): ReportableRequest[] {
    return this.#due.all(tip).map(toReportable);
  }

  /** Returns requests whose expiry lies before a time [Unix s] and is not recorded yet, earliest first. */
  expiring(now: number, limit: number): TrackedRequest[] {
    return this.#expiring.all(now, limit).map(toTracked);
  }

  /** Returns the earliest expiry that is not recorded yet [Unix s]; undefined if there is none. */
  nextExpiry(): number | undefined {
    return this.#nextExpiry.get() ?? undefined;
  }

  /**
   * Returns the unmined transactions that pay requests without confirmations, as far as the mempool was not seen to
   * contest them.
   */
  uncontested(): Hash[] {
    return this.#uncontested.all().map((hash) => toBytes<'Hash'>(hash));
  }

  /** Reads the payments to addresses: see {@link RequestPayments.to}. */
  paymentsTo(subaddresses: readonly SubaddressIndex[]): ReturnType<RequestPayments['to']> {
    return this.#payments.to(subaddresses);
  }

  /** Reads what addresses have received: see {@link RequestPayments.receiptsAt}. */
  receiptsAt(subaddresses: readonly SubaddressIndex[]): ReturnType<RequestPayments['receiptsAt']> {
    return this.#payments.receiptsAt(subaddresses);
  }

  /** Counts the requests by the state that their events have reported. Reads an index of a few bytes per request. */
  counts(): ReadonlyMap<RequestState, number> {
    return new Map(this.#counts.all().map(({ state, count }) => [state, count]));
  }

  #one(row: TrackedRow | undefined): TrackedRequest | undefined {
    return row && toTracked(row);
  }
}

export class PaymentRequestWriter extends PaymentRequestReader {
  /** Statements that record a state: of the sums alone, also of the state, also of the due height, of all. */
  readonly #reports: readonly Statement<Column[]>[];
  readonly #end: Statement<[number]>;
  readonly #cancel: Statement<[number, number]>;
  readonly #extend: Statement<[number | null, number]>;

  constructor(db: Db) {
    super(db);
    // SQLite writes an entry of an index anew if its column is set, even to the same value.
    this.#reports = ['', ', state = ?', ', due_height = ?', ', state = ?, due_height = ?'].map((indexed) =>
      db.prepare(
        `UPDATE request_state SET received = ?, paid = ?, locked = ?, late = ?, expiry_reported = ?${indexed}
         WHERE sequence = ?`,
      ),
    );
    this.#end = db.prepare('UPDATE payment_request SET ended = 1 WHERE sequence = ?');
    this.#cancel = db.prepare('UPDATE payment_request SET cancelled = ? WHERE sequence = ?');
    this.#extend = db.prepare('UPDATE payment_request SET expires = ?, ended = 0 WHERE sequence = ?');
  }

  /** Adds a request to an address that has received nothing. */
  add(request: NewRequest): void {
    const { subaddress, idempotency } = request;
    const { lastInsertRowid } = this.db
      .prepare(
        `INSERT INTO payment_request (request_id, token, account, minor, amount, tolerance, confirmations, created,
           first_height, expires, reference, metadata, return_url, idempotency_key, params_hash)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        ...[request.requestId, request.token, subaddress.major, subaddress.minor],
        ...[request.amount === undefined ? null : toColumn(request.amount), toColumn(request.tolerance)],
        ...[request.confirmations, request.created, request.firstHeight],
        ...[request.expires ?? null, request.reference ?? null],
        ...[request.metadata ?? null, request.returnUrl ?? null],
        ...[idempotency?.key ?? null, idempotency?.paramsHash ?? null],
      );
    this.db.prepare('INSERT INTO request_state (sequence) VALUES (?)').run(lastInsertRowid);
  }

  /**
   * Records the state of a request that its events report.
   * @param stored its recorded state; absent: not known.
   */
  report(sequence: number, reported: ReportedRequest, stored?: ReportedRequest): void {
    const { state, received, paid, locked, late, isExpiryReported, dueHeight } = reported;
    if (stored !== undefined && isSame(stored, reported)) return;
    const isStateSet = stored?.state !== state;
    const isDueSet = stored === undefined || stored.dueHeight !== dueHeight;
    const values: Column[] = [toColumn(received), toColumn(paid), toColumn(locked), toColumn(late)];
    values.push(Number(isExpiryReported));
    if (isStateSet) values.push(state);
    if (isDueSet) values.push(dueHeight ?? null);
    this.#reports[Number(isStateSet) + 2 * Number(isDueSet)]?.run(...values, sequence);
  }

  /** Records that the expiry of a request has passed. */
  end(sequence: number): void {
    this.#end.run(sequence);
  }

  /** Records that a request was cancelled at a time [Unix s]. */
  cancel(sequence: number, time: number): void {
    this.#cancel.run(time, sequence);
  }

  /** Sets a later expiry [Unix s]; undefined: none. */
  extend(sequence: number, expires: number | undefined): void {
    this.#extend.run(expires ?? null, sequence);
  }
}
