import { ClusterRefused, ClusterUnreachable } from '../errors.js';
import type { BaseSize } from '../lease.js';
import type { LogContent, LoggedFrame } from '../cluster.js';
import { bytesOf, numberOf } from '../database/rows.js';
import { CallFailed, type Row, type Session, type Statement } from '../database/session.js';
import type { Sessions } from '../database/sessions.js';

/** Number of frames in one answer. */
const FRAMES = 64;

/** Base and end of a log at one moment. */
interface Ends {
  readonly base: (BaseSize & { readonly upload: string; readonly parts: number }) | undefined;
  readonly sequence: number;
  readonly count: number;
  readonly bytes: number;
}

const endsOf = (row: Row): Ends => ({
  base:
    row['upload'] === null
      ? undefined
      : {
          sequence: numberOf(row, 'base'),
          bytes: numberOf(row, 'base_bytes'),
          upload: String(row['upload']),
          parts: numberOf(row, 'parts'),
        },
  sequence: numberOf(row, 'sequence'),
  count: numberOf(row, 'count'),
  bytes: numberOf(row, 'bytes'),
});

/** Turns a failed call into the error of the interface. */
const unreachable = (cause: unknown): unknown =>
  cause instanceof CallFailed
    ? new ClusterUnreachable(`the log cannot be read: ${cause.message}`, { cause })
    : cause;

/** The content of a log, read in one transaction on a connection of its own. */
class LogReading implements LogContent {
  readonly base?: BaseSize;
  readonly sequence: number;
  readonly frames: { readonly count: number; readonly bytes: number };
  readonly #session: Session;
  readonly #id: Uint8Array;
  readonly #ends: Ends;
  readonly #limitMs: number;

  constructor(session: Session, id: Uint8Array, ends: Ends, limitMs: number) {
    this.#session = session;
    this.#id = id;
    this.#ends = ends;
    this.#limitMs = limitMs;
    const { base, sequence, count, bytes } = ends;
    if (base !== undefined) this.base = { sequence: base.sequence, bytes: base.bytes };
    this.sequence = sequence;
    this.frames = { count, bytes };
  }

  async *readBase(): AsyncGenerator<Uint8Array> {
    const { base } = this.#ends;
    if (base === undefined) return;
    const ask = (part: number): Promise<readonly Row[]> =>
      this.#ask(
        (sql) => sql`
          SELECT content FROM wallet_rpc.base_part
          WHERE wallet = ${this.#id} AND upload = ${base.upload}::uuid AND part = ${part}`,
      );
    // The next part is requested while the reader uses the part before.
    let coming = ask(0);
    for (let part = 0; part < base.parts; part++) {
      const [row] = await coming;
      if (row === undefined) throw new ClusterUnreachable(`part ${part} of a base is missing`);
      if (part + 1 < base.parts) {
        coming = ask(part + 1);
        coming.catch(() => undefined);
      }
      yield bytesOf(row, 'content');
    }
  }

  async *readFrames(): AsyncGenerator<LoggedFrame> {
    const { sequence: last } = this.#ends;
    let read = this.#ends.base?.sequence ?? 0;
    while (read < last) {
      const after = read;
      const rows = await this.#ask(
        (sql) => sql`
          SELECT sequence, pages FROM wallet_rpc.frame
          WHERE wallet = ${this.#id} AND sequence > ${after}::bigint ORDER BY sequence LIMIT ${FRAMES}`,
      );
      for (const row of rows) {
        const sequence = numberOf(row, 'sequence');
        if (sequence !== read + 1) break;
        read = sequence;
        yield { sequence, frame: bytesOf(row, 'pages') };
      }
      if (read === after) throw new ClusterUnreachable(`frame ${read + 1} of a log is missing`);
    }
  }

  async close(): Promise<void> {
    this.#session.end();
  }

  async #ask(statement: Statement): Promise<readonly Row[]> {
    try {
      return await this.#session.call(this.#limitMs, statement);
    } catch (error) {
      throw unreachable(error);
    }
  }
}

/**
 * Opens the content of a log at this moment. @returns undefined if the wallet is not known.
 * @throws ClusterUnreachable
 */
export async function openLog(
  sessions: Sessions,
  id: Uint8Array,
  timeoutMs: number,
): Promise<LogContent | undefined> {
  let session: Session | undefined;
  try {
    session = await sessions.connect(timeoutMs);
    await session.call(timeoutMs, (sql) => sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`);
    const [row] = await session.call(
      timeoutMs,
      (sql) => sql`
        SELECT base.upload, base.parts, base.sequence AS base, base.bytes AS base_bytes,
               coalesce(frames.sequence, base.sequence, 0) AS sequence, frames.count, frames.bytes
        FROM wallet_rpc.wallet LEFT JOIN wallet_rpc.base ON base.wallet = wallet.id
        CROSS JOIN LATERAL (
          SELECT count(*) AS count, max(sequence) AS sequence,
                 coalesce(max(total), coalesce(base.total, 0)) - coalesce(base.total, 0) AS bytes
          FROM wallet_rpc.frame
          WHERE frame.wallet = wallet.id AND frame.sequence > coalesce(base.sequence, 0)) AS frames
        WHERE wallet.id = ${id}`,
    );
    if (row !== undefined) return new LogReading(session, id, endsOf(row), sessions.longMs);
  } catch (error) {
    session?.end();
    if (error instanceof ClusterRefused) throw new ClusterUnreachable(error.message, { cause: error });
    throw unreachable(error);
  }
  session.end();
  return undefined;
}
