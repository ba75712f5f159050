import type { TypedSection } from '../../monero/epee/storage-writer.js';
import { U64_MAX } from '../../util/amount.js';
import { fromHex, toHex } from '../../util/bytes.js';
import type { Json } from '../../util/json.js';
import { seedHeight } from '../../monero/cryptonote/proof-of-work.js';
import { replies, storageReplies, type Answer, type Fault } from './fault.js';
import type { LieContext } from './lie-context.js';

/* Lies about the state of the node: heights, hashes, headers, difficulty, forks and fees. */

const INFO = ['get_info', '/get_info'];
const HEADERS = [
  ...['get_last_block_header', 'get_block_header_by_hash', 'get_block_header_by_height'],
  ...['get_block_headers_range', 'get_block'],
];
/** Largest height that a lie adds. */
const MOST_BLOCKS = 1_000_000_000;

/** Changes the height in the answers that report it. */
const reportedHeight = (change: (height: number, lie: LieContext) => number): Pick<Fault, 'answers'> =>
  replies([...INFO, '/get_height'], (answer, lie) => {
    const height = change(Number(answer['height']), lie);
    return {
      ...answer,
      height,
      // At a restricted port this field is 0.
      ...(Number(answer['height_without_bootstrap'] ?? 0) === 0 ? {} : { height_without_bootstrap: height }),
    };
  });

/** Changes each header in the answers that contain headers. */
const eachHeader = (change: (header: Answer, lie: LieContext) => Answer): Required<Pick<Fault, 'answers'>> =>
  replies(HEADERS, (answer, lie) => {
    const changed = (header: Json | undefined): Answer => change(header as Answer, lie);
    const { block_header, headers, block_headers } = answer;
    return {
      ...answer,
      ...(block_header === undefined || (block_header as Answer)['hash'] === ''
        ? {}
        : { block_header: changed(block_header) }),
      ...(headers === undefined ? {} : { headers: (headers as readonly Json[]).map(changed) }),
      ...(block_headers === undefined
        ? {}
        : { block_headers: (block_headers as readonly Json[]).map(changed) }),
    };
  });

/** Changes the fees of an answer. */
const ofFees = (change: (answer: Answer, lie: LieContext) => Answer): Pick<Fault, 'answers'> =>
  replies(['get_fee_estimate'], change);

const feesTimes = ({ fee, fees, ...answer }: Answer, factor: bigint): Answer => ({
  ...answer,
  fee: (fee as bigint) * factor,
  fees: (fees as readonly bigint[]).map((one) => one * factor),
});

/** Returns the fields of a difficulty. Source: core_rpc_server.cpp `store_128`. */
const difficultyFields = (difficulty: bigint): Answer => ({
  difficulty: difficulty & U64_MAX,
  wide_difficulty: `0x${difficulty.toString(16)}`,
  difficulty_top64: difficulty >> 64n,
});

/** Returns an invented hash as 64 hex digits, the same for the same name. */
const inventedHash = (lie: LieContext, name: string): string =>
  lie.once(`hash ${name}`, () => toHex(lie.rng(32)));

const PAGES = ['/get_blocks.bin'];

const atLeastOne = (value: bigint): bigint => (value < 1n ? 1n : value);

/** Adds to an integer of an answer in portable storage, which is 1 at least. */
function plus(reply: TypedSection, name: string, more: number): TypedSection {
  const field = reply[name];
  return field?.type === 'u64'
    ? { ...reply, [name]: { ...field, value: atLeastOne(field.value + BigInt(more)) } }
    : reply;
}

/** Number of blocks with the same seed. */
const EPOCH_BLOCKS = 2048;
const XMR = 1_000_000_000_000n;

/** Lies about the state of the node. */
export const STATE_LIES = {
  'wrong-height': {
    help: 'the reported chain is n blocks longer than the real one',
    most: MOST_BLOCKS,
    ...reportedHeight((height, { value }) => height + value),
  },
  'lower-height': {
    help: 'the reported chain is n blocks shorter than the real one',
    most: MOST_BLOCKS,
    ...reportedHeight((height, { value }) => Math.max(1, height - value)),
  },
  'target-height': {
    help: 'the network seems n blocks ahead of the node',
    most: MOST_BLOCKS,
    ...replies(INFO, (answer, { value }) => ({ ...answer, target_height: Number(answer['height']) + value })),
  },
  unsynchronised: {
    help: 'the node seems to lack blocks of its network (1)',
    ...replies(INFO, (answer) => ({ ...answer, synchronized: false, busy_syncing: true })),
  },
  'other-network': {
    help: 'the node seems to follow the stage network (1)',
    ...replies(INFO, (answer) => ({ ...answer, nettype: 'stagenet', mainnet: false, stagenet: true })),
  },
  'wrong-top-hash': {
    help: 'the hash of the top block is an invented one (1)',
    answers: {
      ...replies(INFO, (answer, lie) => ({ ...answer, top_block_hash: inventedHash(lie, 'top') })).answers,
      ...replies(['/get_height'], (answer, lie) => ({ ...answer, hash: inventedHash(lie, 'top') })).answers,
    },
    ...storageReplies(PAGES, (reply, lie) => ({
      ...reply,
      top_block_hash: { type: 'string', value: fromHex(inventedHash(lie, 'top')) },
    })),
  },
  'page-start': {
    help: 'pages of blocks seem to start n blocks later',
    ...storageReplies(PAGES, (reply, { value }) => plus(reply, 'start_height', value)),
  },
  'page-height': {
    help: 'the chain is n blocks longer than the real one in pages of blocks',
    most: MOST_BLOCKS,
    ...storageReplies(PAGES, (reply, { value }) => plus(reply, 'current_height', value)),
  },
  'lower-page-height': {
    help: 'the chain is n blocks shorter than the real one in pages of blocks',
    ...storageReplies(PAGES, (reply, { value }) => plus(reply, 'current_height', -value)),
  },
  'invented-hashes': {
    help: 'the hashes of the latest n blocks are invented ones, where a list of hashes is asked for',
    ...storageReplies(['/get_hashes.bin'], (reply, lie) => {
      const field = reply['m_block_ids'];
      if (field?.type !== 'string') return reply;
      const kept = Math.max(0, field.value.length - 32 * lie.value);
      const invented = lie.once(`hashes ${field.value.length}`, () => lie.rng(field.value.length));
      return {
        ...reply,
        m_block_ids: {
          ...field,
          value: Buffer.concat([field.value.subarray(0, kept), invented.subarray(kept)]),
        },
      };
    }),
  },
  'other-header-hash': {
    help: 'the hashes in block headers are invented ones (1)',
    ...eachHeader((header, lie) => ({ ...header, hash: inventedHash(lie, String(header['hash'])) })),
  },
  'other-header-time': {
    help: 'the timestamps in block headers are n seconds later',
    ...eachHeader((header, { value }) => ({ ...header, timestamp: Number(header['timestamp']) + value })),
  },
  'other-header-reward': {
    help: 'the rewards in block headers are n times as high',
    ...eachHeader((header, { value }) => ({
      ...header,
      reward: (header['reward'] as bigint) * BigInt(value),
    })),
  },
  'own-difficulty': {
    help: 'the difficulty in the state of the node and in block headers is n',
    answers: {
      ...replies(INFO, (answer, { value }) => ({ ...answer, ...difficultyFields(BigInt(value)) })).answers,
      ...eachHeader((header, { value }) => ({ ...header, ...difficultyFields(BigInt(value)) })).answers,
    },
  },
  'old-seed': {
    help: 'the seed of the proof of work is that of n epochs before; an invented one if there is none',
    ...replies(['get_block_template', 'get_miner_data'], (answer, lie) => {
      const height = seedHeight(lie.node.chain.height) - lie.value * EPOCH_BLOCKS;
      const block = height < 0 ? undefined : lie.node.store.blocks.at(height);
      return { ...answer, seed_hash: block === undefined ? inventedHash(lie, 'seed') : toHex(block.hash) };
    }),
  },
  'other-fork': {
    help: 'the rules in force seem those of version n',
    ...replies(['hard_fork_info'], (answer, { value }) => ({ ...answer, version: value })),
  },
  'inflated-fee': {
    help: 'fees per byte are multiplied by n',
    ...ofFees((answer, { value }) => feesTimes(answer, BigInt(value))),
  },
  'no-fee': { help: 'fees per byte are zero (1)', ...ofFees((answer) => feesTimes(answer, 0n)) },
  'fee-step': {
    help: 'fees are rounded up to n XMR',
    ...ofFees((answer, { value }) => ({ ...answer, quantization_mask: BigInt(value) * XMR })),
  },
} satisfies Record<string, Fault>;
