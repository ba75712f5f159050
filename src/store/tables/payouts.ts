import {
  WHOLE_WALLET,
  type Payout,
  type PayoutAction,
  type PayoutClient,
  type PayoutPause,
  type PayoutShare,
  type PayoutState,
} from '../../model/payout.js';
import { POLICY } from '../../model/payout-rule.js';
import type { NumberRange, Period } from '../../util/ranges.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import type { Hash } from '../../monero/crypto/types.js';
import { fromFlag, toBytes, toColumn, toNumber, type Integer } from './columns.js';
import {
  toPayout,
  toShare,
  type ActionRow,
  type NewBatch,
  type NewPayout,
  type PaymentRow,
  type PayoutFilter,
  type PayoutIdentity,
  type PayoutPayment,
  type PayoutRow,
  type ShareRow,
  type StateChange,
  type UnsignedBatch,
} from './payout-row.js';

/** Reads payouts and their batches. */
export class PayoutReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  /** True if there is no payout. */
  get isEmpty(): boolean {
    return this.db.row('SELECT 1 FROM payout LIMIT 1') === undefined;
  }

  /** Returns a payout by the name that its client gave; undefined if there is no such payout. */
  byId(payoutId: string): Payout | undefined {
    return this.#one('payout_id = ?', payoutId);
  }

  /** Returns a payout by its number. @throws Error if there is no such payout. */
  at(sequence: number): Payout {
    const payout = this.#one('sequence = ?', sequence);
    if (payout === undefined) throw new Error('a payout is missing');
    return payout;
  }

  /** Returns the terms of a payout that its events leave out. */
  identityOf(sequence: number): PayoutIdentity {
    const { payoutId, address, reference } = this.at(sequence);
    return { payoutId, address, ...(reference === undefined ? {} : { reference }) };
  }

  /** Returns the greatest number of a payout; 0 without payouts. */
  last(): number {
    return this.db.value<number | null>('SELECT max(sequence) FROM payout') ?? 0;
  }

  /** Lists the payouts of a range of numbers that match a filter, latest first. */
  list(filter: PayoutFilter, { from, to }: NumberRange, limit: number): Payout[] {
    const { states, account, reference, text, createdSince, changedSince, byNotes = true } = filter;
    return this.db.bigints
      .rows<PayoutRow>(
        `SELECT * FROM payout WHERE sequence >= :from AND sequence < :to
           AND (:states IS NULL OR state IN (SELECT value FROM json_each(:states)))
           AND (:account IS NULL OR account = :account) AND (:reference IS NULL OR reference = :reference)
           AND (:text IS NULL OR instr(payout_id, :text) OR instr(address, :text)
             OR :byNotes AND instr(reference, :text))
           AND created >= :createdSince AND changed >= :changedSince
         ORDER BY sequence DESC LIMIT :limit`,
        {
          ...{ from, to, limit, createdSince: createdSince ?? 0, changedSince: changedSince ?? 0 },
          states: states.length === 0 ? null : JSON.stringify(states),
          ...{ account: account ?? null, reference: reference ?? null, text: text ?? null },
          byNotes: fromFlag(byNotes),
        },
      )
      .map(toPayout);
  }

  /** Returns the queued payouts of an account that may be sent now, by priority, then by age. @param now Unix time [s]. */
  queued(account: number, now: number, limit: number): Payout[] {
    return this.db.bigints
      .rows<PayoutRow>(
        `SELECT * FROM payout WHERE state = 'queued' AND account = :account AND coalesce(not_before, 0) <= :now
           AND coalesce(retry_at, 0) <= :now AND (expires IS NULL OR expires > :now)
         ORDER BY priority DESC, sequence LIMIT :limit`,
        { account, now, limit },
      )
      .map(toPayout);
  }

  /** Returns the accounts with queued payouts. */
  queuedAccounts(): number[] {
    return this.db.values<number>(
      "SELECT DISTINCT account FROM payout WHERE state = 'queued' ORDER BY account",
    );
  }

  /** Counts the payouts in each state. Reads an index of a few bytes per payout. */
  counts(): ReadonlyMap<PayoutState, number> {
    return new Map(
      this.db.arrays.rows<[state: PayoutState, count: number]>(
        'SELECT state, count(*) FROM payout GROUP BY state',
      ),
    );
  }

  /** Returns the waiting payouts whose expiry has passed. @param now Unix time [s]. */
  expiring(now: number, limit: number): Payout[] {
    return this.db.bigints
      .rows<PayoutRow>(
        `SELECT * FROM payout WHERE expires <= ? AND state IN ('awaiting_approval', 'queued') ORDER BY expires LIMIT ?`,
        now,
        limit,
      )
      .map(toPayout);
  }

  /** Adds up the waiting payouts of an account that clients created [atomic units]. */
  owed(account: number): bigint {
    const [high = 0n, low = 0n] =
      this.db.bigintArrays.row<[high: Integer | null, low: Integer | null]>(
        `SELECT coalesce(sum(amount >> 32), 0), coalesce(sum(amount & 0xffffffff), 0) FROM payout
         WHERE state IN ('awaiting_approval', 'queued') AND account = ? AND creator IS NOT '${POLICY}'`,
        account,
      ) ?? [];
    return ((high ?? 0n) << 32n) + (low ?? 0n);
  }

  /** Returns the latest payout of an account that a rule of a file made; undefined if there is none. */
  latestSweep(account: number): Payout | undefined {
    const row = this.db.bigints.row<PayoutRow>(
      `SELECT * FROM payout WHERE account = ? AND creator = '${POLICY}' ORDER BY sequence DESC LIMIT 1`,
      account,
    );
    return row && toPayout(row);
  }

  /** Returns queued payouts of which a number of batches have failed. @param failures smallest number of batches. */
  returned(failures: number, limit: number): Payout[] {
    return this.db.bigints
      .rows<PayoutRow>(
        `SELECT * FROM payout WHERE state = 'queued' AND reason IS NOT NULL
           AND (SELECT count(*) FROM payout_share WHERE payout = sequence) >= ? LIMIT ?`,
        failures,
        limit,
      )
      .map(toPayout);
  }

  /** Returns the shares of a payout in batches, the oldest batch first. */
  sharesOf(payout: number): PayoutShare[] {
    return this.db.bigints
      .rows<ShareRow>('SELECT * FROM payout_share WHERE payout = ? ORDER BY batch', payout)
      .map(toShare);
  }

  /** Returns the ids of the payouts that a transaction pays, in the order of their numbers. */
  idsPaidBy(txHash: Hash): string[] {
    return this.db.values<string>(
      `SELECT payout_id FROM order_tx t JOIN payout_share s ON s.batch = t.sequence JOIN payout p ON p.sequence = s.payout
       WHERE t.tx_hash = ? ORDER BY p.sequence`,
      txHash,
    );
  }

  /** Returns the shares of the payouts of a batch, in the order of the payouts. */
  sharesIn(batch: number): PayoutShare[] {
    return this.db.bigints
      .rows<ShareRow>('SELECT * FROM payout_share WHERE batch = ? ORDER BY payout', batch)
      .map(toShare);
  }

  /** Returns the payment of a payout, by the batch that its state follows; undefined if no batch contains it. */
  paymentOf(payout: number): PayoutPayment | undefined {
    const row = this.db.bigints.row<PaymentRow>(
      `SELECT s.payout, s.batch, s.amount, s.fee, b.height,
         (SELECT tx_hash FROM order_tx t WHERE t.sequence = s.batch ORDER BY position, attempt DESC LIMIT 1) AS tx_hash
       FROM payout p JOIN payout_share s ON s.payout = p.sequence AND s.batch = p.live_batch
         JOIN payout_batch b ON b.sequence = s.batch
       WHERE p.sequence = ?`,
      payout,
    );
    return (
      row && {
        ...toShare(row),
        ...(row.height === null ? {} : { height: toNumber(row.height) }),
        ...(row.tx_hash === null ? {} : { txHash: toBytes<'Hash'>(row.tx_hash) }),
      }
    );
  }

  /** Returns the height of the block of a batch, as it was reported; undefined if the batch was not mined. */
  heightOf(batch: number): number | undefined {
    return (
      this.db.value<number | null>('SELECT height FROM payout_batch WHERE sequence = ?', batch) ?? undefined
    );
  }

  /** True if the set of a batch was not signed in time. */
  isExpired(batch: number): boolean {
    return this.db.value<number>('SELECT expired FROM payout_batch WHERE sequence = ?', batch) === 1;
  }

  /** Returns the batches whose sets have the given rings. */
  batchesWith(rings: Hash): number[] {
    return this.db.values<number>(
      'SELECT sequence FROM order_tx JOIN payout_batch USING (sequence) WHERE rings = ? AND settled = 0',
      rings,
    );
  }

  /** True if rings belong to the set of a batch that was not signed in time. */
  isExpiredSet(rings: Hash): boolean {
    const found = this.db.row(
      `SELECT 1 FROM order_tx JOIN payout_batch USING (sequence) WHERE rings = ? AND expired = 1 AND settled = 0`,
      rings,
    );
    return found !== undefined;
  }

  /** Lists the batches whose sets may be signed, the oldest first. @param until latest time of expiry [Unix s]. */
  unsignedBatches(until = Number.MAX_SAFE_INTEGER): UnsignedBatch[] {
    return this.db.rows<UnsignedBatch>(
      `SELECT sequence, account, created, expires FROM payout_batch
       WHERE expires IS NOT NULL AND expired = 0 AND height IS NULL AND expires <= ? ORDER BY sequence`,
      until,
    );
  }

  /** Counts the batches of an account that were made since a time [Unix s]. */
  batchesSince(account: number, time: number): number {
    return (
      this.db.value<number>(
        'SELECT count(*) FROM payout_batch WHERE account = ? AND created >= ?',
        account,
        time,
      ) ?? 0
    );
  }

  /** Counts the batches of an account that are not mined. */
  unminedBatches(account: number): number {
    return (
      this.db.value<number>(
        `SELECT count(*) FROM payout_batch WHERE account = ? AND height IS NULL
           AND sequence IN (SELECT batch FROM payout_share JOIN payout ON sequence = payout WHERE state IN ('awaiting_signature', 'sending', 'sent'))`,
        account,
      ) ?? 0
    );
  }

  /** Returns the payouts above a number that were created in a period, in the order of their numbers. */
  createdIn({ from, to }: Period, above: number, limit: number): Payout[] {
    return this.db.bigints
      .rows<PayoutRow>(
        `SELECT * FROM payout WHERE sequence > ? AND created >= ? AND created < ? ORDER BY sequence LIMIT ?`,
        ...[above, from, to, limit],
      )
      .map(toPayout);
  }

  /** Returns the actions of clients on a payout, the oldest first. */
  actionsOn(payout: number): PayoutAction[] {
    return this.db
      .rows<ActionRow>('SELECT * FROM payout_action WHERE payout = ? ORDER BY id', payout)
      .map(({ action, credential, client, time, terms }) => ({
        ...{ action, time },
        client: { credential: credential ?? undefined, address: client ?? undefined },
        ...(terms === null ? {} : { terms: toBytes<'Hash'>(terms) }),
      }));
  }

  /** Returns the waiting payouts above a number, in the order of their numbers. */
  waitingAfter(sequence: number, limit: number): Payout[] {
    return this.db.bigints
      .rows<PayoutRow>(
        `SELECT * FROM payout WHERE state IN ('awaiting_approval', 'queued') AND sequence > ?
         ORDER BY sequence LIMIT ?`,
        sequence,
        limit,
      )
      .map(toPayout);
  }

  /** Returns the pauses, that of the whole wallet first. */
  pauses(): PayoutPause[] {
    return this.db.rows<PayoutPause>('SELECT account, reason, time FROM payout_pause ORDER BY account');
  }

  /** Returns the pause that stops an account; undefined if its payouts may be sent. */
  pauseOf(account: number): PayoutPause | undefined {
    return this.db.row<PayoutPause>(
      `SELECT account, reason, time FROM payout_pause WHERE account IN (?, ${WHOLE_WALLET}) ORDER BY account`,
      account,
    );
  }

  /** True if some batch waits for a height of the tip. */
  get awaitsTip(): boolean {
    return this.db.row('SELECT 1 FROM payout_batch WHERE due_height IS NOT NULL LIMIT 1') !== undefined;
  }

  #one(condition: string, value: string | number): Payout | undefined {
    const row = this.db.bigints.row<PayoutRow>(`SELECT * FROM payout WHERE ${condition}`, value);
    return row && toPayout(row);
  }
}

/** Writes payouts. States change through `PayoutEvents` alone, which reports each change. */
export class PayoutWriter extends PayoutReader {
  /** Adds a payout. @returns its number. @throws Error if its id is in use. */
  add(payout: NewPayout): number {
    const { lastInsertRowid } = this.db.run(
      `INSERT INTO payout (payout_id, account, address, amount, payee_pays, max_fee, priority, own, not_before, expires,
           reference, metadata, created, creator, state, changed, request, refund)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[payout.payoutId, payout.account, payout.address, toColumn(payout.amount)],
      ...[
        fromFlag(payout.feePayer === 'payee'),
        payout.maxFee === undefined ? null : toColumn(payout.maxFee),
      ],
      ...[payout.priority, fromFlag(payout.allowOwn), payout.notBefore ?? null, payout.expires ?? null],
      ...[payout.reference ?? null, payout.metadata ?? null, payout.created, payout.creator ?? null],
      ...[payout.state, payout.created, payout.refund?.request ?? null, payout.refund?.kind ?? null],
    );
    return Number(lastInsertRowid);
  }

  /** Records an action of a client. @param terms hash of the terms that it approves. */
  act(
    payout: number,
    action: PayoutAction['action'],
    { credential, address }: PayoutClient,
    { time, terms }: { readonly time: number; readonly terms?: Hash },
  ): void {
    this.db.run(
      'INSERT INTO payout_action (payout, action, credential, client, time, terms) VALUES (?, ?, ?, ?, ?, ?)',
      ...[payout, action, credential ?? null, address ?? null, time, terms ?? null],
    );
  }

  /** Records the state of a payout, the batch that it follows, and the reason of a return or an end. */
  setState(sequence: number, state: PayoutState, { time, reason, retryAt, batch }: StateChange): void {
    this.db.run(
      'UPDATE payout SET state = ?, changed = ?, reason = ?, retry_at = ?, live_batch = ? WHERE sequence = ?',
      ...[state, time, reason ?? null, retryAt ?? null, batch ?? null, sequence],
    );
  }

  /** Records that the state of a payout follows another batch. */
  follow(sequence: number, batch: number): void {
    this.db.run('UPDATE payout SET live_batch = ? WHERE sequence = ?', batch, sequence);
  }

  /** Adds a batch, whose order was recorded in the same transaction. */
  addBatch(
    { sequence: batch, account, created, expires }: NewBatch,
    shares: readonly Omit<PayoutShare, 'batch'>[],
  ): void {
    this.db.run(
      'INSERT INTO payout_batch (sequence, account, created, expires) VALUES (?, ?, ?, ?)',
      ...[batch, account, created, expires ?? null],
    );
    for (const { payout, amount, fee } of shares)
      this.db.run(
        'INSERT INTO payout_share (payout, batch, amount, fee) VALUES (?, ?, ?, ?)',
        ...[payout, batch, toColumn(amount), toColumn(fee)],
      );
  }

  /** Records whether the inputs of a batch are frozen. @returns false if they were so before. */
  setFrozen(batch: number, isFrozen: boolean): boolean {
    const { changes } = this.db.run(
      'UPDATE payout_batch SET frozen = :frozen WHERE sequence = :batch AND frozen <> :frozen',
      { batch, frozen: fromFlag(isFrozen) },
    );
    return changes > 0;
  }

  /** Records that the set of a batch was not signed in time: its payouts are paid anew. */
  expireBatch(batch: number): void {
    this.db.run('UPDATE payout_batch SET expired = 1, changed = 1 WHERE sequence = ?', batch);
  }

  /** Deletes a batch that was never sent, and its shares. */
  removeBatch(batch: number): void {
    this.db.run('DELETE FROM payout_batch WHERE sequence = ?', batch);
  }

  /** Lists the batches whose orders have changed, or that have waited for a height up to the tip. */
  changedBatches(tip: number): number[] {
    return this.db.values<number>(
      `SELECT sequence FROM payout_batch WHERE changed = 1
       UNION SELECT sequence FROM payout_batch WHERE due_height <= ? ORDER BY sequence`,
      tip,
    );
  }

  /**
   * Records that the payouts of a batch have the states that its order says.
   * @param height height of its block; undefined while it is not mined.
   * @param dueHeight least height of the tip at which the states change; undefined: no height.
   */
  settleBatch(
    batch: number,
    { height, dueHeight }: { readonly height: number | undefined; readonly dueHeight: number | undefined },
  ): void {
    this.db.run(
      'UPDATE payout_batch SET changed = 0, height = ?, due_height = ? WHERE sequence = ?',
      ...[height ?? null, dueHeight ?? null, batch],
    );
  }

  /** Pauses an account, or changes the reason of its pause. */
  pause({ account, reason, time }: PayoutPause): void {
    this.db.run(
      `INSERT INTO payout_pause (account, reason, time) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET reason = excluded.reason, time = excluded.time`,
      ...[account, reason, time],
    );
  }

  /** Ends the pause of an account. */
  resume(account: number): void {
    this.db.run('DELETE FROM payout_pause WHERE account = ?', account);
  }
}
