import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readStorage, SectionReader, type Value } from '../../src/monero/epee/portable-storage.js';
import { writeStorage, type TypedSection } from '../../src/monero/epee/storage-writer.js';
import { fromHex, toHex } from '../../src/util/bytes.js';
import type { ChainWallet } from '../support/wallets/chain-wallet.js';
import { post, type Loose } from '../support/network/json-rpc.js';
import { makePayment } from '../support/wallets/payments.js';
import { until } from '../support/fakes/until.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { startMiner, startTwins, FIRST_BLOCKS, type TwinChain } from '../support/chain/twin-chain.js';

/* Every endpoint of our daemon compared with the real one, Debian's 0.18.0, on the same chain, field by field. */

/** Endpoints of the real daemon. */
const comparable = (
  JSON.parse(
    readFileSync(new URL('../../../test/vectors/regtest/endpoints.json', import.meta.url), 'utf8'),
  ) as {
    readonly endpoints: readonly { readonly names: readonly string[]; readonly in: readonly string[] }[];
  }
).endpoints.filter((endpoint) => endpoint.in.includes('0.18'));

const rng = seededRng('differential');
const GENESIS = '418015bb9ae982a1975da7d79277c2705727a56894ba0fb246adaabb1f4632e3';
const ZEROS = '00'.repeat(32);
const TIP = FIRST_BLOCKS + 3;
/** Hashes of the three transactions of the chain, and an unknown one. */
const names: string[] = [];
let waiting = '';
let twins: TwinChain;
let miner: ChainWallet;

beforeAll(async () => {
  twins = await startTwins();
  miner = await startMiner(twins, rng);
  for (const count of [1, 4, 15]) {
    const to = Array.from(
      { length: count },
      (_, i) => [miner.address({ major: 1, minor: i % 4 }), 10_000_000n + BigInt(i)] as const,
    );
    const { blob, hash } = await makePayment(twins.ours, miner, { to }, rng);
    await twins.ours.plain('/send_raw_transaction', { tx_as_hex: toHex(blob) });
    names.push(toHex(hash));
  }
  await twins.mine(miner.addressText(), 3);
  const { blob, hash } = await makePayment(twins.ours, miner, { to: [[miner.address(), 5n]] }, rng);
  for (const daemon of [twins.ours, twins.theirs])
    await daemon.plain('/send_raw_transaction', { tx_as_hex: toHex(blob) });
  waiting = toHex(hash);
  await until('the pool to be relayed', async () => {
    const { transactions } = await twins.theirs.plain('/get_transaction_pool');
    return (transactions as Loose[]).every(({ relayed }) => relayed);
  });
});

afterAll(async () => {
  await twins?.stop();
});

/** Fields that may differ, with reasons. */
const EXEMPT: Record<string, string> = {
  'error.data of no_such_method': 'the explanation, for which these calls ask with a header',
  'error.message': 'the words are ours',
  'result.database_size': 'another database',
  database_size: 'another database',
  'result.free_space': 'measured a moment apart',
  free_space: 'measured a moment apart',
  'result.rpc_connections_count': 'not counted here',
  rpc_connections_count: 'not counted here',
  'result.start_time': 'started a moment apart',
  start_time: 'started a moment apart',
  'result.version of get_info': 'of another program',
  'version of /get_info': 'of another program',
  'result.version of get_version': 'we speak the interface of today',
  'result.current_height of get_version': 'in the interface of today only',
  'result.next_needed_pruning_seed': 'nothing is pruned here',
  'result.untrusted of banned': 'said everywhere here',
  'result.blocktemplate_blob of get_block_template': 'each template has a key of its own',
  'result.blockhashing_blob of get_block_template': 'each template has a key of its own',
  'result.cumulative_weight': 'in the interface of today only',
  'result.block_id': 'in the interface of today only',
  limit_down: 'the default of today',
  limit_up: 'the default of today',
  nonzero_unlock_time: 'in the interface of today only',
  tx_extra_too_big: 'in the interface of today only',
  reason: 'the words are ours',
  receive_time: 'received a moment apart',
  last_relayed_time: 'relayed a moment apart',
  received_timestamp: 'received a moment apart',
  oldest: 'received a moment apart',
  'txs.as_hex of a miner': 'older servers leave it out',
  'txs_as_hex of a miner': 'older servers leave it out',
};

/** Field that counts down, and so may differ by the time between two calls [s]. */
const COUNTDOWN = 'seconds';
const MOST_APART = 2;

/** Paths at which two replies differ, without list indices. */
function differences(ours: unknown, theirs: unknown, path = ''): string[] {
  if (isText(ours) && isText(theirs) && path.endsWith('json')) {
    if (ours === '' || theirs === '') return ours === theirs ? [] : [path];
    return differences(JSON.parse(ours), JSON.parse(theirs), `${path} `);
  }
  if (Array.isArray(ours) && Array.isArray(theirs))
    return ours.length === theirs.length
      ? ours.flatMap((item, i) => differences(item, theirs[i], path))
      : [`${path} has ${ours.length} items, theirs ${theirs.length}`];
  if (path.endsWith(COUNTDOWN) && typeof ours === 'number' && typeof theirs === 'number')
    return Math.abs(ours - theirs) <= MOST_APART ? [] : [path];
  if (!isObject(ours) || !isObject(theirs)) return ours === theirs ? [] : [path];
  return [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].flatMap((key) =>
    differences(ours[key], theirs[key], path === '' ? key : `${path}.${key}`),
  );
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const unexcused = (found: readonly string[], name: string): string[] =>
  [...new Set(found)].filter(
    (path) => ![path, `${path} of ${name}`, path.split('.').at(-1) ?? ''].some((key) => key in EXEMPT),
  );

const subaddress = () => miner.addressText({ major: 1, minor: 0 });

const METHODS: readonly (readonly [string, string, () => unknown])[] = [
  ['get_block_count', 'anything', () => ({})],
  ['getblockcount', 'its alias', () => []],
  ['on_get_block_hash', 'a height', () => [5]],
  ['on_get_block_hash', 'no height', () => []],
  ['get_last_block_header', 'anything', () => ({})],
  ['get_block_header_by_hash', 'one', () => ({ hash: GENESIS })],
  ['get_block_header_by_hash', 'a list', () => ({ hashes: [GENESIS, GENESIS] })],
  ['get_block_header_by_hash', 'an unknown one', () => ({ hash: ZEROS })],
  ['get_block_header_by_hash', 'a malformed hash', () => ({ hash: 'zz' })],
  ['get_block_header_by_height', 'a height', () => ({ height: 3 })],
  ['get_block_header_by_height', 'one too high', () => ({ height: 3_000 })],
  ['get_block_headers_range', 'all', () => ({ start_height: 0, end_height: TIP })],
  ['get_block_headers_range', 'a reversed one', () => ({ start_height: 5, end_height: 3 })],
  ['get_block_headers_range', 'one beyond the tip', () => ({ start_height: 5, end_height: 300 })],
  ['get_block', 'the first', () => ({})],
  ['get_block', 'one with transactions', () => ({ height: FIRST_BLOCKS + 1 })],
  ['get_block', 'by name', () => ({ hash: GENESIS })],
  ['get_block', 'one too high', () => ({ height: 300 })],
  ['get_block', 'an unknown one', () => ({ hash: ZEROS })],
  ['get_info', 'anything', () => ({})],
  ['get_version', 'anything', () => ({})],
  ['hard_fork_info', 'the next', () => ({})],
  ['hard_fork_info', 'the first', () => ({ version: 1 })],
  ['hard_fork_info', 'an unknown version', () => ({ version: 17 })],
  ['get_fee_estimate', 'now', () => ({})],
  ['get_fee_estimate', 'some blocks ahead', () => ({ grace_blocks: 10 })],
  ['get_output_histogram', 'all', () => ({})],
  ['get_output_histogram', 'RingCT', () => ({ amounts: [0], unlocked: true, recent_cutoff: 1 })],
  ['get_output_histogram', 'with bounds', () => ({ amounts: [0, 7], min_count: 1, max_count: 1_000 })],
  ['get_output_distribution', 'RingCT', () => ({ amounts: [0], binary: false })],
  [
    'get_output_distribution',
    'a range, cumulative',
    () => ({ amounts: [0], binary: false, cumulative: true, from_height: 60, to_height: 78 }),
  ],
  ['get_output_distribution', 'other amounts', () => ({ amounts: [17592186044415, 5], binary: false })],
  ['get_output_distribution', 'a reversed range', () => ({ amounts: [0], from_height: 9, to_height: 5 })],
  ['sync_info', 'anything', () => ({})],
  ['get_alternate_chains', 'anything', () => ({})],
  ['get_coinbase_tx_sum', 'all', () => ({ height: 0, count: TIP + 1 })],
  ['get_coinbase_tx_sum', 'a part', () => ({ height: 70, count: TIP - 70 })],
  ['get_miner_data', 'anything', () => ({})],
  ['get_connections', 'anything', () => ({})],
  [
    'set_bans',
    'a host and a subnet',
    () => ({
      bans: [
        { host: '1.2.3.4', ban: true, seconds: 9_000 },
        { ip: 838969536, ban: true, seconds: 9_000 },
      ],
    }),
  ],
  ['get_bans', 'anything', () => ({})],
  ['banned', 'a banned one', () => ({ address: '1.2.3.4' })],
  ['banned', 'another', () => ({ address: '1.2.3.5' })],
  ['banned', 'a malformed address', () => ({ address: 'x' })],
  ['set_bans', 'a malformed host', () => ({ bans: [{ host: 'a b', ban: true, seconds: 1 }] })],
  [
    'set_bans',
    'the end of bans',
    () => ({
      bans: [
        { host: '1.2.3.4', ban: false },
        { host: '192.168.1.50', ban: false },
      ],
    }),
  ],
  ['get_block_template', 'one', () => ({ wallet_address: miner.addressText(), reserve_size: 60 })],
  [
    'get_block_template',
    'one with a nonce',
    () => ({ wallet_address: miner.addressText(), extra_nonce: 'abcd' }),
  ],
  ['get_block_template', 'to a malformed address', () => ({ wallet_address: 'x' })],
  ['get_block_template', 'for a subaddress', () => ({ wallet_address: subaddress() })],
  ['get_block_template', 'too much room', () => ({ wallet_address: miner.addressText(), reserve_size: 256 })],
  [
    'get_block_template',
    'room and a nonce',
    () => ({ wallet_address: miner.addressText(), reserve_size: 2, extra_nonce: 'ab' }),
  ],
  [
    'get_block_template',
    'on an unknown block',
    () => ({ wallet_address: miner.addressText(), prev_block: ZEROS }),
  ],
  ['submit_block', 'nothing', () => []],
  ['submit_block', 'a malformed block', () => ['00']],
  ['submit_block', 'a known one', () => [GENESIS_BLOB]],
  ['generateblocks', 'none', () => ({})],
  ['generateblocks', 'to a malformed address', () => ({ amount_of_blocks: 1, wallet_address: 'x' })],
  ['relay_tx', 'a malformed hash', () => ({ txids: ['zz'] })],
  ['relay_tx', 'an unknown one', () => ({ txids: [ZEROS] })],
  ['relay_tx', 'one in the pool', () => ({ txids: [waiting] })],
  ['flush_txpool', 'a malformed hash', () => ({ txids: ['zz'] })],
  ['flush_txpool', 'an unknown one', () => ({ txids: [ZEROS] })],
  ['prune_blockchain', 'a check', () => ({ check: true })],
  ['flush_cache', 'anything', () => ({})],
  ['calc_pow', 'a block of the first rules', () => pow({ major_version: 1 })],
  ['calc_pow', 'one of version 6', () => pow({ major_version: 6, height: 5, seed_hash: ZEROS })],
  ['calc_pow', 'malformed hex', () => pow({ major_version: 1, block_blob: 'x' })],
  ['calc_pow', 'with a seed that is no hash', () => pow({ major_version: 1, seed_hash: 'ab' })],
  ['add_aux_pow', 'one chain', () => aux(1)],
  [
    'add_aux_pow',
    'twice the same chain',
    () => ({ ...aux(1), aux_pow: [...aux(1).aux_pow, ...aux(1).aux_pow] }),
  ],
  ['add_aux_pow', 'no chain', () => aux(0)],
  ['add_aux_pow', 'a chain without a name', () => ({ ...aux(1), aux_pow: [{ id: '', hash: ZEROS }] })],
  ['add_aux_pow', 'a template that is no hex', () => ({ ...aux(1), blocktemplate_blob: 'x' })],
  ['add_aux_pow', 'a malformed template', () => ({ ...aux(1), blocktemplate_blob: '00' })],
  ['no_such_method', 'anything', () => ({})],
];

const pow = (asked: object) => ({ height: 1, block_blob: GENESIS_BLOB, ...asked });
/** With more than one chain, 0.18.0 omits the depth from the block; later releases fixed this. */
const aux = (chains: number) => ({
  blocktemplate_blob: GENESIS_BLOB,
  aux_pow: Array.from({ length: chains }, (_, i) => ({
    id: `${i}`.padStart(64, '1'),
    hash: `${i}`.padStart(64, '2'),
  })),
});

const GENESIS_BLOB =
  '010000000000000000000000000000000000000000000000000000000000000000000010270000013c01ff0001ffffffffffff03029b2e4c0281c0b02e7c53291a94d1d0cbff8883f8024f5142ee494ffbbd08807121017767aafcde9be00dcfd098715ebcf7f410daebc582fda69d24a28e9d0bc890d100';

const PATHS: readonly (readonly [string, string, () => unknown])[] = [
  ['/get_height', 'anything', () => ({})],
  ['/getheight', 'its alias', () => ({})],
  ['/get_info', 'anything', () => ({})],
  ['/get_transactions', 'whole', () => ({ txs_hashes: [...names, waiting, ZEROS] })],
  ['/get_transactions', 'as JSON', () => ({ txs_hashes: [...names, waiting], decode_as_json: true })],
  ['/get_transactions', 'in halves', () => ({ txs_hashes: [...names, waiting], split: true })],
  ['/get_transactions', 'pruned', () => ({ txs_hashes: names, prune: true, decode_as_json: true })],
  ['/get_transaction_pool', 'anything', () => ({})],
  ['/get_transaction_pool_hashes', 'anything', () => ({})],
  ['/get_transaction_pool_stats', 'anything', () => ({})],
  [
    '/get_outs',
    'some',
    () => ({ outputs: [3, 60, 90].map((index) => ({ amount: 0, index })), get_txid: true }),
  ],
  ['/get_outs', 'an unknown output', () => ({ outputs: [{ amount: 0, index: 5_000 }] })],
  ['/get_alt_blocks_hashes', 'anything', () => ({})],
  ['/is_key_image_spent', 'unspent ones', () => ({ key_images: [ZEROS] })],
  ['/send_raw_transaction', 'malformed hex', () => ({ tx_as_hex: 'x' })],
  ['/send_raw_transaction', 'a malformed transaction', () => ({ tx_as_hex: '00' })],
  ['/mining_status', 'while idle', () => ({})],
  ['/stop_mining', 'while idle', () => ({})],
  ['/set_log_hash_rate', 'while idle', () => ({ visible: true })],
  ['/start_mining', 'to a malformed address', () => ({ miner_address: 'x' })],
  ['/start_mining', 'for a subaddress', () => ({ miner_address: subaddress() })],
  [
    '/start_mining',
    'with too many threads',
    () => ({ miner_address: miner.addressText(), threads_count: 5_000 }),
  ],
  ['/save_bc', 'anything', () => ({})],
  ['/pop_blocks', 'none', () => ({ nblocks: 0 })],
  ['/get_peer_list', 'anything', () => ({})],
  ['/get_public_nodes', 'anything', () => ({})],
  ['/get_net_stats', 'anything', () => ({})],
  ['/get_limit', 'anything', () => ({})],
  ['/set_limit', 'both', () => ({ limit_down: 100, limit_up: 200 })],
  ['/set_limit', 'an invalid limit', () => ({ limit_down: -5 })],
  ['/out_peers', 'a look', () => ({ set: false })],
  ['/out_peers', 'a number', () => ({ out_peers: 3 })],
  ['/in_peers', 'a look', () => ({ set: false })],
  ['/update', 'a check', () => ({ command: 'check' })],
  ['/set_log_level', 'an unknown level', () => ({ level: 7 })],
  ['/set_log_categories', 'a list', () => ({ categories: '*:INFO' })],
  ['/set_log_categories', 'an addition', () => ({ categories: '+a:DEBUG' })],
];

describe('JSON-RPC', () => {
  test.each(METHODS)('%s gives the same answer for %s', async (name, _, params) => {
    const [ours, theirs] = await Promise.all([
      twins.ours.call(name, params()),
      twins.theirs.call(name, params()),
    ]);
    expect(unexcused(differences(ours, theirs), name)).toEqual([]);
  });

  test('calc_pow refuses block versions with another proof of work', async () => {
    const { error } = await twins.ours.call('calc_pow', pow({ major_version: 16 }));
    expect(error).toMatchObject({ code: -5, message: expect.stringMatching(/version 16/) });
  });

  test.each([
    ['on_get_block_hash', 0],
    ['on_get_block_hash', {}],
    ['on_get_block_hash', 'x'],
    ['submit_block', '00'],
  ])('%s refuses params that are no list with the same code: %j', async (name, params) => {
    const [ours, theirs] = await Promise.all([
      twins.ours.call(name, params),
      twins.theirs.call(name, params),
    ]);
    expect(theirs.error).toBeDefined();
    expect(ours.error?.code).toBe(theirs.error?.code);
  });

  test.each([[[{ amount_of_blocks: 1 }]], ['x'], [5], [true]])(
    'refuses params that are no object, which the real daemon ignores: %j',
    async (params) => {
      expect((await twins.ours.call('generateblocks', params)).error?.code).toBe(-32602);
      expect((await twins.ours.call('get_info', params)).error?.code).toBe(-32602);
    },
  );
});

describe('a plain path', () => {
  test.each(['', '{}', '[]', '[{}]', 'null', '""', '"x"', '5', '{"a":1e400}'])(
    'gives the same status for the body %j',
    async (body) => {
      const [ours, theirs] = await Promise.all(
        [twins.ours, twins.theirs].map(({ port }) => post(port, '/get_height', body)),
      );
      expect(ours?.status).toBe(theirs?.status);
    },
  );

  test.each(PATHS)('%s gives the same answer for %s', async (path, _, body) => {
    const [ours, theirs] = await Promise.all([
      twins.ours.plain(path, body()),
      twins.theirs.plain(path, body()),
    ]);
    expect(unexcused(differences(ours, theirs), path)).toEqual([]);
  });

  test('reports the same for a key image spent in the chain, and in the pool', async () => {
    const { txs } = await twins.ours.plain('/get_transactions', {
      txs_hashes: [names[0], waiting],
      decode_as_json: true,
    });
    const key_images = (txs as Loose[]).map(({ as_json }) => JSON.parse(as_json).vin[0].key.k_image);
    const replies = await Promise.all(
      [twins.ours, twins.theirs].map((daemon) => daemon.plain('/is_key_image_spent', { key_images })),
    );
    expect(replies[0]).toEqual(replies[1]);
    expect(replies[0].spent_status).toEqual([1, 2]);
  });

  test('gives the same raw hashes of pool transactions', async () => {
    const { ours, theirs } = await rawFields('/get_transaction_pool_hashes.bin', {}, 'tx_hashes');
    expect(ours).toBe(waiting);
    expect(theirs).toBe(waiting);
  });
});

test('/set_log_categories without categories restores the defaults', async () => {
  await twins.ours.plain('/set_log_categories', { categories: '*:DEBUG' });
  const { categories } = await twins.ours.plain('/set_log_categories', {});
  expect(categories).toBe(
    '*:WARNING,net:FATAL,net.p2p:FATAL,net.cn:FATAL,global:INFO,verify:FATAL,stacktrace:INFO,logging:INFO,msgwriter:INFO',
  );
  expect(await twins.ours.plain('/set_log_categories', { categories: '' })).toMatchObject({ categories: '' });
});

test('get_txpool_backlog gives the same raw weights and fees', async () => {
  const request = { jsonrpc: '2.0', id: '0', method: 'get_txpool_backlog' };
  const { ours, theirs } = await rawFields('/json_rpc', request, 'backlog');
  // The third number is an age, which differs by the time between the calls.
  const timeless = (hex: string): string => hex.slice(0, 32);
  expect(ours).toHaveLength(48);
  expect(theirs).toHaveLength(48);
  expect(timeless(ours)).toBe(timeless(theirs));
});

/** Hex of raw bytes in a JSON string, which makes the text invalid JSON. */
async function rawFields(path: string, body: object, field: string) {
  const [ours = '', theirs = ''] = await Promise.all(
    [twins.ours, twins.theirs].map(async ({ port }) => {
      const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
      });
      const text = Buffer.from(await reply.arrayBuffer()).toString('latin1');
      const value = new RegExp(`"${field}": ?"((?:[^"\\\\]|\\\\.)*)"`, 's').exec(text)?.[1] ?? '';
      return Buffer.from(unescaped(value), 'latin1').toString('hex');
    }),
  );
  return { ours, theirs };
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
};

const unescaped = (text: string): string =>
  text.replace(/\\(?:u00(..)|(.))/gs, (_, code: string | undefined, char: string) =>
    code === undefined ? (ESCAPES[char] ?? char) : String.fromCharCode(Number.parseInt(code, 16)),
  );

const u64 = (value: bigint) => ({ type: 'u64', value }) as const;
const bytes = (hex: string) => ({ type: 'string', value: fromHex(hex) }) as const;
const bool = (value: boolean) => ({ type: 'bool', value }) as const;
const output = (index: bigint) =>
  ({ type: 'object', value: { amount: u64(0n), index: u64(index) } }) as const;

const BINARY: readonly (readonly [string, string, () => TypedSection])[] = [
  ['/getblocks.bin', 'from the first', () => ({ block_ids: bytes(GENESIS) })],
  ['/getblocks.bin', 'from the first, pruned', () => ({ block_ids: bytes(GENESIS), prune: bool(true) })],
  [
    '/getblocks.bin',
    'without what miners were paid',
    () => ({ start_height: u64(70n), no_miner_tx: bool(true), prune: bool(true) }),
  ],
  ['/getblocks.bin', 'from an unknown one', () => ({ block_ids: bytes(ZEROS) })],
  ['/getblocks_by_height.bin', 'some', () => ({ heights: { type: 'list', items: [u64(3n), u64(77n)] } })],
  [
    '/getblocks_by_height.bin',
    'one too high',
    () => ({ heights: { type: 'list', items: [u64(3n), u64(7_700n)] } }),
  ],
  ['/gethashes.bin', 'all', () => ({ block_ids: bytes(GENESIS) })],
  ['/gethashes.bin', 'unknown ones', () => ({ block_ids: bytes(ZEROS) })],
  ['/get_o_indexes.bin', 'one', () => ({ txid: bytes(names[2] ?? '') })],
  ['/get_o_indexes.bin', 'an unknown one', () => ({ txid: bytes(ZEROS) })],
  [
    '/get_outs.bin',
    'some',
    () => ({ outputs: { type: 'list', items: [3n, 60n, 90n].map(output) }, get_txid: bool(true) }),
  ],
  ['/get_outs.bin', 'an unknown output', () => ({ outputs: { type: 'list', items: [output(5_000n)] } })],
  [
    '/get_output_distribution.bin',
    'as a wallet asks',
    () => ({
      amounts: { type: 'list', items: [u64(0n)] },
      cumulative: bool(true),
      binary: bool(true),
      compress: bool(true),
    }),
  ],
  [
    '/get_output_distribution.bin',
    'not compressed',
    () => ({ amounts: { type: 'list', items: [u64(0n)] }, binary: bool(true), from_height: u64(10n) }),
  ],
];

/** Fields of today's interface that the real daemon lacks. */
const NEW_FIELDS = ['daemon_time', 'top_block_hash'];

/** The real daemon sends zeros for every prunable hash; wallets ignore it. */
const UNUSED = 'prunable_hash';

const plainValue = (value: Value): unknown => {
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return (value as readonly Value[]).map(plainValue);
  return typeof value === 'object'
    ? Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, key === UNUSED ? '' : plainValue(item as Value)]),
      )
    : value;
};

describe('a binary path', () => {
  test.each(BINARY)('%s gives the same answer for %s', async (path, _, request) => {
    const [ours, theirs] = await Promise.all(
      [twins.ours, twins.theirs].map(async ({ port }) => {
        const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
          method: 'POST',
          body: writeStorage(request()),
        });
        expect(reply.status).toBe(200);
        const section = readStorage(new Uint8Array(await reply.arrayBuffer()));
        expect(new SectionReader(section).has('status')).toBe(true);
        return Object.fromEntries(
          Object.entries(section)
            .filter(([key]) => !NEW_FIELDS.includes(key))
            .map(([key, value]) => [key, plainValue(value)]),
        );
      }),
    );
    expect(ours).toEqual(theirs);
  });

  test.each([
    ['/getblocks.bin', 'no storage at all', Uint8Array.of(1, 2, 3)],
    ['/get_outs.bin', 'half of a message', writeStorage({ get_txid: bool(true) }).subarray(0, 12)],
  ])('%s refuses %s', async (path, _, body) => {
    for (const { port } of [twins.ours, twins.theirs])
      expect((await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body })).status).toBe(400);
  });
});

/** Endpoints that other tests compare, and where. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  '/get_transaction_pool_hashes.bin': 'above, as raw bytes',
  get_txpool_backlog: 'above, as raw bytes',
  '/stop_daemon': 'regtest-main.test.ts stops ours by it',
};

test.each(comparable)('$names is compared', ({ names: known }) => {
  const compared = [METHODS, PATHS, BINARY].flatMap((rows) => rows.map(([name]) => name));
  expect(known.some((name) => compared.includes(name) || name in ELSEWHERE)).toBe(true);
});

test.each([['/no_such_path'], ['/get_height?x=1'], ['/Get_height']])(
  '%s is not found in either',
  async (path) => {
    for (const { port } of [twins.ours, twins.theirs]) expect((await post(port, path, {})).status).toBe(404);
  },
);
