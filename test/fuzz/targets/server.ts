import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { Dispatcher } from '../../../src/http/dispatcher.js';
import { RpcError } from '../../../src/http/errors.js';
import type { EventSource } from '../../../src/http/event-stream.js';
import { createHttpApp, type HttpAppOptions } from '../../../src/http/http-app.js';
import { serveSite } from '../../../src/http/public-site.js';
import { PaySite } from '../../../src/watch/pay/pay-site.js';
import type { PayStreams } from '../../../src/watch/pay/pay-streams.js';
import { chooseTexts } from '../../../src/watch/pay/text-choice.js';
import { TokenLookup } from '../../../src/watch/pay/token-lookup.js';
import { utf8 } from '../../../src/util/bytes.js';
import { systemClock } from '../../../src/util/clock.js';
import { seededRng } from '../../support/seeded-rng.js';
import { Peer } from '../peer.js';
import { HEADER_BYTES, HEADER_MS, textParser, type Parser, type Target } from '../target.js';

const request = (head: string, body = ''): Uint8Array =>
  utf8(`${head}\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`);

const CALL = '{"jsonrpc":"2.0","id":1,"method":"get"}';

const REQUESTS = [
  request('POST /json_rpc HTTP/1.1\r\nContent-Type: application/json', CALL),
  request('POST /wallet/a%20b/json_rpc HTTP/1.1\r\nIdempotency-Key: "a"\r\nError-Details: 1', CALL),
  request('POST /json_rpc HTTP/1.1\r\nOrigin: http://localhost\r\nSec-Fetch-Site: same-origin', CALL),
  request('OPTIONS /json_rpc HTTP/1.1\r\nOrigin: http://other\r\nAccess-Control-Request-Method: POST'),
  request('GET /wallet/a/events?after=3&types=paid HTTP/1.1\r\nLast-Event-ID: 7'),
  request('GET /page HTTP/1.0\r\nConnection: keep-alive'),
  request('HEAD /open HTTP/1.1\r\nTransfer-Encoding: identity'),
  request('POST /form HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded', 'a=b&c=%20d'),
  request('POST /json_rpc HTTP/1.1\r\nAuthorization: Digest username="user", realm="monero-rpc"', CALL),
  utf8(
    `POST /json_rpc HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n27\r\n${CALL}\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
  ),
];

/** A stream of one event. */
function eventsAfter(id: string): EventSource {
  const events = [{ id: 1, type: 'paid', data: JSON.stringify(id) }];
  return {
    next: () => events.splice(0),
    wait: () => Promise.resolve(),
    get isClosed() {
      return events.length === 0;
    },
  };
}

/** Parser of the bytes of a connection to a server. */
function connectionParser(
  seeds: readonly Uint8Array[],
  handlerOf: (onBug: (error: unknown) => void) => RequestListener,
): Parser {
  const bugs: unknown[] = [];
  const server = createServer(handlerOf((error) => void bugs.push(error)));
  return {
    seeds,
    async run(input) {
      const peer = new Peer(input, false);
      peer.on('error', () => undefined);
      const closed = new Promise((resolve) => peer.once('close', resolve));
      server.emit('connection', peer as unknown as Socket);
      await closed;
      const [bug] = bugs.splice(0);
      if (bug !== undefined) throw bug;
    },
  };
}

/** Parser of the bytes of a connection: HTTP requests up to the handlers of their paths. */
const serverParser = (): Parser => connectionParser(REQUESTS, (onBug) => createHttpApp(appOptions(onBug)));

function appOptions(onBug: (error: unknown) => void): HttpAppOptions {
  const dispatcher = new Dispatcher({
    call: (method) =>
      method === 'get' ? Promise.resolve({ a: 1 }) : Promise.reject(new RpcError(-32601, 'none')),
    onBug: (_method, error) => onBug(error),
  });
  return {
    ...{ dispatcher, onBug, origins: ['http://allowed'], hosts: ['node'] },
    targetPath: '/wallet/:target/json_rpc',
    endpoints: [
      {
        path: '/binary',
        answer: (body) => Promise.resolve({ status: 200, type: 'application/octet-stream', body: [body] }),
      },
    ],
    streams: [{ path: '/wallet/:target/events', open: ({ lastEventId }) => eventsAfter(lastEventId ?? '') }],
    openPages: [{ path: '/open', answer: () => ({ status: 200, type: 'text/plain', body: 'open' }) }],
    pages: [
      { path: '/page', answer: ({ query }) => ({ status: 200, type: 'text/plain', body: query['a'] ?? '' }) },
    ],
    forms: [
      {
        path: '/form',
        submit: (fields) => Promise.resolve({ status: 200, type: 'text/plain', body: fields['a'] ?? '' }),
      },
    ],
  };
}

const WORDS = [
  '\r\n',
  ' HTTP/1.1\r\n',
  'POST ',
  'GET ',
  'Content-Length: ',
  'Transfer-Encoding: chunked\r\n',
  'Origin: null\r\n',
  'Host: a\r\n',
  '%',
  '%ff',
  '%2f',
  '..',
  '?',
  'Sec-Fetch-Site: none\r\n',
  'Expect: 100-continue\r\n',
  'Upgrade: h2c\r\n',
  'traceparent: 00-',
];

const NO_LIMIT = { public: 1e9, private: 1e9 };
const NO_RATE = { public: { requests: 1e9, seconds: 1 }, private: { requests: 1e9, seconds: 1 } };

/** Parser of the bytes of a connection to the pay pages, which anybody may open. No wallet is open. */
function payParser(): Parser {
  const lookup = new TokenLookup(() => [], seededRng('tokens'));
  const site = new PaySite({
    lookup,
    streams: {} as PayStreams,
    ...{ network: 'mainnet', clock: systemClock, isStarting: () => false },
    limits: { requests: NO_RATE, searches: NO_RATE, streams: NO_LIMIT },
  });
  const token = '0123456789abcdef'.repeat(2);
  return connectionParser(
    [
      request(`GET /pay/${token} HTTP/1.1\r\nAccept-Language: de-CH, en;q=0.5`),
      request(`GET /pay/${token}/events?a HTTP/1.1\r\nLast-Event-ID: 1`),
      request('HEAD /pay/pay.js HTTP/1.1'),
      request('POST /pay/x HTTP/1.1', 'a'),
    ],
    (onBug) => serveSite(site, onBug),
  );
}

export const targets: readonly Target[] = [
  {
    name: 'http-request',
    errors: [],
    modules: [
      'http/http-app',
      'http/browser-guard',
      'http/dispatcher',
      'http/idempotency-key',
      'http/event-stream',
    ],
    words: WORDS,
    maxBytes: 2 * HEADER_BYTES,
    limitMs: HEADER_MS,
    prepare: serverParser,
  },
  {
    name: 'pay-site',
    errors: [],
    modules: ['http/public-site', 'watch/pay/pay-site', 'watch/pay/token-lookup', 'watch/pay/text-choice'],
    words: [...WORDS, '/pay/', '/events', 'Accept-Language: ', ';q='],
    maxBytes: 2 * HEADER_BYTES,
    limitMs: HEADER_MS,
    prepare: payParser,
  },
  {
    name: 'languages',
    errors: [],
    modules: ['watch/pay/text-choice'],
    words: ['de', 'en', ';q=', ',', '0.001', '*'],
    maxBytes: HEADER_BYTES,
    limitMs: HEADER_MS,
    prepare: () => textParser(['de-CH, en;q=0.5', '*', 'fr;q=1.000,de;q=0'], chooseTexts),
  },
];
