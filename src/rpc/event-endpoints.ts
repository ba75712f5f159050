import type { Credential } from './access/credential.js';
import type { EventSource } from '../http/message/event-stream.js';
import { StreamRefusal, type StreamEndpoint, type StreamRequest } from '../http/http-app.js';
import { assertQuorum } from '../services/cluster/cluster-faults.js';
import type { WalletManager } from '../services/manager/wallet-manager.js';
import type { WalletScope } from '../services/manager/wallet-scope.js';
import { didYouMean, nearestName } from '../util/nearest-name.js';
import { writeWholeJson } from '../util/json-writer.js';
import { EVENT_TYPES, type EventType } from '../model/events.js';
import { faultOf } from '../model/wallet-error.js';
import type { AuditLog } from './access/audit-log.js';
import { recordStream } from './calls/audit.js';
import { RpcError } from '../http/calls/errors.js';
import { assertAllowed, assertValid, countCall, credentialOf } from './access/permission.js';
import type { Kind } from './faults/fault-entry.js';
import { explain, httpOf } from './faults/fault-table.js';
import { eventLogsOf, waitForEvents } from './methods/events.js';
import { holdCall } from './calls/hold.js';
import type { WalletMethod } from './method.js';
import { registry } from './registry.js';

/** Number of events read from the stores in one step. */
const PAGE = 500;

const BAD_REQUEST = 400;
const FORBIDDEN = 403;
const NOT_FOUND = 404;
const GONE = 410;
const INTERNAL_SERVER_ERROR = 500;
const UNAVAILABLE = 503;

/** HTTP statuses of refusals, by the kind of their fault; 404 for other kinds. */
const STATUS: { readonly [K in Kind]?: number } = {
  events_expired: GONE,
  events_ahead: BAD_REQUEST,
  not_replicated: UNAVAILABLE,
};

/** Parses a cursor. @throws StreamRefusal for a malformed cursor. */
function readCursor(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const cursor = Number(text);
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(cursor)) return cursor;
  throw new StreamRefusal(BAD_REQUEST, 'the cursor is the id of an event');
}

/** Parses a list of event types. @throws StreamRefusal for an unknown type. */
function readTypes(text: string | undefined): EventType[] {
  const names = text === undefined || text === '' ? [] : text.split(',');
  return names.map((name) => {
    const type = EVENT_TYPES.find((known) => known === name);
    if (type === undefined)
      throw new StreamRefusal(
        BAD_REQUEST,
        `types are among ${EVENT_TYPES.join(', ')}${didYouMean(name, EVENT_TYPES)}`,
      );
    return type;
  });
}

/** Parameters of a stream. */
const STREAM_PARAMS = ['types', 'after'];

/** Refuses a misspelt parameter; ignores other unknown parameters, which some clients add. @throws StreamRefusal */
function assertSpelt(query: StreamRequest['query']): void {
  for (const name of Object.keys(query)) {
    const nearest = STREAM_PARAMS.includes(name) ? undefined : nearestName(name, STREAM_PARAMS);
    if (nearest !== undefined) throw new StreamRefusal(BAD_REQUEST, `did you mean ${nearest}?`);
  }
}

/** Returns the error of a stream in place of a WalletError, or an error of a credential. */
function refusalOf(error: unknown): unknown {
  if (error instanceof RpcError)
    return new StreamRefusal(
      error.status === 200 ? FORBIDDEN : error.status,
      error.message,
      error.retryAfter,
    );
  const fault = faultOf(error);
  if (fault === undefined) return error;
  const { kind } = fault;
  const { status = STATUS[kind] ?? NOT_FOUND, retryAfter } = httpOf(kind);
  return new StreamRefusal(status, explain(fault), retryAfter);
}

/** Runs a task. @throws StreamRefusal in place of a WalletError. */
function refusing<T>(task: () => T): T {
  try {
    return task();
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Returns the method whose rules apply to streams. */
function eventMethod(): WalletMethod {
  const method = registry.find('get_events');
  if (method === undefined) throw new Error('no method get_events');
  return method;
}

/** Checks that a credential may open a stream. @throws StreamRefusal */
const admit = (credential: Credential): void =>
  refusing(() => {
    countCall(credential);
    assertAllowed(credential, eventMethod());
  });

/** Waits for wallets that are being opened, as a call of `get_events` does. @throws StreamRefusal */
async function hold(
  server: WalletManager,
  scope: WalletScope,
  credential: Credential | undefined,
): Promise<void> {
  try {
    const call = { method: eventMethod(), params: undefined, arrived: undefined };
    const hasWaited = await holdCall(server, scope, call);
    if (hasWaited && credential !== undefined) assertValid(credential);
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Parameters of a stream. */
interface StreamQuery {
  readonly types: readonly EventType[];
  /** Cursor that the client gives; undefined: from the oldest kept event on. */
  readonly after: number | undefined;
}

/** Reads the parameters of a stream. @throws StreamRefusal for a misspelt or malformed parameter. */
function readQuery({ query, lastEventId }: StreamRequest): StreamQuery {
  assertSpelt(query);
  return { types: readTypes(query['types']), after: readCursor(lastEventId ?? query['after']) };
}

/**
 * Opens a stream of events.
 * @throws StreamRefusal for a malformed or expired cursor, for a cursor above all events, for a wallet that is not
 * open, for a process of a cluster without a quorum, and by the rules of a credential.
 */
async function openStream(server: WalletManager, request: StreamRequest): Promise<EventSource> {
  const { events: feed, settings } = server;
  const quorum = settings.cluster?.quorum;
  const credential = credentialOf(request.caller);
  if (credential !== undefined) admit(credential);
  const { types, after } = readQuery(request);
  const scope = server.scope(request.target, credential);
  await hold(server, scope, credential);
  const logs = () => eventLogsOf({ server, scope });
  return refusing(() => {
    if (quorum !== undefined) assertQuorum(quorum);
    let cursor = after ?? feed.oldestCursor(logs());
    const next = () => {
      const refusal = credential?.refusal();
      if (refusal !== undefined) throw new StreamRefusal(refusal.status, refusal.reason);
      const page = feed.read(logs(), {
        after: cursor,
        limit: PAGE,
        ...(types.length === 0 ? {} : { types }),
      });
      ({ cursor } = page);
      return page.events.map((event) => ({
        id: event.id,
        type: event.type,
        data: writeWholeJson({ ...event }),
      }));
    };
    // Reads the first page before the answer begins, so that its status can report an expired cursor.
    let first: ReturnType<typeof next> | undefined = next();
    return {
      next() {
        const page = first ?? refusing(next);
        first = undefined;
        return page;
      },
      wait: (ms, signal) => waitForEvents(feed, credential, ms, signal),
      get isClosed() {
        return feed.isClosed || scope.isMoving || quorum?.isLost === true;
      },
    };
  });
}

/**
 * Returns the endpoints of event streams: for one wallet, and for all open wallets. @param audit log that records each
 * stream.
 */
export const eventEndpoints = (server: WalletManager, audit?: AuditLog): readonly StreamEndpoint[] =>
  ['/events', '/wallet/:target/events'].map((path) => ({
    path,
    async open(request) {
      const record = (outcome: 'ok' | number): void => audit && recordStream(audit, request, outcome);
      try {
        const source = await openStream(server, request);
        record('ok');
        return source;
      } catch (error) {
        record(error instanceof StreamRefusal ? error.status : INTERNAL_SERVER_ERROR);
        throw error;
      }
    },
  }));
