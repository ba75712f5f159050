import type { IncomingMessage } from 'node:http';
import { JsonError } from '../util/json.js';
import { Unanswered } from '../util/outbound/exchange.js';
import { WalletConnectionError, WalletHttpError, type WalletClientError } from './errors.js';
import { readFirstLine, retryAfterOf } from './answer.js';
import { parseEvent } from './event-text.js';
import type { WalletEvent } from './methods.js';
import type { EventOptions } from './options.js';
import { CLOSED, type HttpTransport } from './transport.js';

/** Message in an event stream. */
export interface ServerSentEvent {
  /** Id of the latest message that had an id; empty if no message had an id. */
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

/**
 * Parses server-sent events from text that arrives in parts of any length. A message is complete once its empty line
 * has arrived; a message that breaks off is never reported. Source: HTML standard, section 9.2.6.
 */
export class EventStreamParser {
  /** Parts of the line that is not complete yet. They are joined once: a line may arrive in any number of parts. */
  #rest: string[] = [];
  /** True if the last part ended with a carriage return, which may be the first half of a line end. */
  #returned = false;
  #id = '';
  #type = '';
  #data: string[] = [];

  /** Parses the next part of the text. @returns messages that are complete with this part. */
  write(part: string): ServerSentEvent[] {
    if (part === '') return [];
    const text = this.#returned ? `\r${part}` : part;
    this.#returned = text.endsWith('\r');
    const [first = '', ...others] = (this.#returned ? text.slice(0, -1) : text).split(/\r\n|\n|\r/);
    this.#rest.push(first);
    const last = others.pop();
    if (last === undefined) return [];
    const lines = [this.#rest.join(''), ...others];
    this.#rest = [last];
    return lines.flatMap((line) => this.#line(line));
  }

  #line(line: string): ServerSentEvent[] {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    // A line that begins with a colon is a comment, which the server sends to keep the connection open.
    if (colon === 0) return [];
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#type = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    return [];
  }

  #dispatch(): ServerSentEvent[] {
    const [type, data] = [this.#type, this.#data];
    this.#type = '';
    this.#data = [];
    return data.length === 0 ? [] : [{ id: this.#id, type, data: data.join('\n') }];
  }
}

/** Time limits of a stream [ms]. */
export interface StreamTimes {
  /** Time before the first attempt to reconnect; doubled after each failure. */
  readonly firstDelay: number;
  readonly maxDelay: number;
  /** Longest time without data on a connection; the server sends a comment every 15 s. */
  readonly maxSilence: number;
}

/** Longest delay that the client adds after an answer with a time of its own [ms]. */
const MAX_ASKED_DELAY = 2_000;

const TIMES: StreamTimes = { firstDelay: 250, maxDelay: 30_000, maxSilence: 45_000 };

const NAME = 'events';
const OK = 200;
const NOT_FOUND = 404;
/** HTTP statuses of a server, or of a proxy before it, after which the same request may succeed later. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

interface Stream {
  /** Returns the next events with ids above the cursor; undefined once the server has ended the stream. */
  next(): Promise<readonly WalletEvent[] | undefined>;
  close(): void;
}

export interface EventSourceParts {
  readonly transport: HttpTransport;
  /** Path and query of the stream. */
  readonly path: string;
  readonly times?: StreamTimes;
}

/**
 * Yields the events of a wallet in the order of their ids, without gaps and repetitions, across lost connections and
 * restarts of the server. A slow consumer loses its connection, but no event.
 * @throws WalletHttpError if the server refuses the stream: 400 for a malformed cursor or a cursor above all events,
 * 401 and 403 because of the login, 404 for a wallet that was not open at the beginning, 410 for a cursor whose events
 * have expired. Throws the reason of the signal when it is aborted.
 */
export async function* followEvents(
  { transport, path, times = TIMES }: EventSourceParts,
  { after, types = [], signal, onRetry }: EventOptions,
): AsyncGenerator<WalletEvent, never, void> {
  const end = transport.begin({ signal });
  let cursor = after;
  let failures = 0;
  let wasOpen = false;
  let stream: Stream | undefined;
  try {
    for (;;) {
      let events: readonly WalletEvent[] = [];
      try {
        stream ??= await openStream(transport, pathOf(path, cursor, types), end.signal, times);
        wasOpen = true;
        const next = await stream.next();
        if (next === undefined) throw new Unanswered(new Error('the server ended the stream'), true);
        events = next;
        failures = 0;
      } catch (error) {
        stream?.close();
        stream = undefined;
        if (end.signal.aborted || !isPassing(error, wasOpen)) throw error;
        const delay = delayAfter(error, failures++, times);
        onRetry?.(shownError(error) as WalletClientError, delay);
        await end.pause(delay);
      }
      for (const event of events) {
        if (cursor !== undefined && event.id <= cursor) continue;
        cursor = event.id;
        yield event;
      }
    }
  } catch (error) {
    const { aborted, reason } = end.signal;
    if (reason === CLOSED) throw new WalletConnectionError(NAME, 'the client was closed', true);
    throw aborted ? reason : shownError(error);
  } finally {
    stream?.close();
    end.release();
  }
}

function pathOf(path: string, after: number | undefined, types: readonly string[]): string {
  const query = [
    ...(after === undefined ? [] : [`after=${after}`]),
    ...(types.length === 0 ? [] : [`types=${types.map(encodeURIComponent).join(',')}`]),
  ];
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

/**
 * True if a later attempt may succeed. @param wasOpen true if the wallet was open before: after a restart of the server
 * it may be opened again.
 */
const isPassing = (error: unknown, wasOpen: boolean): boolean =>
  error instanceof Unanswered ||
  (error instanceof WalletHttpError &&
    (PASSING.has(error.status) || (wasOpen && error.status === NOT_FOUND)));

/**
 * Returns the time before the next attempt [ms]. A server that says when it can be asked again, as while it opens wallets,
 * is not kept waiting much longer.
 */
function delayAfter(error: unknown, failures: number, { firstDelay, maxDelay }: StreamTimes): number {
  const asked = error instanceof WalletHttpError ? error.retryAfter : undefined;
  const most = asked === undefined ? maxDelay : Math.min(maxDelay, MAX_ASKED_DELAY);
  const backoff = Math.min(firstDelay * 2 ** failures, most) * (1 - Math.random() / 2);
  return Math.max((asked ?? 0) * 1000, backoff);
}

const shownError = (error: unknown): unknown =>
  error instanceof Unanswered
    ? new WalletConnectionError(NAME, error.message, error.maybeSent, { cause: error.cause })
    : error;

/** Opens a stream. @throws WalletHttpError, Unanswered */
async function openStream(
  transport: HttpTransport,
  path: string,
  signal: AbortSignal,
  { maxSilence }: StreamTimes,
): Promise<Stream> {
  const answer = await transport.send({
    ...{ method: 'GET', path, signal, isStream: true },
    headers: { accept: 'text/event-stream' },
  });
  const { statusCode: status = 0, headers } = answer;
  if (status !== OK || !/^text\/event-stream\b/i.test(headers['content-type'] ?? ''))
    throw new WalletHttpError(NAME, status, await readFirstLine(answer), retryAfterOf(headers));
  return streamOf(answer, maxSilence);
}

function streamOf(answer: IncomingMessage, maxSilence: number): Stream {
  const parser = new EventStreamParser();
  const parts = answer.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>;
  const next = async (): Promise<IteratorResult<string>> => {
    const timer = setTimeout(() => answer.destroy(new Error('the stream is silent')), maxSilence);
    try {
      return await parts.next();
    } catch (cause) {
      throw new Unanswered(cause, true);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    async next() {
      const { done, value } = await next();
      return done === true ? undefined : parser.write(value).map(({ data }) => eventOf(data));
    },
    close: () => void answer.destroy(),
  };
}

/**
 * Reads an event.
 * @throws WalletHttpError for data that is not an event: without an id, the events after it would be repeated.
 */
function eventOf(data: string): WalletEvent {
  let event;
  try {
    event = parseEvent(data);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new WalletHttpError(NAME, OK, `an event is ${error.message}`);
  }
  if (!Number.isSafeInteger(event?.['id'])) throw new WalletHttpError(NAME, OK, 'an event has no id');
  return event as unknown as WalletEvent;
}
