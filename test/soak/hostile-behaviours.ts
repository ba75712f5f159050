import type { ServerResponse } from 'node:http';
import { FAULTS, parseFaults } from '../../src/regtest/fault-injection.js';
import { changedAnswers } from '../../src/regtest/lies/fault.js';
import type { Random } from '../support/fakes/seeded-random.js';
import type { Loose } from '../support/network/json-rpc.js';
import { changeNumbers, changeTexts, FIELD } from './storage-fields.js';

/** Request of a wallet server to its daemon. */
export interface Asked {
  readonly path: string;
  /** Method of JSON-RPC. */
  readonly method?: string;
  readonly body: Buffer;
}

/** Answer of the real daemon, and other matter for a lie. */
export interface LieContext {
  readonly asked: Asked;
  readonly random: Random;
  /** Latest answer of the real daemon to another question of the same kind, JSON or binary. */
  readonly other: Buffer | undefined;
}

/** Behaviour of a daemon that lies or misbehaves; only one that the regtest node can tell has {@link Behaviour.faults}. */
export interface Behaviour {
  readonly name: string;
  readonly title: string;
  readonly concerns: (asked: Asked) => boolean;
  /** List of faults of the lying port of a node, which answers in place of the honest one. */
  readonly faults?: string;
  /** Changes the answer of the real daemon. */
  readonly lie?: (answer: Buffer, context: LieContext) => Buffer;
  /** Sends the answer in place of the usual way. Resolves once nothing more is to be sent. */
  readonly send?: (response: ServerResponse, answer: Buffer, over: AbortSignal) => void;
}

const INFO = 'get_info';
const LONG = 64 << 20;

const path = (...paths: readonly string[]) => ({ concerns: (asked: Asked) => paths.includes(asked.path) });
const method = (...methods: readonly string[]) => ({
  concerns: (asked: Asked) => methods.includes(asked.method ?? ''),
});
/** Field of a request for pruned blocks. */
const PRUNED = Buffer.of(5, ...Buffer.from('prune'), FIELD.bool, 1);
const everything = { concerns: () => true };
const isBinary = ({ path: asked }: Asked): boolean => asked.endsWith('.bin');
const binary = { concerns: isBinary };
const json = { concerns: (asked: Asked) => !isBinary(asked) };

const hexOf = (random: Random, digits = 64): string =>
  Array.from({ length: digits }, () => random.below(16).toString(16)).join('');
const bytesOf = (random: Random, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => random.below(256)));

/** Changes a JSON answer; one that is no JSON stays. */
const inJson =
  (change: (answer: Loose, context: LieContext) => void) =>
  (answer: Buffer, context: LieContext): Buffer => {
    try {
      const parsed = JSON.parse(answer.toString()) as Loose;
      change(parsed, context);
      return Buffer.from(JSON.stringify(parsed));
    } catch {
      return answer;
    }
  };

const always = (text: string) => () => Buffer.from(text);

/** Ends an answer when the behaviour ends. */
const untilOver = (over: AbortSignal, end: () => void): void =>
  over.aborted ? end() : over.addEventListener('abort', end, { once: true });

/** Lies of the regtest node that need no address and no output. */
const LIES = [
  ...['wrong-height=1000', 'lower-height=50', 'target-height=1000000', 'unsynchronised=1', 'other-network=1'],
  ...[
    'page-start=7',
    'lower-page-height=20',
    'wrong-top-hash=1',
    'other-header-hash=1',
    'invented-hashes=1000',
  ],
  ...['shifted-output-indices=1', 'wrong-ring-data=1', 'equal-ring-keys=1', 'other-ring-commitments=1'],
  ...['locked-rings=1', 'truncated-distribution=1000000', 'shifted-distribution=500'],
  ...['inflated-fee=100000', 'no-fee=1', 'fee-step=1000', 'hidden-pool=1', 'double-spend-seen=1'],
  ...[
    'missed-transactions=1',
    'all-spent=1',
    'refused-payment=1',
    'refused-and-relayed=1',
    'forgotten-payment=1',
  ],
];

/** Returns a lie of the regtest node as a behaviour. */
function lying(faults: string): Behaviour {
  const [[name, value] = []] = parseFaults(faults);
  if (name === undefined) throw new Error('a lie has a name');
  const fault = FAULTS[name];
  const changed = new Set(changedAnswers(fault).map(plainName));
  return {
    ...{ name, faults, title: `answers as if ${fault.help.replace(/\bn\b/, String(value))}` },
    concerns: ({ path: asked, method: called }) => changed.has(plainName(called ?? asked)),
  };
}

/** Name of a method or path without the underscores that its alias lacks. */
const plainName = (name: string): string => name.replaceAll('_', '');

/** Behaviours of the connection, and garbage, which are no lies. */
const GARBAGE: readonly Behaviour[] = [
  {
    name: 'height-absurd',
    title: 'claims the greatest height there is',
    ...method(INFO),
    lie: (answer) =>
      Buffer.from(answer.toString().replace(/"height": ?\d+/, '"height":18446744073709551615')),
  },
  {
    name: 'page-endless',
    title: 'says with each page of blocks that its chain has 2^63 blocks',
    ...path('/getblocks.bin'),
    lie: (answer) => changeNumbers(answer, 'current_height', () => 1n << 63n),
  },
  {
    name: 'blocks-mutated',
    title: 'changes a byte of each block',
    ...path('/getblocks.bin'),
    lie: (answer, { random }) =>
      changeTexts(answer, 'block', (text) => {
        const at = random.below(Math.max(1, text.length));
        text[at] = (text[at] ?? 0) ^ (1 + random.below(255));
        return text;
      }),
  },
  {
    name: 'distribution-random',
    title: 'makes up the numbers of outputs by block',
    ...path('/get_output_distribution.bin'),
    lie: (answer, { random }) => changeTexts(answer, 'distribution', (text) => bytesOf(random, text.length)),
  },
  {
    name: 'pool-unknown',
    title: 'lists 5,000 transactions in its pool that it does not have',
    ...path('/get_transaction_pool_hashes'),
    lie: inJson((answer, { random }) => {
      const made = Array.from({ length: 5000 }, () => hexOf(random));
      answer.tx_hashes = [...(answer.tx_hashes ?? []), ...made];
    }),
  },
  {
    name: 'transactions-mutated',
    title: 'changes a digit of each transaction',
    ...path('/gettransactions', '/get_transactions'),
    lie: inJson((answer, { random }) => {
      for (const tx of (answer.txs ?? []) as Loose[])
        for (const name of ['as_hex', 'pruned_as_hex', 'prunable_as_hex']) {
          const text = String(tx[name] ?? '');
          const at = random.below(Math.max(1, text.length));
          if (text !== '') tx[name] = text.slice(0, at) + hexOf(random, 1) + text.slice(at + 1);
        }
    }),
  },
  {
    name: 'busy',
    title: 'answers that it is busy',
    ...json,
    lie: inJson((answer) => ((answer.result ?? answer).status = 'BUSY')),
  },
  { name: 'stall', title: 'accepts requests, and never answers', ...everything, send: () => undefined },
  {
    name: 'drip',
    title: 'sends a byte of each answer at a time',
    ...everything,
    send(response, answer, over) {
      response.writeHead(200, { 'content-length': answer.length });
      let at = 0;
      const timer = setInterval(() => response.write(answer.subarray(at, ++at)), 100);
      untilOver(over, () => {
        clearInterval(timer);
        response.destroy();
      });
    },
  },
  {
    name: 'flood',
    title: 'sends 64 MiB of zeros behind each answer',
    ...everything,
    send(response, answer) {
      response.writeHead(200).write(answer);
      const zeros = Buffer.alloc(1 << 20);
      let left = LONG / zeros.length;
      const more = (): void => {
        while (left-- > 0 && !response.destroyed)
          if (!response.write(zeros)) return void response.once('drain', more);
        response.end();
      };
      more();
    },
  },
  {
    name: 'header-flood',
    title: 'sends 1 MiB of headers',
    ...everything,
    send(response) {
      const { socket } = response;
      socket?.write('HTTP/1.1 200 OK\r\n');
      for (let i = 0; i < 1024; i++) socket?.write(`X-${i}: ${'x'.repeat(1024)}\r\n`);
      socket?.destroy();
    },
  },
  {
    name: 'length-too-large',
    title: 'announces a longer answer than it sends',
    ...everything,
    send(response, answer) {
      response
        .writeHead(200, { 'content-length': answer.length + 1000 })
        .write(answer, () => response.destroy());
    },
  },
  {
    name: 'connection-lost',
    title: 'answers, and the answer is lost',
    ...everything,
    send: (response) => void response.destroy(),
  },
  {
    name: 'server-error',
    title: 'answers with HTTP 500',
    ...everything,
    send: (response) => void response.writeHead(500).end('error'),
  },
  {
    name: 'login',
    title: 'asks for a login',
    ...everything,
    send: (response) =>
      void response
        .writeHead(401, { 'www-authenticate': 'Digest qop="auth",algorithm=MD5,realm="x",nonce="bm9uY2U="' })
        .end(),
  },
  {
    name: 'redirect',
    title: 'redirects to another address',
    ...everything,
    send: (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  },
  {
    name: 'truncated',
    title: 'sends the first half of binary answers',
    ...binary,
    lie: (answer) => answer.subarray(0, answer.length >> 1),
  },
  {
    name: 'mutated',
    title: 'changes three bytes of binary answers, but for pruned blocks, which nothing proves',
    concerns: (asked) => isBinary(asked) && !asked.body.includes(PRUNED),
    lie: (answer, { random }) => {
      const copy = Buffer.from(answer);
      for (let i = 0; i < 3 && copy.length > 0; i++) copy[random.below(copy.length)] = random.below(256);
      return copy;
    },
  },
  {
    name: 'huge-list',
    title: 'announces a list of 2^28 entries in binary answers',
    ...binary,
    lie: (answer) =>
      Buffer.concat([
        answer.subarray(0, 9),
        Buffer.of(4, 6),
        Buffer.from('blocks'),
        Buffer.of(0x8c, 0x02, 0, 0, 0x40),
      ]),
  },
  {
    name: 'json-mutated',
    title: 'changes three characters of JSON answers',
    ...json,
    lie: (answer, { random }) => {
      const copy = Buffer.from(answer);
      for (let i = 0; i < 3 && copy.length > 0; i++) copy[random.below(copy.length)] = 32 + random.below(95);
      return copy;
    },
  },
  {
    name: 'json-deep',
    title: 'sends 100,000 nested lists',
    ...json,
    lie: always('['.repeat(100_000)),
  },
  {
    name: 'other-question',
    title: 'answers another question of the same kind',
    ...everything,
    lie: (answer, { other }) => other ?? answer,
  },
];

/** All behaviours: lies, garbage and trouble of the connection. */
export const BEHAVIOURS: readonly Behaviour[] = [...LIES.map(lying), ...GARBAGE];
