import { createHmac } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createClient } from '../../../src/client/client.js';
import { WalletClientError } from '../../../src/client/errors.js';
import { followEvents } from '../../../src/client/events.js';
import { Login, HttpTransport } from '../../../src/client/transport.js';
import { Connector } from '../../../src/daemon/connector.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { Transport } from '../../../src/daemon/transport.js';
import { RpcError } from '../../../src/http/calls/errors.js';
import { attempt } from '../../../src/http/forward/attempt.js';
import { MemberCallError, MemberCalls } from '../../../src/http/forward/member-calls.js';
import type { MemberConnections } from '../../../src/http/forward/member-connections.js';
import { passAnswer } from '../../../src/http/forward/passed-answer.js';
import { utf8 } from '../../../src/util/bytes.js';
import { OutboundAgent } from '../../../src/util/outbound/agent.js';
import { NEXT_ANSWER, Peer } from '../peer.js';
import { HEADER_BYTES, HEADER_MS, placeBy, type Parser, type Target } from '../target.js';

/* Answers to requests that this program sends over HTTP: to a daemon, to a process of the cluster, and as a client. */

const peerOf = (input: Uint8Array): Socket => new Peer(input, 'answers') as unknown as Socket;

/** Writes an answer. Without a body, its length is left out. */
const answer = (status: string, headers: readonly string[] = [], body?: string): string =>
  [
    `HTTP/1.1 ${status}`,
    ...headers,
    ...(body === undefined ? [] : [`Content-Length: ${body.length}`]),
    '',
    body ?? '',
  ].join('\r\n');

const CHALLENGE = 'WWW-Authenticate: Digest qop="auth",algorithm=MD5,realm="a",nonce="bbbb",stale=false';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

const HTTP_WORDS = [
  '\r\n',
  'HTTP/1.1 200 OK\r\n',
  'Content-Length: ',
  'Transfer-Encoding: chunked\r\n\r\n',
  'Connection: close\r\n',
  `${CHALLENGE}\r\n`,
  CONTINUE,
  NEXT_ANSWER,
  '0\r\n\r\n',
];

const HTTP_ANSWERS = [
  answer('200 OK', ['Content-Type: application/json'], '{"result":{"status":"OK"}}'),
  answer('200 OK', ['Transfer-Encoding: chunked'], undefined).concat('3\r\nabc\r\n0\r\n\r\n'),
  answer('200 OK', ['Connection: close']).concat('to the end'),
  answer('401 No', [CHALLENGE], '').concat(NEXT_ANSWER, answer('200 OK', [], 'ok')),
  answer('401 No', [CHALLENGE], '').concat(NEXT_ANSWER, answer('401 No', [CHALLENGE], '')),
  answer('401 No', ['WWW-Authenticate: Basic realm="a"'], 'no'),
  answer('408 Too Late', ['Connection: close'], ''),
  answer('404 Not Found', [], 'none'),
  answer('503 Busy', [], ''),
  answer('200 OK', [], 'a'.repeat(5000)),
  CONTINUE.concat(answer('200 OK', [], 'ok')),
  answer('101 Switching', ['Upgrade: x', 'Connection: upgrade']),
  answer('200 OK', [`A: ${'a'.repeat(HEADER_BYTES)}`], ''),
  'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort',
  '',
];

/** Parser of a daemon's answers. A few connections are open before the first request. */
function daemonParser(): Parser {
  const ssl = {
    ...({ mode: 'disabled', allowedFingerprints: [], allowChained: false, allowAnyCert: false } as const),
  };
  const config = { address: '192.0.2.1:18081', login: { user: 'user', password: 'password' }, ssl };
  return {
    seeds: HTTP_ANSWERS.map(utf8),
    async run(input) {
      Connector.prototype.open = () => Promise.resolve(peerOf(input));
      const transport = new Transport(config);
      try {
        if (placeBy(input, 4) === 0) await transport.connect();
        const options = { limit: 4096, contentType: 'application/json', once: true };
        for (let left = 2; left > 0; left--) await transport.post('/json_rpc', '{}', options);
      } finally {
        transport.close();
      }
    },
  };
}

/** Tag of all requests and answers. */
const TAG = new Uint8Array(32).fill(0xab);
const PROVEN = `HTTP/1.1 103 Early Hints\r\nCluster-Proof: ${'ab'.repeat(32)}\r\n\r\n`;
const SEALED = 'Cluster-Answer: sealed';
const TO = 'http://192.0.2.1:1';

/** Returns contents as the records of an answer, as Latin-1. */
const recordsOf = (...contents: readonly string[]): string =>
  contents
    .map((content, i) => {
      const record = Buffer.alloc(4 + content.length);
      record.writeUInt32BE(content.length);
      record.write(content, 4, 'latin1');
      const number = Buffer.alloc(8);
      number.writeBigUInt64BE(BigInt(i));
      const tag = createHmac('sha256', TAG).update(number).update(record).digest();
      return Buffer.concat([record, tag]).toString('latin1');
    })
    .join('');

/** Returns a head for the first record. */
const headOf = (head: object = {}): string =>
  JSON.stringify({ outcome: 'served', status: 200, headers: [], ...head });

/** Parser of the answers of another process of the cluster: to a call of this process, and to one that it passes on. */
function memberParser(): Parser {
  const partsOf = (input: Uint8Array) => ({
    connections: {
      mayUse: () => true,
      routeTo: () => ({
        ...{ host: '192.0.2.1', port: 1 },
        agent: new OutboundAgent({ keep: 0 }, () => Promise.resolve(peerOf(input))),
      }),
    } as unknown as MemberConnections,
    signer: { tag: () => TAG },
  });
  const pass = async (input: Uint8Array): Promise<void> => {
    const message = { method: 'GET', url: '/wallet/a/events', headers: {}, login: 'open', client: '::1' };
    const result = await attempt(partsOf(input), TO, message, new AbortController().signal);
    if (result.kind !== 'answered') return;
    const client = new Peer(new Uint8Array(), 'speaks') as unknown as Socket;
    const res = new ServerResponse(new IncomingMessage(client));
    res.assignSocket(client);
    await passAnswer(result.answer, res, result.end, {
      ...{ mostWaiting: 1 << 16, stallMs: 1000, silenceMs: 1000 },
      closes: placeBy(input, 2) === 0,
    });
    client.destroy();
  };
  const sealed = (...contents: readonly string[]): string =>
    PROVEN.concat(CONTINUE, answer('200 OK', [SEALED], recordsOf(...contents)));
  const signed = (body: string): string => sealed(headOf(), body, '');
  return {
    seeds: [
      ...HTTP_ANSWERS,
      signed('{"result":{"a":1}}').replace(CONTINUE, `${CONTINUE}${NEXT_ANSWER}`),
      signed('{"error":{"code":-1,"message":"no"}}'),
      signed('{}'),
      signed('5'),
      signed('{"result":'),
      sealed(headOf({ reason: 'O\u0001K', headers: [['Content-Type', '\u00e9']] }), 'body', ''),
      sealed(headOf({ outcome: 'not-holder', status: 421 }), ''),
      sealed(headOf({ headers: 5 }), ''),
      sealed('{', ''),
      sealed('null', 'a', 'b'),
      answer('200 OK', [SEALED, 'Transfer-Encoding: chunked']).concat('3\r\nabc\r\n0\r\n\r\n'),
      answer('421 Elsewhere', ['Cluster-Answer: not-holder'], 'no'),
    ].map((text) => Uint8Array.from(Buffer.from(text, 'latin1'))),
    async run(input) {
      await pass(input);
      await new MemberCalls(partsOf(input)).post(TO, 'act', null, 1000);
    },
  };
}

/** Parser of the answers that the client of this program receives: to a call, and with events. */
function clientParser(): Parser {
  const auth = { username: 'user', password: 'password' };
  const json = (text: string, status = '200 OK'): string =>
    answer(status, ['Content-Type: application/json'], text);
  const events = (text: string): string =>
    answer('200 OK', ['Content-Type: text/event-stream', 'Connection: close']).concat(text);
  const nested = '['.repeat(3000);
  return {
    seeds: [
      ...HTTP_ANSWERS,
      json('{"id":"0","jsonrpc":"2.0","result":{"balance":18446744073709551615,"per_subaddress":[{}]}}'),
      json('{"error":{"code":-1,"message":"no","data":{"explanation":"why"}}}'),
      json('{"result":5}'),
      json('{"result":'),
      json(`{"result":${nested}${nested.replaceAll('[', ']')}}`),
      answer('503 Busy', ['Content-Type: text/plain', 'Retry-After: 3'], 'later\nmore'),
      events('id: 5\nevent: payment.received\ndata: {"id":5,"amount":9007199254740993}\n\n:\n\n'),
      events('id: 6\ndata: {}\n\ndata: 5\n\n'),
    ].map(utf8),
    async run(input) {
      const { createConnection } = OutboundAgent.prototype;
      OutboundAgent.prototype.createConnection = (_options, done) => {
        done?.(null, peerOf(input));
        return undefined;
      };
      const client = createClient({ url: 'http://192.0.2.1:1', auth, retries: 0 });
      try {
        await client.call('get_balance').catch(unlessListed);
        await client.call('unknown').catch(unlessListed);
      } finally {
        client.close();
      }
      const address = { host: '192.0.2.1', port: 1, tls: false, fingerprints: [] };
      const transport = new HttpTransport(address, '192.0.2.1', new Login(auth), 1);
      const times = { firstDelay: 1, maxDelay: 1, maxSilence: 1000 };
      const ended = new AbortController();
      try {
        const parts = { transport, path: '/events', times };
        const stream = followEvents(parts, { signal: ended.signal, onRetry: () => ended.abort() });
        for await (const { id } of stream) if (typeof id !== 'number') throw new Error('an event without id');
      } catch (error) {
        if (!ended.signal.aborted) throw error;
      } finally {
        transport.close();
        OutboundAgent.prototype.createConnection = createConnection;
      }
    },
  };
}

function unlessListed(error: unknown): void {
  if (!(error instanceof WalletClientError)) throw error;
}

export const targets: readonly Target[] = [
  {
    name: 'daemon-answer',
    errors: [DaemonError],
    modules: [
      'daemon/transport',
      'util/outbound/agent',
      'util/outbound/call-end',
      'util/outbound/exchange',
      'util/http-digest',
    ],
    words: HTTP_WORDS,
    maxBytes: 2 * HEADER_BYTES,
    limitMs: HEADER_MS,
    prepare: daemonParser,
  },
  {
    name: 'member-answer',
    errors: [RpcError, MemberCallError],
    modules: ['http/forward/attempt', 'http/forward/member-calls', 'http/forward/passed-answer'],
    words: [...HTTP_WORDS, `${SEALED}\r\n`, PROVEN, '{"result":', '{"error":'],
    maxBytes: 2 * HEADER_BYTES,
    limitMs: HEADER_MS,
    prepare: memberParser,
  },
  {
    name: 'client-answer',
    errors: [WalletClientError],
    modules: ['client/transport', 'client/rpc-caller', 'client/answer', 'client/events', 'client/results'],
    words: [...HTTP_WORDS, 'Content-Type: application/json\r\n', 'data: {"id":', '\n\n', '{"result":'],
    maxBytes: 65_536,
    prepare: clientParser,
  },
];
