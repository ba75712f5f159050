import { createHash } from 'node:crypto';
import { toHex } from '../../util/bytes.js';
import { KeyedMutex } from '../../util/concurrency.js';
import type { ClusterSecret } from '../cluster-secret.js';
import { Fenced } from '../errors.js';
import { haveRemains, LogRemains } from './log-remains.js';
import type { Lease } from '../lease.js';
import { openLog } from './log-reading.js';
import type { HeldLease, Membership } from '../members/membership.js';
import { MOST_PART_BYTES, type LogContent, type PageLogs } from '../cluster.js';
import { heldRow, keysPurpose, lockOf, numberOf } from '../database/rows.js';
import type { Sql } from '../database/session.js';
import type { Sessions } from '../database/sessions.js';

export interface LogsOptions {
  readonly sessions: Sessions;
  readonly membership: Membership;
  readonly secret: ClusterSecret;
  /** Longest wait for an answer [ms]. */
  readonly timeoutMs: number;
}

/** Writes the query of the last sequence of a log, and of the bytes of its frames, as columns of one row. */
const lastFrame = (sql: Sql, id: Uint8Array): ReturnType<Sql> => sql`
  SELECT sequence, total FROM (
    (SELECT sequence, total FROM wallet_rpc.frame WHERE wallet = ${id} ORDER BY sequence DESC LIMIT 1)
    UNION ALL (SELECT sequence, total FROM wallet_rpc.base WHERE wallet = ${id})
    UNION ALL SELECT 0, 0) AS ends
  ORDER BY sequence DESC LIMIT 1`;

/** Writes large bytes as an expression. The client sends bytes as hex digits, which take twice the time of base64. */
const binary = (sql: Sql, bytes: Uint8Array): ReturnType<Sql> =>
  sql`decode(${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')}::text, 'base64')`;

/** SHA-256 of an empty text, for a log without pages. */
const NO_PAGES_HASH = createHash('sha256').digest();

/** The logs in the database. */
export class DatabaseLogs implements PageLogs {
  readonly #options: LogsOptions;
  /** Lock of one append at a time for each wallet: a sequence is not acknowledged before the sequence below it. */
  readonly #appends = new KeyedMutex();
  readonly #remains: LogRemains;

  constructor(options: LogsOptions) {
    this.#options = options;
    this.#remains = new LogRemains(options);
  }

  append(lease: Lease, sequence: number, frame: Uint8Array): Promise<void> {
    return this.#appends.run(lease.name, async () => {
      const held = this.#heldBy(lease);
      const hash = createHash('sha256').update(frame).digest();
      const row = await this.#options.sessions.write(
        (sql) => ({
          tables: sql`
          held AS MATERIALIZED (${heldRow(sql, held)}),
          last AS MATERIALIZED (${lastFrame(sql, held.id)}),
          stored AS (
            INSERT INTO wallet_rpc.frame AS known (wallet, sequence, epoch, hash, total, pages)
            SELECT held.id, ${sequence}::bigint, held.epoch, ${hash}::bytea, last.total + ${frame.length}::bigint,
              ${binary(sql, frame)}
            FROM held, last WHERE ${sequence}::bigint <= last.sequence + 1
              AND NOT EXISTS (SELECT FROM wallet_rpc.base WHERE base.wallet = held.id AND base.sequence >= ${sequence}::bigint)
            -- A second run finds the row of the first one.
            ON CONFLICT (wallet, sequence) DO UPDATE SET epoch = known.epoch
              WHERE known.epoch = excluded.epoch AND known.hash = excluded.hash
            RETURNING sequence)`,
          answer: sql`
          EXISTS (SELECT FROM held) AS held, EXISTS (SELECT FROM stored) AS stored,
          (SELECT sequence FROM last) AS last,
          coalesce((SELECT sequence FROM wallet_rpc.base WHERE wallet = ${held.id}), 0) AS base,
          ${this.#remains.isClean(held) ? sql`false` : haveRemains(sql, held.id)} AS remains`,
        }),
        frame.length > MOST_PART_BYTES ? this.#options.sessions.longMs : undefined,
      );
      if (row['held'] !== true) throw this.#fenced(held);
      if (row['remains'] === true) this.#remains.deleteLater(held);
      else this.#remains.noteClean(held);
      // A frame that a base contains was stored before, and is not stored again.
      if (row['stored'] === true || numberOf(row, 'base') >= sequence) return;
      throw new RangeError(
        `the log of wallet ${lease.name} ends at ${numberOf(row, 'last')}: frame ${sequence} leaves a gap, or replaces another one`,
      );
    });
  }

  async putBase(
    lease: Lease,
    sequence: number,
    parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    keysFile?: Uint8Array,
  ): Promise<void> {
    const held = this.#heldBy(lease);
    await this.#remains.uploading(held, async (upload) => {
      let part = 0;
      let bytes = 0;
      for await (const content of parts) {
        if (content.length > MOST_PART_BYTES)
          throw new RangeError(
            `a part of a base has ${content.length} bytes, at most ${MOST_PART_BYTES} are allowed`,
          );
        await this.#putPart(held, upload, part, content);
        part += 1;
        bytes += content.length;
      }
      if (part === 0) throw new RangeError('a base has no parts');
      await this.#switchBase(held, sequence, upload, { parts: part, bytes }, keysFile);
    });
  }

  read(name: string): Promise<LogContent | undefined> {
    const { sessions, secret, timeoutMs } = this.#options;
    return openLog(sessions, secret.idOf(name), timeoutMs);
  }

  async #putPart(held: HeldLease, upload: string, part: number, content: Uint8Array): Promise<void> {
    const row = await this.#options.sessions.write(
      (sql) => ({
        tables: sql`
        held AS MATERIALIZED (${heldRow(sql, held)}),
        stored AS (
          INSERT INTO wallet_rpc.base_part (wallet, upload, part, content)
          SELECT held.id, ${upload}::uuid, ${part}, ${binary(sql, content)} FROM held
          ON CONFLICT (wallet, upload, part) DO NOTHING)`,
        answer: sql`EXISTS (SELECT FROM held) AS held`,
      }),
      this.#options.sessions.longMs,
    );
    if (row['held'] !== true) throw this.#fenced(held);
  }

  /**
   * Puts an uploaded base in place of the earlier base. The frames that the base contains stay, and end with the
   * sequence of the base, so that the last frame of a log is never below its base.
   */
  async #switchBase(
    held: HeldLease,
    sequence: number,
    upload: string,
    size: { readonly parts: number; readonly bytes: number },
    keysFile?: Uint8Array,
  ): Promise<void> {
    const sealed = keysFile && this.#options.secret.seal(keysPurpose(held.id), keysFile);
    const row = await this.#options.sessions.write(
      (sql) => ({
        tables: sql`
        held AS MATERIALIZED (${heldRow(sql, held)}),
        last AS MATERIALIZED (${lastFrame(sql, held.id)}),
        uploaded AS MATERIALIZED (
          SELECT count(*) AS parts FROM wallet_rpc.base_part WHERE wallet = ${held.id} AND upload = ${upload}::uuid),
        ends AS MATERIALIZED (
          SELECT total FROM (
            (SELECT total, 1 AS rank FROM wallet_rpc.base
              WHERE wallet = ${held.id} AND sequence = ${sequence}::bigint)
            UNION ALL (SELECT total, 2 FROM wallet_rpc.frame
              WHERE wallet = ${held.id} AND sequence = ${sequence}::bigint)
            UNION ALL SELECT 0, 3 WHERE ${sequence}::bigint = 0
            UNION ALL SELECT total, 4 FROM last WHERE ${sequence}::bigint > last.sequence) AS found
          ORDER BY rank LIMIT 1),
        switched AS (
          INSERT INTO wallet_rpc.base AS known (wallet, sequence, epoch, upload, parts, bytes, total)
          SELECT held.id, ${sequence}::bigint, held.epoch, ${upload}::uuid, uploaded.parts, ${size.bytes}::bigint,
            ends.total
          FROM held, uploaded, ends WHERE uploaded.parts = ${size.parts}
          ON CONFLICT (wallet) DO UPDATE
          SET sequence = excluded.sequence, epoch = excluded.epoch, upload = excluded.upload, parts = excluded.parts,
            bytes = excluded.bytes, total = excluded.total
          WHERE known.sequence <= excluded.sequence
          RETURNING wallet),
        ${
          sealed === undefined
            ? sql``
            : sql`keys AS (UPDATE wallet_rpc.wallet SET keys_file = ${sealed}::bytea FROM switched WHERE id = switched.wallet),`
        }
        closing AS (
          INSERT INTO wallet_rpc.frame (wallet, sequence, epoch, hash, total, pages)
          SELECT held.id, ${sequence}::bigint, held.epoch, ${NO_PAGES_HASH}::bytea, ends.total, ''
          FROM held, switched, ends WHERE EXISTS (
            SELECT FROM wallet_rpc.frame WHERE frame.wallet = held.id AND sequence < ${sequence}::bigint)
          ON CONFLICT (wallet, sequence) DO NOTHING)`,
        answer: sql`EXISTS (SELECT FROM held) AS held, EXISTS (SELECT FROM switched) AS switched`,
      }),
      this.#options.sessions.longMs,
      lockOf(held.id),
    );
    if (row['held'] !== true) throw this.#fenced(held);
    if (row['switched'] !== true)
      throw new RangeError(
        `the log of wallet ${held.name} has no frame ${sequence}, or a newer base: the base ${toHex(held.id).slice(0, 8)} was not replaced`,
      );
  }

  /** Returns a lease of this process. @throws Fenced if it has ended. */
  #heldBy(lease: Lease): HeldLease {
    const held = this.#options.membership.leaseOf(lease.name);
    if (held === undefined || held !== lease) throw new Fenced(lease.name, lease.epoch);
    return held;
  }

  #fenced(lease: HeldLease): Fenced {
    this.#options.membership.lose(lease, 'taken');
    return new Fenced(lease.name, lease.epoch);
  }
}
