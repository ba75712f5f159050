import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { EventStreamParser } from '../../../src/client/events.js';
import { authentication, REALM, singleLogin } from '../../../src/http/login/authentication.js';
import type { Login } from '../../../src/http/message/caller.js';
import {
  hashOf,
  readLogin,
  sign,
  SIGNATURE,
  verify,
  type Signer,
} from '../../../src/http/forward/signature.js';
import { BadIdempotencyKey, readIdempotencyKey } from '../../../src/http/calls/idempotency-key.js';
import { NonceStore } from '../../../src/http/login/nonce-store.js';
import { readRequest, RequestTooLarge } from '../../../src/http/message/request-body.js';
import { utf8 } from '../../../src/util/bytes.js';
import { DigestAnswer, readChallenge } from '../../../src/util/http-digest.js';
import { JsonError, JsonParser, parseJson, type Json } from '../../../src/util/json.js';
import { writeJson } from '../../../src/util/json-writer.js';
import { inChunks, JSON_WORDS, recordedRequests } from '../json-requests.js';
import { HEADER_BYTES, HEADER_MS, textOf, textParser, type Parser, type Target } from '../target.js';

function jsonParser(): Parser {
  return {
    seeds: [
      ...recordedRequests().slice(0, 20),
      utf8('[0,-1,1.5,1e3,"\\u00e9\\n",true,false,null,{"a":{"b":[]}}]'),
      utf8('123456789012345678901234567890'),
    ],
    run(input) {
      const text = textOf(input);
      // A text has the same value in one part and in two.
      const inParts = (): Json => {
        const parser = new JsonParser({});
        const at = text.length === 0 ? 0 : (input[0] ?? 0) % text.length;
        parser.write(text.slice(0, at));
        parser.write(text.slice(at));
        return parser.end();
      };
      const value = parseJson(text);
      const written = writeJson(value as never);
      if (written !== writeJson(inParts() as never)) throw new Error('the parts are read otherwise');
      if (writeJson(parseJson(written) as never) !== written)
        throw new Error('the value is read otherwise when it is written again');
      parseJson(text, { rawStrings: true, maxDepth: 5, maxValues: 10 });
    },
  };
}

const bodySizes: Parser['run'] = async (input) => {
  const { release } = await readRequest(inChunks(input), { sizeOf: () => 'ordinary', client: 'c' });
  release();
};

const TOKEN = 'abc';
/** Place of the nonce in an input. The server issues a new one for each case. */
const NONCE = '@nonce';

const CHALLENGE = { realm: REALM, nonce: NONCE, algorithm: 'MD5', hasQop: true, stale: false };
/** Challenges that clients answer in the ways that the server accepts. */
const ACCEPTED = [CHALLENGE, { ...CHALLENGE, hasQop: false }, { ...CHALLENGE, algorithm: 'MD5-sess' }];

const RESPONSE = /response="([0-9a-f]+)"/;
const answerTo = (challenge: typeof CHALLENGE): string =>
  new DigestAnswer(challenge, 'user', 'password', 'c').next('POST', '/json_rpc');

/** Parser of the header of a login, by HTTP digest or a bearer token. */
function loginParser(): Parser {
  const nonces = new NonceStore();
  const own = singleLogin('user', 'password');
  const elsewhere: Login = { name: 'desk', refusalFrom: () => ({ status: 403, reason: 'elsewhere' }) };
  const handler = authentication(
    { ...own, byToken: (token) => (token === TOKEN ? elsewhere : undefined) },
    nonces,
  );
  const seeds = ACCEPTED.map((one, i) => answerTo(one).replace(RESPONSE, `response="@response${i}"`));
  const request = (header: string): void => {
    const req = { method: 'POST', url: '/json_rpc', headers: { authorization: header }, socket: {} };
    const res = {
      setHeader: () => undefined,
      writeHead: () => undefined,
      end: () => undefined,
      status: () => res,
      type: () => res,
      send: () => undefined,
    };
    handler(req as unknown as Request, res as unknown as Response, (error?: unknown) => {
      if (error !== undefined) throw error;
    });
  };
  return textParser([...seeds, 'Basic dXNlcjpwYXNzd29yZA==', 'Bearer abc', 'Bearer d'], (text) => {
    const nonce = nonces.issue();
    let header = text.replaceAll(NONCE, nonce);
    for (const [i, one] of ACCEPTED.entries())
      if (text.includes(`@response${i}`))
        header = header.replaceAll(`@response${i}`, RESPONSE.exec(answerTo({ ...one, nonce }))?.[1] ?? '');
    // A header has no line end and no character above 255. The second request repeats the counter of the first one.
    const sent = header.replaceAll(/[^\x20-\xff]/g, '?');
    request(sent);
    request(sent);
  });
}

const signer: Signer = {
  tag: (purpose, part) => createHmac('sha256', 'secret').update(`${purpose}\0`).update(part).digest(),
};

/** Parser of the header of a request between processes of a cluster. */
function clusterParser(): Parser {
  const requestOf = (header: string, headers: IncomingHttpHeaders = {}): IncomingMessage =>
    ({
      method: 'POST',
      url: '/json_rpc',
      headers: { ...headers, [SIGNATURE]: header },
    }) as unknown as IncomingMessage;
  const envelope = {
    login: 'credential:a%20b',
    client: '127.0.0.1',
    time: 1_700_000_000_000,
    nonce: 'a'.repeat(24),
    bodyHash: hashOf([]),
    to: 'https://a:1',
  };
  const header = sign(signer, { method: 'POST', url: '/json_rpc', headers: {}, envelope });
  const logins = ['credential:a%20b', 'credential:%zz', 'member'];
  return textParser([header, header.replace('127.0.0.1', '-'), ...logins], (text) => {
    const found = verify(signer, requestOf(text));
    readLogin(typeof found === 'object' ? found.login : text);
  });
}

const CHALLENGES = [
  'Digest qop="auth",algorithm=MD5,realm="monero-rpc",nonce="abc==",stale=false',
  'Digest realm="a \\"b\\"", nonce="n", algorithm=SHA-256, qop="auth,auth-int", opaque="o"',
  'Basic realm="x", Digest realm="y", nonce="z"',
];

export const targets: readonly Target[] = [
  {
    name: 'json',
    errors: [JsonError],
    modules: ['util/json'],
    words: JSON_WORDS,
    prepare: jsonParser,
  },
  {
    name: 'request-body',
    errors: [JsonError, RequestTooLarge],
    modules: ['http/message/request-body', 'util/json'],
    words: JSON_WORDS,
    maxBytes: (1 << 20) + 65_536,
    prepare: () => ({ seeds: recordedRequests().slice(0, 10), run: bodySizes }),
  },
  {
    name: 'digest-login',
    errors: [],
    modules: ['http/login/authentication', 'util/http-digest', 'http/login/nonce-store'],
    maxBytes: HEADER_BYTES,
    limitMs: HEADER_MS,
    words: [
      'Digest ',
      'Bearer ',
      NONCE,
      'username="',
      'uri="/json_rpc"',
      'nc=00000001',
      'qop=auth',
      'algorithm=MD5-sess',
      '\\"',
      ',',
    ],
    prepare: loginParser,
  },
  {
    name: 'digest-challenge',
    errors: [],
    modules: ['util/http-digest'],
    words: ['Digest ', 'realm="', 'nonce="', 'qop="auth"', 'algorithm=SHA-512-256', '\\"', ',', ' '],
    maxBytes: HEADER_BYTES,
    limitMs: HEADER_MS,
    prepare: () =>
      textParser(CHALLENGES, (text) => {
        const challenge = readChallenge([text, text]);
        if (challenge !== undefined)
          new DigestAnswer(challenge, 'user', 'password', 'c').next('POST', '/json_rpc');
      }),
  },
  {
    name: 'cluster-request',
    errors: [],
    modules: ['http/forward/signature'],
    maxBytes: HEADER_BYTES,
    limitMs: HEADER_MS,
    prepare: clusterParser,
  },
  {
    name: 'idempotency-key',
    errors: [BadIdempotencyKey],
    modules: ['http/calls/idempotency-key'],
    maxBytes: HEADER_BYTES,
    limitMs: HEADER_MS,
    prepare: () => textParser(['"an order"', '"a \\"b\\" \\\\"'], readIdempotencyKey),
  },
  {
    name: 'event-stream',
    errors: [],
    modules: ['client/events'],
    words: ['data:', 'id: ', 'event:', '\n\n', '\r\n', '\r', ':'],
    prepare: () =>
      textParser(
        ['id: 1\nevent: paid\ndata: {"a":1}\ndata: b\n\n: comment\n\n', 'data:x\r\n\r\ndata\r\r'],
        (text) => {
          const whole = new EventStreamParser().write(text);
          const parser = new EventStreamParser();
          const size = 1 + (text.charCodeAt(0) % 16 || 0);
          const inParts = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
            parser.write(text.slice(i * size, (i + 1) * size)),
          ).flat();
          if (JSON.stringify(whole) !== JSON.stringify(inParts))
            throw new Error('the parts are read otherwise');
        },
      ),
  },
];
