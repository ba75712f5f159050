import type { ServerResponse } from 'node:http';
import { PacedResponse } from './paced-response.js';

/** An event in a stream. */
export interface StreamedEvent {
  readonly id: number;
  readonly type: string;
  /** Content of the event: JSON in one line. */
  readonly data: string;
}

/** Source of the events in a stream. */
export interface EventSource {
  /**
   * Returns the next events, without waiting; an empty list if there are no new events yet. An error ends the stream.
   */
  next(): readonly StreamedEvent[];
  /** Resolves when there may be new events. @param ms longest wait [ms]. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** True once the stream must end. */
  readonly isClosed: boolean;
}

export interface EventStreamOptions {
  /** Interval between the comments that keep the connection open [ms]. */
  readonly heartbeatMs?: number;
  /** Time in which a client must read the sent events [ms]; otherwise the connection is closed. */
  readonly stallMs?: number;
}

const HEARTBEAT_MS = 15_000;
const STALL_MS = 15_000;

/** Number of unread bytes up to which the source is asked for more events. */
const MOST_WAITING = 1 << 16;

/** Time after which a client reconnects [ms]. */
const RETRY_MS = 2_000;

const textOf = ({ id, type, data }: StreamedEvent): string => `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`;

/**
 * Sends events as server-sent events until the source or the client ends the stream. Buffers at most one result of
 * `next`: a client that does not read this result in time loses its connection, and continues later with
 * `Last-Event-ID`. Source: HTML standard, section 9.2.
 */
export async function sendEvents(
  res: ServerResponse,
  source: EventSource,
  { heartbeatMs = HEARTBEAT_MS, stallMs = STALL_MS }: EventStreamOptions = {},
): Promise<void> {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  // A client that closes its side gets no more events: a stream cannot distinguish such a client from a client that is
  // gone.
  res.req.socket.once('end', () => gone.abort());
  res.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'close',
  });
  const response = new PacedResponse(res, { mostWaiting: MOST_WAITING, stallMs });
  // Resolves with false once the client is gone.
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
