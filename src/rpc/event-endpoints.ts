import type { EventSource } from '../jsonrpc/event-stream.js';
import { StreamRefusal, type StreamEndpoint, type StreamRequest } from '../jsonrpc/http-app.js';
import type { WalletManager } from '../services/manager/wallet-manager.js';
import { writeWholeJson } from '../util/json-writer.js';
import { EVENT_TYPES, type EventType } from '../wallet/model/events.js';
import { WalletError } from '../wallet/model/wallet-error.js';
import { explain } from './error-explanations.js';
import { eventLogsOf } from './event-scope.js';

/** Events sent at a time. */
const PAGE = 500;

const BAD_REQUEST = 400;
const NOT_FOUND = 404;
const GONE = 410;

/** @throws StreamRefusal */
function readCursor(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const cursor = Number(text);
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(cursor)) return cursor;
  throw new StreamRefusal(BAD_REQUEST, 'the cursor is the id of an event');
}

/** @throws StreamRefusal */
function readTypes(text: string | undefined): EventType[] {
  const names = text === undefined || text === '' ? [] : text.split(',');
  return names.map((name) => {
    const type = EVENT_TYPES.find((known) => known === name);
    if (type === undefined) throw new StreamRefusal(BAD_REQUEST, `types are among ${EVENT_TYPES.join(', ')}`);
    return type;
  });
}

/** Runs a task. @throws StreamRefusal for a fault of the wallet. */
function refusing<T>(task: () => T): T {
  try {
    return task();
  } catch (error) {
    if (!(error instanceof WalletError)) throw error;
    throw new StreamRefusal(error.fault.kind === 'events_expired' ? GONE : NOT_FOUND, explain(error.fault));
  }
}

/** @throws StreamRefusal for a bad or expired cursor, and a wallet that is not open. */
function openStream(server: WalletManager, { target, query, lastEventId }: StreamRequest): EventSource {
  const { events: feed } = server;
  const scope = server.scope(target);
  const logs = () => eventLogsOf({ server, scope });
  const types = readTypes(query['types']);
  const given = readCursor(lastEventId ?? query['after']);
  return refusing(() => {
    let cursor = given ?? feed.oldestCursor(logs());
    const next = () => {
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
    // Read before the answer begins, so that its status can tell of an expired cursor.
    let first: ReturnType<typeof next> | undefined = next();
    return {
      next() {
        const page = first ?? refusing(next);
        first = undefined;
        return page;
      },
      wait: (ms, signal) => feed.wait(ms, signal),
      get isClosed() {
        return feed.isClosed;
      },
    };
  });
}

/** Paths of events as streams: of one wallet, and of all open wallets. */
export const eventEndpoints = (server: WalletManager): readonly StreamEndpoint[] =>
  ['/events', '/wallet/:target/events'].map((path) => ({
    path,
    open: (request) => openStream(server, request),
  }));
