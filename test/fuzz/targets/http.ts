import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { EventStreamParser } from '../../../src/client/server-sent-events.js';
import { digestAuth } from '../../../src/http/digest-auth.js';
import { Dispatcher } from '../../../src/http/dispatcher.js';
import { RpcError } from '../../../src/http/errors.js';
import {
  hashOf,
  readLogin,
  sign,
  SIGNATURE,
  verify,
  type Signer,
} from '../../../src/http/forward/signature.js';
import { BadIdempotencyKey, readIdempotencyKey } from '../../../src/http/idempotency-key.js';
import { NonceStore } from '../../../src/http/nonce-store.js';
import { readParams } from '../../../src/http/params.js';
import { readRequest, RequestTooLarge } from '../../../src/http/request-body.js';
import { registry } from '../../../src/rpc/registry.js';
import { utf8 } from '../../../src/util/bytes.js';
import { DigestAnswer, readChallenge } from '../../../src/util/digest-answer.js';
import { JsonError, JsonParser, parseJson, type Json } from '../../../src/util/json.js';
import { writeJson } from '../../../src/util/json-writer.js';
import { textOf, textParser, type Parser, type Target } from '../target.js';
import { readFolder } from '../vectors.js';

interface Recorded {
  readonly method: string;
  readonly request?: unknown;
  readonly params?: unknown;
}

/** Requests of all methods whose answers the reference has given. */
const requests = (): Uint8Array[] =>
  readFolder('rpc/recorded').map((text) => {
    const { method, request, params } = JSON.parse(text) as Recorded;
    return utf8(JSON.stringify(request ?? { jsonrpc: '2.0', id: '0', method, params }));
  });

const JSON_WORDS = [
  '{"',
  '":',
  '[[[[',
  '{"a":[',
  '"jsonrpc":"2.0"',
  '"method":"',
  '"params":{',
  '"id":',
  '18446744073709551616',
  '-0',
  '1e400',
  '0.1',
  'true',
  'null',
  '\\ud800',
  '\\u0000',
  '"__proto__":',
  '"constructor":',
];

/** Gives a body in chunks of a length that the body itself determines. */
async function* inChunks(input: Uint8Array): AsyncGenerator<Uint8Array> {
  const size = 1 + (input.reduce((sum, byte) => sum + byte, 0) % 97);
  for (let at = 0; at < input.length; at += size) yield input.subarray(at, at + size);
}

function jsonParser(): Parser {
  return {
    seeds: [
      ...requests().slice(0, 20),
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

/** Parser of bodies, up to the parameters of each method. */
function bodyParser(): Parser {
  const bugs: unknown[] = [];
  const dispatcher = new Dispatcher({
    async call(name, params) {
      const method = registry.find(name);
      if (method === undefined) throw new RpcError(-32601, 'Method not found');
      await readParams(method.params, params);
      return {};
    },
    onBug: (_method, error) => void bugs.push(error),
    sizeOf: (name) => registry.find(name)?.requestSize ?? 'ordinary',
  });
  return {
    seeds: requests(),
    async run(input) {
      const answer = await dispatcher.answer(inChunks(input));
      for await (const _ of answer?.body ?? []) continue;
      const [bug] = bugs.splice(0);
      if (bug !== undefined) throw bug;
    },
  };
}

const bodySizes: Parser['run'] = async (input) => {
  const { release } = await readRequest(inChunks(input), { sizeOf: () => 'ordinary', client: 'c' });
  release();
};

/** Parser of the header of a login by HTTP digest. */
function loginParser(): Parser {
  const nonces = new NonceStore();
  const nonce = nonces.issue();
  const handler = digestAuth('user', 'password', nonces);
  const challenge = { realm: 'monero-rpc', nonce, algorithm: 'MD5', hasQop: true, stale: false };
  const seeds = [challenge, { ...challenge, hasQop: false }, { ...challenge, algorithm: 'MD5-sess' }].map(
    (one) => new DigestAnswer(one, 'user', 'password', 'c').next('POST', '/json_rpc'),
  );
  return textParser([...seeds, 'Basic dXNlcjpwYXNzd29yZA==', 'Bearer abc'], (authorization) => {
    const request = (header: string): void => {
      const req = { method: 'POST', url: '/json_rpc', headers: { authorization: header }, socket: {} };
      const res = { setHeader: () => undefined, writeHead: () => undefined, end: () => undefined };
      handler(req as unknown as Request, res as unknown as Response, (error?: unknown) => {
        if (error !== undefined) throw error;
      });
    };
    // A header has no line end and no character above 255.
    request(authorization.replaceAll(/[^\x20-\xff]/g, '?'));
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
  return textParser([header, header.replace('127.0.0.1', '-')], (text) => {
    const found = verify(signer, requestOf(text));
    if (typeof found === 'object') readLogin(found.login);
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
    modules: ['http/request-body', 'util/json'],
    words: JSON_WORDS,
    maxBytes: 2 << 20,
    prepare: () => ({ seeds: requests().slice(0, 10), run: bodySizes }),
  },
  {
    name: 'rpc-params',
    errors: [RequestTooLarge],
    modules: [
      'http/dispatcher',
      'http/params',
      'http/request-body',
      'rpc/order-params',
      'rpc/payment-params',
      'rpc/page-params',
    ],
    words: JSON_WORDS,
    prepare: bodyParser,
  },
  {
    name: 'digest-login',
    errors: [],
    modules: ['http/authentication', 'http/nonce-store'],
    words: [
      'Digest ',
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
    modules: ['util/digest-answer'],
    words: ['Digest ', 'realm="', 'nonce="', 'qop="auth"', 'algorithm=SHA-512-256', '\\"', ',', ' '],
    maxBytes: 16_384,
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
    prepare: clusterParser,
  },
  {
    name: 'idempotency-key',
    errors: [BadIdempotencyKey],
    modules: ['http/idempotency-key'],
    maxBytes: 1024,
    prepare: () => textParser(['"an order"', '"a \\"b\\" \\\\"'], readIdempotencyKey),
  },
  {
    name: 'event-stream',
    errors: [],
    modules: ['client/server-sent-events'],
    words: ['data:', 'id: ', 'event:', '\n\n', '\r\n', '\r', ':'],
    prepare: () =>
      textParser(
        ['id: 1\nevent: paid\ndata: {"a":1}\ndata: b\n\n: comment\n\n', 'data:x\r\n\r\ndata\r\r'],
        (text) => {
          const parser = new EventStreamParser();
          const half = Math.floor(text.length / 2);
          parser.write(text.slice(0, half));
          parser.write(text.slice(half));
        },
      ),
  },
];
