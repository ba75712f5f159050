import type { Hash } from '../../monero/crypto/types.js';
import { COINBASE_UNLOCK_BLOCKS } from '../../monero/cryptonote/constants.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { KeyedCall } from '../../model/keyed-call.js';
import type { PaymentRequest, RequestPrice, RequestState } from '../../model/payment-request.js';
import type { NumberRange, Period } from '../../util/ranges.js';
import type { SqlDatabase, SqlParameter } from '../../util/sql-database.js';
import type { IdentityOf } from './event-row.js';
import { fromFlag, toAmount, toBytes, toColumn, toNumber, type Integer } from './columns.js';
import { IdempotencyKeys } from './idempotency-keys.js';
import { RequestPayments } from './request-payments.js';
import {
  REPORTABLE_COLUMNS,
  REQUEST_COLUMNS,
  ruleText,
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
type Optional =
  | 'reference'
  | 'metadata'
  | 'returnUrl'
  | 'returnsAuto'
  | 'price'
  | 'locale'
  | 'asksRefundAddress'
  | 'refundAddress'
  | 'zeroConf';

/** A new payment request. */
export interface NewRequest
  extends
    Omit<PaymentRequest, 'sequence' | 'state' | 'changed' | 'ended' | 'cancelled' | Optional>,
    Partial<{ [name in Optional]: PaymentRequest[name] | undefined }> {
  /** Call that creates it; absent without a key. */
  readonly call?: KeyedCall | undefined;
}

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

/** A payment in the mempool to a request with a rule. */
export interface PooledPayment {
  readonly txHash: Hash;
  /** Number of the request. */
  readonly request: number;
  /** Time of its arrival [Unix s]. */
  readonly arrival: number;
  /** True if it met the rule. */
  readonly isAccepted: boolean;
  /** Priority of its fee; absent: not known yet. */
  readonly priority?: number;
  /** Number of nodes whose mempools contained it at the last look. */
  readonly seenBy: number;
}

interface PooledRow {
  readonly tx_hash: Uint8Array;
  readonly sequence: Integer;
  readonly time: Integer;
  readonly seen_by: Integer | null;
  readonly priority: Integer | null;
  readonly accepted: Integer | null;
}

/** Largest integer of SQLite. */
const MAX_INTEGER = (1n << 63n) - 1n;

/** Returns the parameter of a bound of an amount; null: no bound. */
const bound = (value: bigint | undefined): bigint | null =>
  value === undefined ? null : value > MAX_INTEGER ? MAX_INTEGER : value;

/** SQL source of requests `p` with their reported states `s`. */
const REQUESTS = 'payment_request p JOIN request_state s USING (sequence)';

type ShortenedRow = Pick<RequestRow, 'account' | 'minor'>;

const isSame = (a: ReportedRequest, b: ReportedRequest): boolean =>
  a.state === b.state &&
  a.received === b.received &&
  a.paid === b.paid &&
  a.locked === b.locked &&
  a.late === b.late &&
  a.isExpiryReported === b.isExpiryReported &&
  a.dueHeight === b.dueHeight;

/**
 * Returns a function that reads the identity of the payment request with an address; undefined if there is no such
 * request.
 */
export function identityReader(db: SqlDatabase): IdentityOf {
  return ({ major, minor }) => {
    const row = db.bigints.row<Pick<RequestRow, 'request_id' | 'reference' | 'amount' | 'price'>>(
      'SELECT request_id, reference, amount, price FROM payment_request WHERE minor = ? AND account = ?',
      minor,
      major,
    );
    if (row === undefined) return undefined;
    return {
      requestId: row.request_id,
      ...(row.reference === null ? {} : { reference: row.reference }),
      ...(row.amount === null ? {} : { amount: toAmount(row.amount) }),
      ...(row.price === null ? {} : { price: JSON.parse(row.price) as RequestPrice }),
    };
  };
}

/** Reads payment requests, and the payments to their addresses. */
export class PaymentRequestReader {
  /** Returns the identity of the request with an address; undefined if there is no such request. */
  readonly identityOf: IdentityOf;
  protected readonly db: SqlDatabase;
  protected readonly keys: IdempotencyKeys;
  readonly #payments: RequestPayments;

  constructor(db: SqlDatabase) {
    this.db = db;
    this.keys = new IdempotencyKeys(db, 'request');
    this.#payments = new RequestPayments(db);
    this.identityOf = identityReader(db);
  }

  /**
   * Returns the addresses of payments in the blocks of the chain that a longer chain may have confirmed or unlocked.
   * Some of these addresses belong to no request.
   * @param tip height of the tip of the chain.
   */
  changedByShortening(tip: number): SubaddressIndex[] {
    return this.db.bigints
      .rows<ShortenedRow>(
        `SELECT account, minor FROM owned_output WHERE change = 0 AND
           height > :tip - (SELECT max(${COINBASE_UNLOCK_BLOCKS}, coalesce(max(confirmations), 0)) FROM payment_request)
         UNION SELECT account, minor FROM owned_output
           WHERE change = 0 AND unlock_time <> '0' AND NOT coinbase AND spent_height IS NULL`,
        { tip },
      )
      .map(({ account, minor }) => ({ major: toNumber(account), minor: toNumber(minor) }));
  }

  /** True if there is no request. */
  get isEmpty(): boolean {
    return this.db.row('SELECT 1 FROM payment_request LIMIT 1') === undefined;
  }

  /** True if some request waits for a height of the tip. */
  get awaitsTip(): boolean {
    return (
      this.db.value<number>('SELECT EXISTS (SELECT 1 FROM request_state WHERE due_height IS NOT NULL)') === 1
    );
  }

  /** Returns a request by its id; undefined if there is no such request. */
  byId(requestId: string): TrackedRequest | undefined {
    return this.#one('request_id = ?', requestId);
  }

  /** Returns a request by its number. @throws Error if there is no such request. */
  at(sequence: number): TrackedRequest {
    const request = this.#one('p.sequence = ?', sequence);
    if (request === undefined) throw new Error('a payment request is missing');
    return request;
  }

  byReference(reference: string): TrackedRequest | undefined {
    return this.#one('reference = ?', reference);
  }

  byAddress({ major, minor }: SubaddressIndex): TrackedRequest | undefined {
    return this.#one('minor = ? AND account = ?', minor, major);
  }

  /** Returns the requests with the given addresses of an account. */
  atAddresses(account: number, minors: readonly number[]): ReportableRequest[] {
    // CROSS JOIN makes SQLite begin with the addresses.
    return this.db.bigints
      .rows<ReportableRow>(
        `SELECT ${REPORTABLE_COLUMNS}
         FROM json_each(?) a CROSS JOIN payment_request p ON p.minor = a.value AND p.account = ?
           CROSS JOIN request_state s USING (sequence)`,
        JSON.stringify(minors),
        account,
      )
      .map(toReportable);
  }

  byToken(token: Uint8Array): TrackedRequest | undefined {
    return this.#one('token = ?', token);
  }

  /** Returns the request that a call with a key has created, and that call. */
  byKey(key: string): { readonly request: TrackedRequest; readonly call: KeyedCall } | undefined {
    const call = this.keys.find(key);
    const request = call && this.#one('p.sequence = ?', call.sequence);
    return call && request && { request, call };
  }

  /** Returns the greatest number of a request; 0 without requests. */
  last(): number {
    return this.db.value<number | null>('SELECT max(sequence) FROM payment_request') ?? 0;
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

  /** Returns the requests with payments that are unlocked or confirmed when the tip is at a height. */
  dueAt(tip: number): ReportableRequest[] {
    // CROSS JOIN makes SQLite begin with the rows that the index of heights selects.
    return this.db.bigints
      .rows<ReportableRow>(
        `SELECT ${REPORTABLE_COLUMNS}
         FROM request_state s INDEXED BY request_state_due CROSS JOIN payment_request p USING (sequence)
         WHERE s.due_height <= ? ORDER BY s.due_height, s.sequence`,
        tip,
      )
      .map(toReportable);
  }

  /** Returns requests whose expiry lies before a time [Unix s] and is not recorded yet, earliest first. */
  expiring(now: number, limit: number): TrackedRequest[] {
    return this.db.bigints
      .rows<TrackedRow>(
        `SELECT ${TRACKED_COLUMNS} FROM ${REQUESTS}
         WHERE expires < ? AND ended = 0 ORDER BY expires, p.sequence LIMIT ?`,
        now,
        limit,
      )
      .map(toTracked);
  }

  /** Returns the earliest expiry that is not recorded yet [Unix s]; undefined if all expiries are recorded. */
  nextExpiry(): number | undefined {
    return (
      this.db.value<number | null>(
        'SELECT min(expires) FROM payment_request WHERE expires IS NOT NULL AND ended = 0',
      ) ?? undefined
    );
  }

  /**
   * Returns the unmined transactions that pay requests which need no block, perhaps by a rule, and that the mempool was
   * not seen to contest.
   */
  uncontested(): Hash[] {
    return this.db
      .values<Uint8Array>(`SELECT DISTINCT s.tx_hash FROM seen_payment s CROSS JOIN payment_request p USING (minor, account)
           JOIN arrival a USING (tx_hash, account, minor)
         WHERE (p.confirmations = 0 OR p.zero_conf IS NOT NULL) AND a.contested = 0`)
      .map((hash) => toBytes<'Hash'>(hash));
  }

  /** Returns the payments in the mempool to requests with a rule, which no other transaction contests. */
  inPool(): PooledPayment[] {
    return this.db.bigints
      .rows<PooledRow>(
        `SELECT s.tx_hash, p.sequence, a.time, a.seen_by, a.priority, a.accepted
         FROM seen_payment s CROSS JOIN payment_request p INDEXED BY payment_request_zero_conf USING (minor, account)
           JOIN arrival a USING (tx_hash, account, minor)
         WHERE p.zero_conf IS NOT NULL AND a.contested = 0 AND s.gone_height IS NULL`,
      )
      .map((row) => ({
        txHash: toBytes<'Hash'>(row.tx_hash),
        request: toNumber(row.sequence),
        arrival: toNumber(row.time),
        isAccepted: row.accepted !== null,
        ...(row.priority === null ? {} : { priority: toNumber(row.priority) }),
        seenBy: toNumber(row.seen_by ?? 0n),
      }));
  }

  /** Reads the payments to addresses: see {@link RequestPayments.to}. */
  paymentsTo(subaddresses: readonly SubaddressIndex[]): ReturnType<RequestPayments['to']> {
    return this.#payments.to(subaddresses);
  }

  /** Reads the receipts of addresses: see {@link RequestPayments.receiptsAt}. */
  receiptsAt(subaddresses: readonly SubaddressIndex[]): ReturnType<RequestPayments['receiptsAt']> {
    return this.#payments.receiptsAt(subaddresses);
  }

  /** Counts the requests by the state that their events have reported. Reads an index of a few bytes per request. */
  counts(): ReadonlyMap<RequestState, number> {
    return new Map(
      this.db.arrays.rows<[state: RequestState, count: number]>(
        'SELECT state, count(*) FROM request_state GROUP BY state',
      ),
    );
  }

  #one(condition: string, ...params: readonly SqlParameter[]): TrackedRequest | undefined {
    const row = this.db.bigints.row<TrackedRow>(
      `SELECT ${TRACKED_COLUMNS} FROM ${REQUESTS} WHERE ${condition}`,
      ...params,
    );
    return row && toTracked(row);
  }
}

export class PaymentRequestWriter extends PaymentRequestReader {
  /** Adds a request to an address that has received nothing. */
  add(request: NewRequest): void {
    const { subaddress, call } = request;
    const { lastInsertRowid } = this.db.run(
      `INSERT INTO payment_request (request_id, token, account, minor, amount, tolerance, confirmations, created,
           first_height, expires, reference, metadata, return_url, returns, price, locale, asks, refund_address, zero_conf)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[request.requestId, request.token, subaddress.major, subaddress.minor],
      ...[request.amount === undefined ? null : toColumn(request.amount), toColumn(request.tolerance)],
      ...[request.confirmations, request.created, request.firstHeight],
      ...[request.expires ?? null, request.reference ?? null],
      ...[request.metadata ?? null, request.returnUrl ?? null, fromFlag(request.returnsAuto ?? false)],
      ...[request.price === undefined ? null : JSON.stringify(request.price), request.locale ?? null],
      ...[fromFlag(request.asksRefundAddress ?? false), request.refundAddress ?? null],
      request.zeroConf === undefined ? null : ruleText(request.zeroConf),
    );
    this.db.run(
      'INSERT INTO request_state (sequence, changed) VALUES (?, ?)',
      lastInsertRowid,
      request.created,
    );
    if (call !== undefined) this.keys.add(call, Number(lastInsertRowid));
  }

  /**
   * Records the state of a request that its events report.
   * @param now present time [Unix s]. @param stored recorded state of the request; absent: not known.
   */
  report(sequence: number, reported: ReportedRequest, now: number, stored?: ReportedRequest): void {
    const { state, received, paid, locked, late, isExpiryReported, dueHeight } = reported;
    if (stored !== undefined && isSame(stored, reported)) return;
    // SQLite writes an entry of an index anew if its column is set, even to the same value.
    const isStateSet = stored?.state !== state;
    const isDueSet = stored === undefined || stored.dueHeight !== dueHeight;
    this.db.run(
      `UPDATE request_state SET received = ?, paid = ?, locked = ?, late = ?, expiry_reported = ?, changed = ?
         ${isStateSet ? ', state = ?' : ''}${isDueSet ? ', due_height = ?' : ''} WHERE sequence = ?`,
      ...[toColumn(received), toColumn(paid), toColumn(locked), toColumn(late)],
      ...[fromFlag(isExpiryReported), now],
      ...(isStateSet ? [state] : []),
      ...(isDueSet ? [dueHeight ?? null] : []),
      sequence,
    );
  }

  /** Records that terms or refunds of a request have changed. @param time present time [Unix s]. */
  touch(sequence: number, time: number): void {
    this.db.run('UPDATE request_state SET changed = ? WHERE sequence = ?', time, sequence);
  }

  /** Sets the address for refunds. */
  setRefundAddress(sequence: number, address: string): void {
    this.db.run('UPDATE payment_request SET refund_address = ? WHERE sequence = ?', address, sequence);
  }

  /** Records that the expiry of a request has passed. */
  end(sequence: number): void {
    this.db.run('UPDATE payment_request SET ended = 1 WHERE sequence = ?', sequence);
  }

  /** Records that a request was cancelled at a time [Unix s]. */
  cancel(sequence: number, time: number): void {
    this.db.run('UPDATE payment_request SET cancelled = ? WHERE sequence = ?', time, sequence);
  }

  /** Sets a later expiry [Unix s]; undefined: the request has no expiry. */
  extend(sequence: number, expires: number | undefined): void {
    this.db.run(
      'UPDATE payment_request SET expires = ?, ended = 0 WHERE sequence = ?',
      expires ?? null,
      sequence,
    );
  }
}
