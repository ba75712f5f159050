import type { ServerResponse } from 'node:http';
import type { Random } from '../support/fakes/seeded-random.js';
import type { Loose } from '../support/network/json-rpc.js';
import { changeFlags, changeLists, changeNumbers, changeTexts, FIELD } from './storage-fields.js';

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

/** Behaviour of a daemon that lies or misbehaves. */
export interface Behaviour {
  readonly name: string;
  readonly title: string;
  readonly concerns: (asked: Asked) => boolean;
  /** False: the real daemon does not get the request. */
  readonly forwards?: boolean;
  /** Changes the answer of the real daemon; it is empty if that did not get the request. */
  readonly lie?: (answer: Buffer, context: LieContext) => Buffer;
  /** Sends the answer in place of the usual way. Resolves once nothing more is to be sent. */
  readonly send?: (response: ServerResponse, answer: Buffer, over: AbortSignal) => void;
}

const INFO = 'get_info';
const HEADERS = ['get_block_header_by_height', 'get_last_block_header', 'get_block_headers_range'];
const SEND = ['/sendrawtransaction', '/send_raw_transaction'];
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

const inResult = (change: (result: Loose, context: LieContext) => void) =>
  inJson((answer, context) => {
    if (answer.result !== undefined) change(answer.result, context);
  });

const always = (text: string) => () => Buffer.from(text);

/** Ends an answer when the behaviour ends. */
const untilOver = (over: AbortSignal, end: () => void): void =>
  over.aborted ? end() : over.addEventListener('abort', end, { once: true });

/** Behaviours, by the matter of the lie. */
export const BEHAVIOURS: readonly Behaviour[] = [
  {
    name: 'height-ahead',
    title: 'claims 1,000 blocks more than it has',
    ...method(INFO),
    lie: inResult((result) => (result.height += 1000)),
  },
  {
    name: 'height-behind',
    title: 'claims 50 blocks fewer than it has',
    ...method(INFO),
    lie: inResult((result) => (result.height = Math.max(1, result.height - 50))),
  },
  {
    name: 'height-absurd',
    title: 'claims the greatest height there is',
    ...method(INFO),
    lie: (answer) =>
      Buffer.from(answer.toString().replace(/"height": ?\d+/, '"height":18446744073709551615')),
  },
  {
    name: 'target-ahead',
    title: 'claims that its network is a million blocks ahead',
    ...method(INFO),
    lie: inResult((result) => (result.target_height = result.height + 1_000_000)),
  },
  {
    name: 'never-synchronised',
    title: 'claims to be reading blocks',
    ...method(INFO),
    lie: inResult((result) => Object.assign(result, { synchronized: false, busy_syncing: true })),
  },
  {
    name: 'other-network',
    title: 'claims to be on another network',
    ...method(INFO),
    lie: inResult((result) => Object.assign(result, { nettype: 'stagenet', mainnet: false, stagenet: true })),
  },
  {
    name: 'page-elsewhere',
    title: 'says that a page of blocks begins 7 blocks later',
    ...path('/getblocks.bin'),
    lie: (answer) => changeNumbers(answer, 'start_height', (height) => height + 7n),
  },
  {
    name: 'page-behind',
    title: 'says with each page of blocks that its chain is 20 blocks shorter',
    ...path('/getblocks.bin'),
    lie: (answer) => changeNumbers(answer, 'current_height', (height) => (height > 20n ? height - 20n : 1n)),
  },
  {
    name: 'page-endless',
    title: 'says with each page of blocks that its chain has 2^63 blocks',
    ...path('/getblocks.bin'),
    lie: (answer) => changeNumbers(answer, 'current_height', () => 1n << 63n),
  },
  {
    name: 'tip-made-up',
    title: 'makes up the hash of its newest block',
    ...method(INFO),
    lie: inResult((result, { random }) => (result.top_block_hash = hexOf(random))),
  },
  {
    name: 'headers-made-up',
    title: 'makes up the hashes in block headers',
    ...method(...HEADERS),
    lie: inResult((result, { random }) => {
      for (const header of [result.block_header, ...(result.headers ?? [])])
        if (header !== undefined) header.hash = hexOf(random);
    }),
  },
  {
    name: 'hashes-made-up',
    title: 'makes up the hashes of a page of blocks',
    ...path('/gethashes.bin'),
    lie: (answer, { random }) => changeTexts(answer, 'm_block_ids', (text) => bytesOf(random, text.length)),
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
    name: 'indices-shifted',
    title: 'shifts the global indices of outputs in pages of blocks',
    ...path('/getblocks.bin', '/get_o_indexes.bin'),
    lie: (answer) =>
      changeLists(
        changeLists(answer, 'indices', (i) => i + 1n),
        'o_indexes',
        (i) => i + 1n,
      ),
  },
  {
    name: 'ring-keys-rotated',
    title: 'gives each ring member the key of the next one',
    ...path('/get_outs.bin'),
    lie: (answer) => changeTexts(answer, 'key', (_, i, all) => all[(i + 1) % all.length] as Buffer),
  },
  {
    name: 'ring-keys-equal',
    title: 'gives all ring members the same key',
    ...path('/get_outs.bin'),
    lie: (answer) => changeTexts(answer, 'key', (_, __, all) => all[0] as Buffer),
  },
  {
    name: 'ring-masks-mutated',
    title: 'changes the commitments of ring members',
    ...path('/get_outs.bin'),
    lie: (answer, { random }) => changeTexts(answer, 'mask', (text) => bytesOf(random, text.length)),
  },
  {
    name: 'ring-locked',
    title: 'says that all ring members are locked',
    ...path('/get_outs.bin'),
    lie: (answer) => changeFlags(answer, 'unlocked', false),
  },
  {
    name: 'fee-inflated',
    title: 'estimates a fee 100,000 times as high',
    ...method('get_fee_estimate'),
    lie: inResult((result) => {
      result.fee *= 100_000;
      result.fees = (result.fees as number[] | undefined)?.map((fee) => fee * 100_000);
    }),
  },
  {
    name: 'fee-zero',
    title: 'estimates no fee',
    ...method('get_fee_estimate'),
    lie: inResult((result) => Object.assign(result, { fee: 0, fees: [0, 0, 0, 0] })),
  },
  {
    name: 'fee-mask',
    title: 'asks for fees in steps of 1,000 XMR',
    ...method('get_fee_estimate'),
    lie: inResult((result) => (result.quantization_mask = 1e15)),
  },
  {
    name: 'distribution-empty',
    title: 'says that no block has outputs',
    ...path('/get_output_distribution.bin'),
    lie: (answer) => changeTexts(answer, 'distribution', (text) => text.fill(0)),
  },
  {
    name: 'distribution-random',
    title: 'makes up the numbers of outputs by block',
    ...path('/get_output_distribution.bin'),
    lie: (answer, { random }) => changeTexts(answer, 'distribution', (text) => bytesOf(random, text.length)),
  },
  {
    name: 'distribution-elsewhere',
    title: 'says that the numbers of outputs begin 500 blocks later',
    ...path('/get_output_distribution.bin'),
    lie: (answer) => changeNumbers(answer, 'start_height', (height) => height + 500n),
  },
  {
    name: 'pool-empty',
    title: 'says that its pool is empty',
    ...path('/get_transaction_pool_hashes'),
    lie: inJson((answer) => (answer.tx_hashes = [])),
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
    name: 'transactions-missed',
    title: 'says that it lacks all transactions',
    ...path('/gettransactions', '/get_transactions'),
    lie: inJson((answer) => {
      answer.missed_tx = ((answer.txs ?? []) as Loose[]).map(({ tx_hash }) => tx_hash as string);
      delete answer.txs;
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
    name: 'double-spends',
    title: 'says that all transactions are spent twice',
    ...path('/gettransactions', '/get_transactions'),
    lie: inJson((answer) => {
      for (const tx of (answer.txs ?? []) as Loose[]) tx.double_spend_seen = true;
    }),
  },
  {
    name: 'key-images-spent',
    title: 'says that all key images are spent',
    ...path('/is_key_image_spent'),
    lie: inJson((answer) => {
      answer.spent_status = ((answer.spent_status ?? []) as number[]).map(() => 1);
    }),
  },
  {
    name: 'payment-refused',
    title: 'refuses payments as double spends',
    ...path(...SEND),
    forwards: false,
    lie: always('{"status":"Failed","reason":"double spend","double_spend":true}'),
  },
  {
    name: 'payment-refused-and-relayed',
    title: 'relays payments, and says that it refused them',
    ...path(...SEND),
    lie: always('{"status":"Failed","reason":"low mixin","low_mixin":true}'),
  },
  {
    name: 'payment-swallowed',
    title: 'accepts payments, and relays none',
    ...path(...SEND),
    forwards: false,
    lie: always('{"status":"OK","credits":0,"top_hash":"","untrusted":false}'),
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
