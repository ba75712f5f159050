import { authentication, singleLogin } from '../../../src/http/login/authentication.js';
import type { Caller, Login, Logins } from '../../../src/http/message/caller.js';
import { Dispatcher } from '../../../src/http/calls/dispatcher.js';
import { RpcError } from '../../../src/http/calls/errors.js';
import type { EventSource } from '../../../src/http/message/event-stream.js';
import {
  createHttpApp,
  StreamRefusal,
  type HttpAppOptions,
  type StreamRequest,
} from '../../../src/http/http-app.js';
import { StreamedJson } from '../../../src/http/calls/json-rows.js';
import { serveSite } from '../../../src/http/pages/public-site.js';
import { equalBytes, fromHex, utf8 } from '../../../src/util/bytes.js';
import type { Writable } from '../../../src/util/json-writer.js';
import { PaySite } from '../../../src/watch/pay/pay-site.js';
import { NO_REFUNDS } from '../../watch/pay/fixtures.js';
import { chooseTexts } from '../../../src/watch/pay/pay-texts.js';
import { PayStreams } from '../../../src/watch/pay/pay-streams.js';
import { TokenLookup, type PayWallet } from '../../../src/watch/pay/token-lookup.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { NOW, requestView } from '../../watch/pay/fixtures.js';
import { connectionParser, HTTP_WORDS, request } from '../http-connection.js';
import { PEER_ADDRESS } from '../peer.js';
import { HEADER_BYTES, HEADER_MS, textParser, type Parser, type Target } from '../target.js';

const callOf = (method: string): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method });
const CALL = callOf('get');
const NOTIFICATION = '{"jsonrpc":"2.0","method":"get"}';
const RPC = 'POST /json_rpc HTTP/1.1';
const EVENTS = 'GET /wallet/a/events?after=3&types=paid HTTP/1.1';
const FORM = 'POST /form HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded';

const REQUESTS = [
  request(`${RPC}\r\nContent-Type: application/json`, CALL),
  request('POST /wallet/a%20b/json_rpc HTTP/1.1\r\nIdempotency-Key: "a"\r\nError-Details: yes', CALL),
  ...['rows', 'explained', 'busy', 'other'].map((method) =>
    request(`${RPC}\r\nError-Details: yes`, callOf(method)),
  ),
  ...[
    `[${CALL},${NOTIFICATION},5,${callOf('rows')}]`,
    `[${NOTIFICATION}]`,
    '[]',
    '5',
    '{"id":null}',
    '{',
  ].map((body) => request(RPC, body)),
  request(RPC, '{"id":{"a":1},"method":5}'),
  request(`${RPC}\r\nIdempotency-Key: "a"`, `[${CALL}]`),
  request(`${RPC}\r\nIdempotency-Key: "${'a'.repeat(256)}"`, CALL),
  request(`${RPC}\r\nOrigin: http://localhost\r\nSec-Fetch-Site: same-origin`, CALL),
  request(`${RPC}\r\nOrigin: http://localhost\r\nContent-Type: text/plain`, CALL),
  request(`${RPC}\r\nContent-Encoding: gzip`, CALL),
  request('OPTIONS /json_rpc HTTP/1.1\r\nOrigin: http://other\r\nAccess-Control-Request-Method: POST'),
  request('OPTIONS /json_rpc HTTP/1.1\r\nOrigin: http://allowed'),
  request(`${EVENTS}\r\nLast-Event-ID: 7`),
  request(EVENTS),
  request(`${EVENTS}\r\nLast-Event-ID: refused`),
  request(`${EVENTS}\r\nLast-Event-ID: ended`),
  request('GET /events?after=1&after=2 HTTP/1.1'),
  request('GET /page?a=b%20c HTTP/1.0\r\nConnection: keep-alive'),
  request('GET /page HTTP/1.1\r\nAuthorization: Bearer guest'),
  request('HEAD /open HTTP/1.1\r\nTransfer-Encoding: identity'),
  request(`${FORM}\r\nSec-Fetch-Site: same-origin`, 'a=b&c=%20d'),
  request(`${FORM}\r\nOrigin: http://localhost`, 'a=b'),
  request(FORM, 'a=b'),
  request('POST /binary HTTP/1.1', 'abc'),
  request(`${RPC}\r\nAuthorization: Digest username="user", realm="monero-rpc"`, CALL),
  request(`${RPC}\r\nAuthorization: Bearer full`, CALL),
  request(
    `${RPC}\r\nAuthorization: Bearer guest\r\ntraceparent: 00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`,
    CALL,
  ),
  utf8(`${RPC}\r\nTransfer-Encoding: chunked\r\n\r\n27\r\n${CALL}\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n`),
];

/** A stream of two events, with a wait before the second one. */
function eventsAfter({ lastEventId: id = '' }: Pick<StreamRequest, 'lastEventId'>): EventSource {
  if (id === 'refused') throw new StreamRefusal(410, 'expired', 5);
  const events = [1, 2].map((number) => ({ id: number, type: 'paid', data: JSON.stringify(id) }));
  let turns = 0;
  return {
    next() {
      turns += 1;
      if (id === 'ended' && turns > 1) throw new StreamRefusal(403, 'removed');
      return turns === 2 ? [] : events.splice(0, 1);
    },
    wait: () => Promise.resolve(),
    get isClosed() {
      return events.length === 0;
    },
  };
}

/** Parser of the bytes of a connection: HTTP requests up to the handlers of their paths. */
const serverParser = (): Parser => connectionParser(REQUESTS, (onBug) => createHttpApp(appOptions(onBug)));

/** Adds a token to a request, before its first header. */
function withToken(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  return Uint8Array.from(Buffer.from(text.replace('\r\n', '\r\nAuthorization: Bearer full\r\n'), 'latin1'));
}

/** Parser of the same for a server that requires a login; a guest may do less than others. */
const loginParser = (): Parser =>
  connectionParser([...REQUESTS, ...REQUESTS.map(withToken)], (onBug) => {
    const mayRead = (caller: Caller | undefined): boolean => caller?.login?.name !== 'guest';
    const logins: Logins = {
      ...singleLogin('user', 'password'),
      byToken: (name) => (name === 'full' || name === 'guest' ? loginOf(name) : undefined),
    };
    return createHttpApp({ ...appOptions(onBug), auth: authentication(logins), mayRead });
  });

/** A login by its name; that of a guest is refused from an address other than that of the peer. */
const loginOf = (name: string): Login => ({
  name,
  refusalFrom: (ip) =>
    name === 'guest' && ip !== PEER_ADDRESS ? { status: 403, reason: 'elsewhere' } : undefined,
});

/** The end of a list that is sent while its rows are read. */
async function* restOfRows(): AsyncGenerator<readonly Uint8Array[], void> {
  yield [utf8(',{"a":2}')];
  yield [utf8(']')];
}

/** Results of calls by the name of the method. */
const RESULTS: Readonly<Record<string, () => Writable | StreamedJson>> = {
  get: () => ({ a: 1 }),
  rows: () => new StreamedJson([utf8('[1')], restOfRows(), (error) => error),
  explained() {
    throw new RpcError(-1, 'no', { explanation: 'why' });
  },
  busy() {
    throw new RpcError(-2, 'later', { status: 503, retryAfter: 3 });
  },
};

function appOptions(onBug: (error: unknown) => void): HttpAppOptions {
  const dispatcher = new Dispatcher({
    async call(method) {
      const result = RESULTS[method];
      if (result === undefined || !Object.hasOwn(RESULTS, method)) throw new RpcError(-32601, 'none');
      return result();
    },
    onBug: (_method, error) => onBug(error),
    sizeOf: () => 'ordinary',
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
    streams: ['/events', '/wallet/:target/events'].map((path) => ({ path, open: eventsAfter })),
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

const TOKEN = '0123456789abcdef'.repeat(2);
const NO_LIMIT = { public: 1e9, private: 1e9 };
const NO_RATE = { public: { requests: 1e9, seconds: 1 }, private: { requests: 1e9, seconds: 1 } };

/** Parser of the bytes of a connection to the pay pages, which anybody may open. One wallet with requests is open. */
function payParser(): Parser {
  const views = [requestView({ token: fromHex(TOKEN), expires: NOW + 60 }), requestView({ cancelled: NOW })];
  const wallet: PayWallet = {
    name: 'shop',
    paymentRequests: {
      byToken: (token) => views.find(({ request: { token: known } }) => equalBytes(known, token)),
    } as PayWallet['paymentRequests'],
    refunds: NO_REFUNDS,
    eventLog: { lastId: 0, after: () => [] },
  };
  const lookup = new TokenLookup(() => [wallet], seededRng('tokens'));
  const clock = { now: () => NOW * 1000 };
  return connectionParser(
    [
      request(`GET /pay/${TOKEN} HTTP/1.1\r\nAccept-Language: de-CH, en;q=0.5`),
      request(`GET /pay/${TOKEN}/events?a HTTP/1.1\r\nLast-Event-ID: 1`),
      request(`HEAD /pay/${TOKEN}/events HTTP/1.1`),
      request(`GET /pay/${'07'.repeat(16)} HTTP/1.1`),
      request('HEAD /pay/pay.js HTTP/1.1'),
      request('POST /pay/x HTTP/1.1', 'a'),
    ],
    (onBug) => {
      const isCutOff = (): boolean => false;
      const streams = new PayStreams({ wallets: () => [wallet], network: 'mainnet', clock, isCutOff, onBug });
      const limits = { requests: NO_RATE, searches: NO_RATE, streams: NO_LIMIT };
      const parts = { lookup, streams, network: 'mainnet', clock, limits } as const;
      return serveSite(new PaySite({ ...parts, isOpening: () => false, isCutOff }), onBug);
    },
  );
}

export const targets: readonly Target[] = [
  {
    name: 'http-request',
    errors: [],
    modules: [
      'http/http-app',
      'http/message/handler',
      'http/pages/browser-guard',
      'http/calls/dispatcher',
      'http/calls/idempotency-key',
      'http/message/event-stream',
    ],
    words: HTTP_WORDS,
    maxBytes: 2 * HEADER_BYTES,
    limitMs: HEADER_MS,
    prepare: serverParser,
  },
  {
    name: 'http-login',
    errors: [],
    modules: ['http/http-app', 'http/pages/pages', 'http/calls/answer'],
    words: [...HTTP_WORDS, 'Authorization: ', 'Bearer guest', 'Bearer full', 'Digest '],
    maxBytes: 2 * HEADER_BYTES,
    limitMs: HEADER_MS,
    prepare: loginParser,
  },
  {
    name: 'pay-site',
    errors: [],
    modules: ['http/pages/public-site', 'watch/pay/pay-site', 'watch/pay/token-lookup'],
    words: [...HTTP_WORDS, TOKEN, '/pay/', '/events', 'Accept-Language: ', ';q='],
    maxBytes: 2 * HEADER_BYTES,
    limitMs: HEADER_MS,
    prepare: payParser,
  },
  {
    name: 'languages',
    errors: [],
    modules: ['watch/pay/pay-site'],
    words: ['de', 'en', ';q=', ',', '0.001', '*'],
    maxBytes: HEADER_BYTES,
    limitMs: HEADER_MS,
    prepare: () => textParser(['de-CH, en;q=0.5', '*', 'fr;q=1.000,de;q=0'], chooseTexts),
  },
];
