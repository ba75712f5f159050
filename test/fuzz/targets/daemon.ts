import { DaemonCalls } from '../../../src/daemon/daemon-calls.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { HttpDaemon } from '../../../src/daemon/http-daemon.js';
import { OutputDistributionCache } from '../../../src/daemon/output-distribution.js';
import type { Transport } from '../../../src/daemon/transport.js';
import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import { writeStorage, type TypedSection } from '../../../src/monero/epee/storage-writer.js';
import { toHex, utf8 } from '../../../src/util/bytes.js';
import type { Parser, Target } from '../target.js';
import { chainVectors, readVectors } from '../vectors.js';

/** Calls each method of a daemon that gives one answer to every request. */
async function askAll(
  answer: Uint8Array,
  calls: readonly ((daemon: HttpDaemon) => Promise<unknown>)[],
): Promise<void> {
  const body = Buffer.from(answer);
  const transport = {
    connect: () => Promise.resolve(),
    post: () => Promise.resolve(body),
    close: () => undefined,
  } as unknown as Transport;
  const daemon = new HttpDaemon({
    ...{ calls: new DaemonCalls(transport), distribution: new OutputDistributionCache() },
    ...{ pages: { complete: false, newestFork: 16 }, isTrusted: false },
  });
  for (const call of calls)
    try {
      await call(daemon);
    } catch (error) {
      if (!(error instanceof DaemonError)) throw error;
    }
}

const HASH = new Uint8Array(32).fill(7) as Hash;
const IMAGES = [HASH, HASH] as unknown as readonly KeyImage[];
const HEX = toHex(HASH);

const header = {
  height: 5,
  hash: HEX,
  timestamp: 1_600_000_000,
  reward: 600_000_000_000,
  block_weight: 1000,
};
const result = (value: object): object => ({ id: '0', jsonrpc: '2.0', result: { status: 'OK', ...value } });

function jsonParser(): Parser {
  const [tx = new Uint8Array()] = chainVectors().transactions;
  const answers: readonly object[] = [
    result({
      height: 9,
      target_height: 0,
      top_block_hash: HEX,
      nettype: 'fakechain',
      synchronized: true,
      block_weight_limit: 600_000,
    }),
    result({ version: 196_618 }),
    result({ version: 16, enabled: true, earliest_height: 1 }),
    result({ fee: 20_000, fees: [20_000, 80_000, 320_000, 4_000_000], quantization_mask: 10_000 }),
    result({ block_header: header }),
    result({ headers: [header, { ...header, height: 6 }] }),
    result({ backlog: '\u0001'.repeat(48) }),
    { id: '0', jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' } },
    { status: 'OK', spent_status: [0, 2] },
    { status: 'OK', tx_hashes: [HEX, HEX] },
    { status: 'OK', not_relayed: true, reason: '' },
    { status: 'Failed', double_spend: true, reason: '' },
    { status: 'BUSY' },
    {
      status: 'OK',
      active: true,
      address: 'a',
      speed: 5,
      threads_count: 1,
      is_background_mining_enabled: false,
    },
    {
      status: 'OK',
      txs: [
        {
          as_hex: toHex(tx),
          pruned_as_hex: '',
          prunable_as_hex: '',
          prunable_hash: '',
          tx_hash: HEX,
          in_pool: true,
          double_spend_seen: true,
        },
        {
          as_hex: '',
          pruned_as_hex: toHex(tx),
          prunable_as_hex: '',
          prunable_hash: HEX,
          tx_hash: HEX,
          in_pool: false,
          block_height: 3,
          block_timestamp: 5,
          output_indices: [1, 2],
        },
      ],
    },
  ];
  return {
    seeds: answers.map((answer) => utf8(JSON.stringify(answer))),
    run: (input) =>
      askAll(input, [
        (daemon) => daemon.getInfo(),
        (daemon) => daemon.getVersion(),
        (daemon) => daemon.hardForkInfo(16),
        (daemon) => daemon.getFeeEstimate(),
        (daemon) => daemon.getBlockHeader(5),
        (daemon) => daemon.getLastBlockHeader(),
        (daemon) => daemon.getBlockHeaders(5, 2),
        (daemon) => daemon.isKeyImageSpent(IMAGES),
        (daemon) => daemon.getPoolHashes(),
        (daemon) => daemon.getTransactions([HASH], { prune: true }),
        (daemon) => daemon.getTransactions([HASH], { prune: false }),
        (daemon) => daemon.sendRawTransaction(HASH),
        (daemon) => daemon.getPoolBacklog(),
        (daemon) => daemon.miningStatus(),
        (daemon) => daemon.stopMining(),
      ]),
  };
}

function binaryParser(): Parser {
  const bytes = (value: Uint8Array) => ({ type: 'string', value }) as const;
  const u64 = (value: number) => ({ type: 'u64', value: BigInt(value) }) as const;
  const status = { status: bytes(utf8('OK')) };
  const answers: readonly TypedSection[] = [
    { ...status, start_height: u64(1), current_height: u64(3), m_block_ids: bytes(new Uint8Array(64)) },
    { ...status, o_indexes: { type: 'list', items: [u64(1), u64(2)] } },
    {
      ...status,
      outs: {
        type: 'list',
        items: [0, 1].map(() => ({
          type: 'object',
          value: {
            key: bytes(HASH),
            mask: bytes(HASH),
            unlocked: { type: 'bool', value: true },
            height: u64(3),
            txid: bytes(HASH),
          },
        })),
      },
    },
    {
      ...status,
      distributions: {
        type: 'list',
        items: [
          {
            type: 'object',
            value: {
              amount: u64(0),
              start_height: u64(1),
              base: u64(2),
              distribution: bytes(Uint8Array.from({ length: 32 }, (_, i) => (i % 8 === 0 ? 3 + i : 0))),
            },
          },
        ],
      },
    },
  ];
  const recorded = readVectors<{ readonly valid: readonly { readonly hex: string }[] }>(
    'epee/portable-storage.json',
  );
  return {
    seeds: [
      ...answers.map((answer) => writeStorage(answer)),
      ...recorded.valid.map(({ hex }) => Uint8Array.from(Buffer.from(hex, 'hex'))),
    ],
    run: (input) =>
      askAll(input, [
        (daemon) => daemon.getHashes([HASH]),
        (daemon) => daemon.getOutputIndexes(HASH),
        (daemon) => daemon.getOutputs([1, 2]),
        (daemon) => daemon.getOutputDistribution(),
        (daemon) => daemon.getBlocks({ startHeight: 1 }),
      ]),
  };
}

export const targets: readonly Target[] = [
  {
    name: 'daemon-json',
    errors: [DaemonError],
    modules: [
      'daemon/chain-queries',
      'daemon/output-queries',
      'daemon/transaction-queries',
      'daemon/wire-values',
      'daemon/daemon-calls',
    ],
    words: [
      '"status":"OK"',
      '"result":{',
      '"in_pool":',
      'null',
      '[]',
      '18446744073709551615',
      '1e400',
      '\\ud800',
    ],
    prepare: jsonParser,
  },
  {
    name: 'daemon-binary',
    errors: [DaemonError],
    modules: [
      'daemon/chain-queries',
      'daemon/output-queries',
      'daemon/daemon-calls',
      'daemon/output-distribution',
      'daemon/wire-values',
    ],
    words: [
      'status',
      'distributions',
      'distribution',
      'start_height',
      'base',
      'outs',
      'o_indexes',
      'm_block_ids',
    ],
    prepare: binaryParser,
  },
];
