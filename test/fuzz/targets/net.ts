import type { Socket } from 'node:net';
import { addressInRecord } from '../../../src/monero/cryptonote/open-alias.js';
import { readAnswer, textsOf, writeQuery, parseName } from '../../../src/net/dns/message.js';
import { parseRetryAfter, HttpSender } from '../../../src/net/webhooks/sender.js';
import { parseTarget, TargetError } from '../../../src/net/webhooks/target.js';
import {
  FrameReader,
  greeting,
  isReady,
  message,
  ready,
  SubscriberReader,
  subscription,
} from '../../../src/net/zmq/zmtp.js';
import { concatBytes, utf8 } from '../../../src/util/bytes.js';
import { CodecError } from '../../../src/util/codec.js';
import { dnsAnswers, DNS_NAME } from '../dns-answers.js';
import { framesIn } from '../../support/network/zmtp-frames.js';
import { chunksOf, NEXT_ANSWER, Peer } from '../peer.js';
import { HEADER_BYTES, HEADER_MS, textParser, type Parser, type Target } from '../target.js';

const SUBSCRIBER = concatBytes(
  greeting(),
  ready('SUB'),
  subscription('json-minimal-txpool_add'),
  message(Uint8Array.of(0, 97)),
);
const PUBLISHER = concatBytes(
  greeting(),
  ready(),
  message(utf8('json-minimal-txpool_add:[]')),
  message(new Uint8Array(300)),
);

const ANSWERS = [
  'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 429 Too Many\r\nRetry-After: 120\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  'HTTP/1.1 503 Busy\r\nRetry-After: Sun, 06 Nov 2094 08:49:37 GMT\r\nConnection: close\r\n\r\nlater',
  'HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
  'HTTP/1.1 301 Moved\r\nLocation: http://other/\r\nContent-Length: 0\r\n\r\n',
  `HTTP/1.1 200 OK\r\nA: ${'a'.repeat(HEADER_BYTES)}\r\nContent-Length: 0\r\n\r\n`,
  `HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno${NEXT_ANSWER}HTTP/1.1 200 OK\r\n\r\nok`,
  `HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n${NEXT_ANSWER}`,
];

const KINDS = new Set(['delivered', 'gone', 'failed']);

/** Parser of a receiver's answers to a webhook, on a connection that the receiver closes after its answer. */
function webhookParser(): Parser {
  return {
    seeds: ANSWERS.map(utf8),
    async run(input) {
      const sender = new HttpSender({
        url: 'http://192.0.2.1/hook',
        allowPrivate: true,
        userAgent: 'fuzz',
        timeoutMs: 5000,
        connect: () => Promise.resolve(new Peer(input, 'answers') as unknown as Socket),
      });
      const headers = { 'webhook-id': 'a', 'webhook-timestamp': '1', 'webhook-signature': 'v1,a' };
      const delivery = { headers, body: '{}', onResponse: () => undefined };
      // The second delivery goes over the same connection if the receiver has kept it.
      for (let left = 2; left > 0; left--) {
        const { kind } = await sender.send(delivery as never, new AbortController().signal);
        if (!KINDS.has(kind)) throw new Error(`a result of kind ${kind}`);
      }
      sender.close();
    },
  };
}

export const targets: readonly Target[] = [
  {
    name: 'dns-answer',
    errors: [CodecError],
    modules: ['net/dns/message'],
    maxBytes: 65_535,
    prepare: () => ({
      seeds: dnsAnswers(),
      run(input) {
        const { question, records } = readAnswer(input);
        for (const text of textsOf(question ?? DNS_NAME, records)) addressInRecord(text);
      },
    }),
  },
  {
    name: 'dns-name',
    errors: [CodecError],
    modules: ['net/dns/message'],
    maxBytes: 1024,
    prepare: () =>
      textParser(['donate.example.org', 'b\u00fccher.example', 'xn--bcher-kva.example.'], (text) =>
        writeQuery(1, parseName(text)),
      ),
  },
  {
    name: 'zmtp-publisher',
    errors: [CodecError],
    modules: ['net/zmq/zmtp'],
    words: ['READY', 'Socket-Type', 'SUB', 'NULL'],
    maxBytes: 65_536,
    prepare: () => ({
      seeds: [SUBSCRIBER],
      run(input) {
        const reader = new SubscriberReader();
        for (const chunk of chunksOf(input))
          for (const frame of framesIn(reader.frames, chunk)) reader.requestIn(frame);
      },
    }),
  },
  {
    name: 'zmtp-subscriber',
    errors: [CodecError],
    modules: ['net/zmq/zmtp'],
    words: ['READY', 'Socket-Type', 'PUB', 'NULL'],
    maxBytes: 65_536,
    prepare: () => ({
      seeds: [PUBLISHER],
      run(input) {
        const reader = new FrameReader(4 << 20);
        for (const chunk of chunksOf(input))
          for (const frame of framesIn(reader, chunk)) if (frame.kind === 'command') isReady(frame.body);
      },
    }),
  },
  {
    name: 'webhook-answer',
    errors: [],
    modules: ['net/webhooks/sender'],
    words: [
      '\r\n',
      'HTTP/1.1 ',
      'Retry-After: ',
      'Content-Length: ',
      'Transfer-Encoding: chunked',
      'Connection: close',
      NEXT_ANSWER,
    ],
    maxBytes: 2 * HEADER_BYTES,
    limitMs: HEADER_MS,
    prepare: webhookParser,
  },
  {
    name: 'webhook-url',
    errors: [TargetError],
    modules: ['net/webhooks/target', 'util/outbound/public-address'],
    words: ['http://', 'https://', '[::1]', '127.0.0.1', '@', ':0/', '%00', 'localhost'],
    prepare: () =>
      textParser(
        ['https://example.org/hook?a=b', 'http://[2001:db8::1]:80/', 'https://10.0.0.1/', 'http://a:b@c.d/'],
        (text) => {
          parseTarget(text, false);
          parseTarget(text, true);
        },
      ),
  },
  {
    name: 'retry-after',
    errors: [],
    modules: ['net/webhooks/sender'],
    maxBytes: 128,
    prepare: () =>
      textParser(['120', 'Sun, 06 Nov 1994 08:49:37 GMT', ''], (text) => {
        const wait = parseRetryAfter(text, 1_700_000_000_000);
        if (wait !== undefined && !(wait >= 0)) throw new Error(`a wait of ${wait} ms`);
      }),
  },
];
