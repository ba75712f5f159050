import { randomUUID } from 'node:crypto';
import { monotonicMs } from '../../util/clock.js';
import { KeyedMutex, Mutex } from '../../util/concurrency.js';
import { Fenced } from '../errors.js';
import type { HeldLease, Membership } from '../members/membership.js';
import { heldRow, lockOf, numberOf } from '../database/rows.js';
import type { Sql } from '../database/session.js';
import type { Sessions } from '../database/sessions.js';

/** Largest number of frames, and of parts of bases, that one statement deletes. */
const MOST_ROWS = 1024;

export interface RemainsOptions {
  readonly sessions: Sessions;
  readonly membership: Membership;
  /** Longest wait for an answer [ms]. */
  readonly timeoutMs: number;
}

/** Writes the condition that a log has remains. */
export const haveRemains = (sql: Sql, id: Uint8Array): ReturnType<Sql> => sql`(
  EXISTS (
    SELECT FROM wallet_rpc.frame JOIN wallet_rpc.base USING (wallet)
    WHERE frame.wallet = ${id} AND frame.sequence <= base.sequence)
  OR EXISTS (
    SELECT FROM wallet_rpc.base_part
    WHERE wallet = ${id} AND upload NOT IN (SELECT upload FROM wallet_rpc.base WHERE wallet = ${id})))`;

/**
 * Rows that logs do not need any more: frames that a base contains, and parts of bases that are not in place, such as
 * parts of uploads that failed, or whose process ended. The holder of a wallet deletes them, in portions that a slow
 * database finishes in time.
 */
export class LogRemains {
  readonly #options: RemainsOptions;
  /** Names of the running uploads, whose parts are not deleted. */
  readonly #uploads = new Set<string>();
  /** Leases whose logs have nothing to delete. */
  readonly #clean = new WeakSet<HeldLease>();
  readonly #deletions = new KeyedMutex();
  readonly #later = new Mutex();

  constructor(options: RemainsOptions) {
    this.#options = options;
  }

  /**
   * Runs the upload of a base. Remains of earlier uploads are deleted before, so that failures do not fill the
   * database.
   * @param task uploads parts under a name, and puts them in place.
   */
  async uploading(lease: HeldLease, task: (upload: string) => Promise<void>): Promise<void> {
    if (!this.#clean.has(lease)) await this.#delete(lease);
    const upload = randomUUID();
    this.#uploads.add(upload);
    try {
      await task(upload);
    } finally {
      this.#uploads.delete(upload);
      this.#clean.delete(lease);
    }
    await this.#deleteInTime(lease);
  }

  /** True if a log is known to have no remains, apart from remains of a running upload. */
  isClean(lease: HeldLease): boolean {
    return this.#clean.has(lease);
  }

  /** Notes that a log has no remains. */
  noteClean(lease: HeldLease): void {
    this.#clean.add(lease);
  }

  /** Begins to delete the remains of a log that an earlier holder or a failed upload left. */
  deleteLater(lease: HeldLease): void {
    this.#clean.add(lease);
    // Rows that stay after a failure are deleted before the next upload.
    this.#later.run(() => this.#delete(lease)).catch(() => undefined);
  }

  /**
   * Deletes the remains of a log. The wait for the deletion is limited like the wait for a call, because frames wait
   * behind the base.
   */
  async #deleteInTime(lease: HeldLease): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#options.timeoutMs);
    });
    await Promise.race([this.#delete(lease).catch(() => undefined), over]);
    clearTimeout(timer);
  }

  #delete(lease: HeldLease): Promise<void> {
    return this.#deletions
      .run(lease.name, async () => {
        let rows = 1;
        for (;;) {
          const began = monotonicMs();
          // An upload that fails meanwhile takes the mark away again.
          this.#clean.add(lease);
          if (await this.#deletePortion(lease, rows)) return;
          const tookMs = monotonicMs() - began;
          if (tookMs > this.#options.timeoutMs) rows = Math.ceil(rows / 2);
          else if (4 * tookMs < this.#options.timeoutMs) rows = Math.min(2 * rows, MOST_ROWS);
        }
      })
      .catch((error: unknown) => {
        this.#clean.delete(lease);
        throw error;
      });
  }

  /** Deletes some rows, the oldest frames first. @returns true if no such rows remain. @throws Fenced */
  async #deletePortion(lease: HeldLease, rows: number): Promise<boolean> {
    const { sessions, membership } = this.#options;
    const row = await sessions.write(
      (sql) => ({
        tables: sql`
        held AS MATERIALIZED (${heldRow(sql, lease)}),
        base AS MATERIALIZED (SELECT sequence, upload FROM wallet_rpc.base WHERE wallet = ${lease.id}),
        frames AS (
          DELETE FROM wallet_rpc.frame USING held WHERE wallet = held.id AND sequence IN (
            SELECT frame.sequence FROM wallet_rpc.frame, base
            WHERE frame.wallet = ${lease.id} AND frame.sequence <= base.sequence
            ORDER BY frame.sequence LIMIT ${rows})
          RETURNING 1),
        parts AS (
          DELETE FROM wallet_rpc.base_part USING held WHERE wallet = held.id AND (upload, part) IN (
            SELECT upload, part FROM wallet_rpc.base_part
            WHERE wallet = ${lease.id} AND upload NOT IN (SELECT upload FROM base)
              AND upload <> ALL (string_to_array(${[...this.#uploads].join(' ')}, ' ')::uuid[])
            LIMIT ${rows})
          RETURNING 1)`,
        answer: sql`
        EXISTS (SELECT FROM held) AS held,
        greatest((SELECT count(*) FROM frames), (SELECT count(*) FROM parts)) AS deleted`,
      }),
      sessions.longMs,
      lockOf(lease.id),
    );
    if (row['held'] !== true) {
      membership.lose(lease, 'taken');
      throw new Fenced(lease.name, lease.epoch);
    }
    return numberOf(row, 'deleted') < rows;
  }
}
