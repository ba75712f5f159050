import { statfsSync } from 'node:fs';
import { DIFFICULTY_TARGET_SECONDS } from '../../monero/cryptonote/constants.js';
import { U64_MAX } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import { accessed, wide, replied } from './shapes.js';
import { visiblePool } from './pool.js';
import * as z from 'zod';
import { flag, height, listOf, none, params, text, u32, u64 } from '../../http/methods/params.js';
import { isLockOpen } from '../../monero/cryptonote/unlock-time.js';
import { DEFAULT_LIMITS, DEFAULT_CATEGORIES } from './daemon.js';
import { defineMethod, type DaemonMethod, type Context } from './method.js';

const GIB = 1024 ** 3;
/** Multiple to which the database size is rounded up at a restricted port [bytes]. */
const COARSE_SIZE = 5 * GIB;

function freeSpace(): bigint {
  const { bavail, bsize } = statfsSync('.', { bigint: true });
  return bavail * bsize;
}

/**
 * Returns the reply of `get_info`, with bootstrap fields as in older releases. Source: core_rpc_server.cpp
 * `on_get_info`.
 */
export function nodeInfo(context: Context) {
  const { daemon, restricted } = context;
  const { node } = daemon;
  const { tip } = node.chain;
  const { penaltyMedian } = node.chain.measures;
  const height = tip.height + 1;
  const size = node.store.size();
  const open = restricted ? 0 : 1;
  return accessed({
    adjusted_time: node.chain.adjustedTime,
    alt_blocks_count: open * node.store.alternatives.count(),
    block_size_limit: 2 * penaltyMedian,
    block_size_median: penaltyMedian,
    block_weight_limit: 2 * penaltyMedian,
    block_weight_median: penaltyMedian,
    bootstrap_daemon_address: '',
    busy_syncing: false,
    ...wide('cumulative_difficulty', tip.cumulativeDifficulty),
    database_size: restricted ? Math.ceil(size / COARSE_SIZE) * COARSE_SIZE : size,
    ...wide('difficulty', node.chain.difficulty),
    free_space: restricted ? U64_MAX : freeSpace(),
    grey_peerlist_size: 0,
    height,
    height_without_bootstrap: open * height,
    incoming_connections_count: 0,
    mainnet: false,
    nettype: 'fakechain',
    offline: true,
    outgoing_connections_count: 0,
    restricted,
    rpc_connections_count: 0,
    stagenet: false,
    start_time: open * daemon.startTime,
    synchronized: true,
    target: DIFFICULTY_TARGET_SECONDS,
    target_height: 0,
    testnet: false,
    top_block_hash: toHex(tip.hash),
    tx_count: tip.payments,
    tx_pool_size: visiblePool(context).length,
    update_available: false,
    version: restricted ? '' : daemon.version,
    was_bootstrap_ever_used: false,
    white_peerlist_size: 0,
  });
}

const MAX_RESTRICTED_OUTS = 5000;

/** A signed 64-bit integer as a number; its precision above 2^53 has no effect. */
const limit = z
  .union([z.bigint(), z.string().regex(/^-?\d{1,20}$/)])
  .transform((value) => Number(BigInt(value)))
  .default(0);

/**
 * Returns the limit after a request [kB/s]: a positive value sets it, 0 keeps it, -1 restores the default; undefined
 * for any other value.
 */
function limitAfter(requested: number, current: number, initial: number): number | undefined {
  if (requested > 0) return requested;
  if (requested === 0) return current;
  return requested === -1 ? initial : undefined;
}

export const servicePaths: readonly DaemonMethod[] = [
  defineMethod({
    name: '/get_height',
    aliases: ['/getheight'],
    summary: 'Number of blocks and hash of the top one.',
    meta: {},
    params: none,
    source: 'COMMAND_RPC_GET_HEIGHT, on_get_height',
    handle: ({ daemon: { node } }) =>
      replied({ height: node.chain.height, hash: toHex(node.chain.tip.hash) }),
  }),

  defineMethod({
    name: '/get_info',
    aliases: ['/getinfo'],
    summary: 'State of the node.',
    meta: {},
    params: none,
    source: 'COMMAND_RPC_GET_INFO, on_get_info',
    handle: (context) => nodeInfo(context),
  }),

  defineMethod({
    name: '/get_alt_blocks_hashes',
    summary: 'Hashes of the alternative blocks.',
    meta: {},
    params: none,
    source: 'COMMAND_RPC_GET_ALT_BLOCKS_HASHES, on_get_alt_blocks_hashes',
    handle: ({ daemon: { node } }) =>
      accessed({ blks_hashes: node.store.alternatives.all().map(({ hash }) => toHex(hash)) }),
  }),

  defineMethod({
    name: '/get_outs',
    summary: 'Outputs by amount and index.',
    meta: {},
    params: params({
      outputs: listOf(z.object({ amount: u64.default(0n), index: u64.default(0n) })),
      get_txid: flag.default(false),
    }),
    source: 'COMMAND_RPC_GET_OUTPUTS, on_get_outs',
    handle({ daemon: { node }, restricted }, { outputs, get_txid }) {
      if (restricted && outputs.length > MAX_RESTRICTED_OUTS) return accessed({}, 'Too many outs requested');
      const { view } = node.chain;
      const outs = outputs.flatMap(({ amount, index }) => {
        const output = view.output(amount, index);
        if (output === undefined) return [];
        const txid = get_txid ? node.store.outputs.txHashAt(amount, index) : undefined;
        return [
          {
            key: toHex(output.publicKey),
            mask: toHex(output.commitment),
            unlocked: isLockOpen(output.unlockTime, view.height, view.time),
            height: output.height,
            txid: txid === undefined ? '' : toHex(txid),
          },
        ];
      });
      return outs.length < outputs.length ? accessed({}, 'Failed') : accessed({ outs });
    },
  }),

  defineMethod({
    name: '/pop_blocks',
    summary: 'Removes blocks from the tip; their transactions return to the pool.',
    meta: { unrestricted: true },
    params: params({ nblocks: height.default(0), keep_txs: flag.default(true) }),
    source: 'COMMAND_RPC_POP_BLOCKS, on_pop_blocks',
    async handle({ daemon: { node } }, { nblocks, keep_txs }) {
      await node.popBlocks(nblocks, keep_txs);
      return replied({ height: node.chain.height });
    },
  }),

  defineMethod({
    name: '/save_bc',
    summary: 'Saves the chain; without effect, it is always saved.',
    meta: { unrestricted: true },
    params: none,
    source: 'COMMAND_RPC_SAVE_BC, on_save_bc',
    handle: () => replied({}),
  }),

  defineMethod({
    name: '/stop_daemon',
    summary: 'Stops the daemon.',
    meta: { unrestricted: true },
    params: none,
    source: 'COMMAND_RPC_STOP_DAEMON, on_stop_daemon',
    handle({ daemon }) {
      daemon.stop();
      return replied({});
    },
  }),

  defineMethod({
    name: '/set_log_level',
    summary: 'Sets the log level, 0 to 4.',
    meta: { unrestricted: true },
    params: params({ level: limit }),
    source: 'COMMAND_RPC_SET_LOG_LEVEL, on_set_log_level',
    handle: ({ daemon: { log } }, { level }) =>
      replied({}, log.setLevel(level) ? 'OK' : 'Error: log level not valid'),
  }),

  defineMethod({
    name: '/set_log_categories',
    summary: 'Sets the log categories; without a list restores the default.',
    meta: { unrestricted: true },
    params: params({ categories: text.default(DEFAULT_CATEGORIES) }),
    source: 'COMMAND_RPC_SET_LOG_CATEGORIES, on_set_log_categories',
    handle({ daemon: { log } }, { categories }) {
      log.set(categories);
      return replied({ categories: log.categories });
    },
  }),

  defineMethod({
    name: '/get_peer_list',
    summary: 'Known peers; there are none.',
    meta: { unrestricted: true },
    params: none,
    source: 'COMMAND_RPC_GET_PEER_LIST, on_get_peer_list',
    handle: () => replied({}),
  }),

  defineMethod({
    name: '/get_public_nodes',
    summary: 'Peers with a public RPC port; there are none.',
    meta: {},
    params: none,
    source: 'COMMAND_RPC_GET_PUBLIC_NODES, on_get_public_nodes',
    handle: () => replied({}),
  }),

  defineMethod({
    name: '/get_net_stats',
    summary: 'Traffic with peers; there is none.',
    meta: { unrestricted: true },
    params: none,
    source: 'COMMAND_RPC_GET_NET_STATS, on_get_net_stats',
    handle: ({ daemon: { startTime } }) =>
      replied({
        start_time: startTime,
        total_packets_in: 0,
        total_bytes_in: 0,
        total_packets_out: 0,
        total_bytes_out: 0,
      }),
  }),

  defineMethod({
    name: '/get_limit',
    summary: 'Bandwidth limits [kB/s].',
    meta: {},
    params: none,
    source: 'COMMAND_RPC_GET_LIMIT, on_get_limit',
    handle: ({ daemon: { limits } }) => replied({ limit_up: limits.up, limit_down: limits.down }),
  }),

  defineMethod({
    name: '/set_limit',
    summary: 'Sets the bandwidth limits [kB/s].',
    meta: { unrestricted: true },
    params: params({ limit_down: limit, limit_up: limit }),
    source: 'COMMAND_RPC_SET_LIMIT, on_set_limit',
    handle({ daemon: { limits } }, { limit_down, limit_up }) {
      const down = limitAfter(limit_down, limits.down, DEFAULT_LIMITS.down);
      const up = limitAfter(limit_up, limits.up, DEFAULT_LIMITS.up);
      if (down === undefined || up === undefined)
        return replied({ limit_up: 0, limit_down: 0 }, 'Invalid parameter');
      Object.assign(limits, { down, up });
      return replied({ limit_up: up, limit_down: down });
    },
  }),

  defineMethod({
    name: '/out_peers',
    summary: 'Sets the maximum number of outgoing peers.',
    meta: { unrestricted: true },
    params: params({ out_peers: u32.optional(), in_peers: u32.optional(), set: flag.default(true) }),
    source: 'COMMAND_RPC_OUT_PEERS, on_out_peers',
    handle({ daemon: { peers } }, { out_peers, in_peers, set }) {
      // As in older releases, this call sets both limits.
      if (set) Object.assign(peers, { out: out_peers ?? peers.out, in: in_peers ?? peers.in });
      return replied({ out_peers: peers.out });
    },
  }),

  defineMethod({
    name: '/in_peers',
    summary: 'Sets the maximum number of incoming peers.',
    meta: { unrestricted: true },
    params: params({ in_peers: u32.optional(), set: flag.default(true) }),
    source: 'COMMAND_RPC_IN_PEERS, on_in_peers',
    handle({ daemon: { peers } }, { in_peers, set }) {
      if (set) Object.assign(peers, { in: in_peers ?? peers.in });
      return replied({ in_peers: peers.in });
    },
  }),

  defineMethod({
    name: '/update',
    summary: 'Checks for a newer version; there is none.',
    meta: { unrestricted: true },
    params: params({ command: text.default('') }),
    source: 'COMMAND_RPC_UPDATE, on_update',
    handle: () =>
      replied(
        { update: false, version: '', user_uri: '', auto_uri: '', hash: '', path: '' },
        'Daemon is running offline',
      ),
  }),

  ...(['/start_save_graph', '/stop_save_graph'] as const).map((name) =>
    defineMethod({
      name,
      summary: 'Obsolete; does nothing.',
      meta: { unrestricted: true },
      params: none,
      source: 'the interface of 2018',
      handle: () => replied({}),
    }),
  ),
];
