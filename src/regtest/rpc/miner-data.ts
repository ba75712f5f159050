import { toHex } from '../../util/bytes.js';
import type { Json } from '../../util/json.js';
import type { Node } from '../chain/node.js';
import { versionAt } from '../rules/hard-fork.js';
import { seedHeight } from '../rules/seed-height.js';

/** Data for miners that build their own blocks. Source: blockchain.cpp `get_miner_data`. */
export async function minerData(node: Node): Promise<Readonly<Record<string, Json>>> {
  const { tip, measures, backlog } = await node.nextBlockContext();
  const height = tip.height + 1;
  return {
    major_version: versionAt(height),
    height,
    prev_id: toHex(tip.hash),
    seed_hash: toHex(node.store.blocks.at(seedHeight(height))?.hash ?? new Uint8Array(32)),
    difficulty: `0x${node.chain.difficulty.toString(16)}`,
    median_weight: measures.penaltyMedian,
    already_generated_coins: measures.generated,
    tx_backlog: backlog.map(({ hash, weight, fee }) => ({ id: toHex(hash), weight, fee })),
  };
}
