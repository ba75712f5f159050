import type { ServerResponse } from 'node:http';
import { PacedResponse } from './paced-response.js';

/** An event of a stream. */
export interface StreamedEvent {
  readonly id: number;
  readonly type: string;
  /** JSON in one line. */
  readonly data: string;
}

/** Source of a stream of events. */
export interface EventSource {
  /** Returns the next events; none if there is none yet. Throws to end the stream. */
  next(): readonly StreamedEvent[];
  /** Resolves when there may be events, after a time [ms] at the latest. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** True once the stream is to end. */
  readonly isClosed: boolean;
}

export interface EventStreamOptions {
  /** Interval between comments that keep the connection open [ms]. */
  readonly heartbeatMs?: number;
  /** Time that a client may take to read what was sent [ms]; then the connection is closed. */
  readonly stallMs?: number;
}

const HEARTBEAT_MS = 15_000;
const STALL_MS = 15_000;

/** Bytes that may wait for the client while the source is asked for more. */
const MOST_WAITING = 1 << 16;

/** Time after which a client connects again [ms]. */
const RETRY_MS = 2_000;

const textOf = ({ id, type, data }: StreamedEvent): string => `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`;

/**
 * Sends events as server-sent events until the source or the client ends the stream. At most one result of `next` is
 * buffered: a client that does not read it in time loses its connection, and continues with `Last-Event-ID`.
 * Source: HTML standard, section 9.2.
 */
export async function sendEvents(
  res: ServerResponse,
  source: EventSource,
  { heartbeatMs = HEARTBEAT_MS, stallMs = STALL_MS }: EventStreamOptions = {},
): Promise<void> {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  // A client that closes its side, which is all that a stream sees of one that is gone, gets no more events.
  res.req.socket.once('end', () => gone.abort());
  res.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'close',
  });
  const response = new PacedResponse(res, { mostWaiting: MOST_WAITING, stallMs });
  // False once the client is gone.
  const send = (text: string): Promise<boolean> => {
    response.write([Buffer.from(text)]);
    return response.ready();
  };
  if (!(await send(`retry: ${RETRY_MS}\n\n`))) return;
  while (!gone.signal.aborted && !source.isClosed) {
    const events = source.next();
    if (events.length > 0) {
      if (!(await send(events.map(textOf).join('')))) return;
      continue;
    }
    const since = performance.now();
    await source.wait(heartbeatMs, gone.signal);
    if (performance.now() - since >= heartbeatMs - 1 && !(await send(':\n\n'))) return;
  }
  res.end();
}
