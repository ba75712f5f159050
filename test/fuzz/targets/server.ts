import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { digestAuth } from '../../../src/http/digest-auth.js';
import { Dispatcher } from '../../../src/http/dispatcher.js';
import { RpcError } from '../../../src/http/errors.js';
import type { EventSource } from '../../../src/http/event-stream.js';
import { createHttpApp, type HttpAppOptions } from '../../../src/http/http-app.js';
import { chooseTexts } from '../../../src/watch/pay/text-choice.js';
import { utf8 } from '../../../src/util/bytes.js';
import { Peer } from '../peer.js';
import { textParser, type Parser, type Target } from '../target.js';

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

/** Parser of the bytes of a connection: HTTP requests up to the handlers of their paths. */
function serverParser(login: boolean): Parser {
  const bugs: unknown[] = [];
  const onBug = (error: unknown): void => void bugs.push(error);
  const dispatcher = new Dispatcher({
    call: (method) =>
      method === 'get' ? Promise.resolve({ a: 1 }) : Promise.reject(new RpcError(-32601, 'none')),
    onBug: (_method, error) => onBug(error),
  });
  const options: HttpAppOptions = {
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
    ...(login ? { auth: digestAuth('user', 'password') } : {}),
  };
  const server = createServer(createHttpApp(options));
  return {
    seeds: REQUESTS,
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
    words: [
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
    ],
    prepare: () => serverParser(false),
  },
  {
    name: 'languages',
    errors: [],
    modules: ['watch/pay/text-choice'],
    words: ['de', 'en', ';q=', ',', '0.001', '*'],
    maxBytes: 16_384,
    prepare: () => textParser(['de-CH, en;q=0.5', '*', 'fr;q=1.000,de;q=0'], chooseTexts),
  },
];
