import { statfsSync } from 'node:fs';
import { DIFFICULTY_TARGET_SECONDS } from '../../monero/cryptonote/constants.js';
import { U64_MAX } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import type { Context } from './method.js';
import { accessed, wide } from './shapes.js';
import { visiblePool } from './pool.js';

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
  const height = daemon.faults.height(tip.height + 1);
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
