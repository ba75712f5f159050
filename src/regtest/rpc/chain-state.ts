import { SPENDABLE_AGE_BLOCKS } from '../../monero/cryptonote/constants.js';
import { U64_MAX } from '../../util/amount.js';
import { flag, height, listOf, none, params, u64 } from '../../http/methods/params.js';
import { MAX_GRACE_BLOCKS, QUANTIZATION_MASK } from '../rules/block-weight.js';
import type { Node } from '../chain/node.js';
import { distributionFor, distributionShape, distributionRequest } from './distribution.js';
import { refuse, defineMethod, type DaemonMethod } from './method.js';
import { nodeInfo } from './node-state.js';
import { accessed, replied } from './shapes.js';

/**
 * RPC version 3.18; the upper 16 bits contain the major version. Source: core_rpc_server_commands_defs.h
 * `CORE_RPC_VERSION`.
 */
const RPC_VERSION = (3 << 16) | 18;
/** Largest age of `recent_cutoff` at a restricted port [s]. */
const MAX_RECENT_AGE = 3 * 24 * 60 * 60;

const LIKELY_FORKED = 0;

/** Counts the outputs of an amount: all outputs, the unlocked outputs, and the outputs unlocked since a time. */
function histogramOf({ chain, store }: Node, amount: bigint, recentCutoff: number) {
  const total = store.outputs.count(amount);
  const mature = store.outputs.countBelow(amount, chain.height - SPENDABLE_AGE_BLOCKS + 1);
  const firstRecent = store.blocks.firstSince(recentCutoff) ?? chain.height;
  const recent = mature - Math.min(mature, store.outputs.countBelow(amount, firstRecent));
  return { total, mature, recent };
}

export const chainStateMethods: readonly DaemonMethod[] = [
  defineMethod({
    name: 'get_info',
    summary: 'State of the node.',
    meta: {},
    params: none,
    source: 'COMMAND_RPC_GET_INFO, on_get_info',
    handle: (context) => nodeInfo(context),
  }),

  defineMethod({
    name: 'get_version',
    summary: 'Version of this interface.',
    meta: {},
    params: none,
    source: 'COMMAND_RPC_GET_VERSION, on_get_version',
    handle: ({ daemon: { node } }) =>
      // Without the next fork, the answer has no table of hard forks, so a wallet asks for each fork separately; it does not
      // know the table of regtest.
      replied({
        version: RPC_VERSION,
        release: false,
        current_height: node.chain.height,
        ...(node.chain.forks.hasNextFork
          ? {
              target_height: 0,
              hard_forks: node.chain.forks.forks.map(({ version, height: from }) => ({
                hf_version: version,
                height: from,
              })),
            }
          : {}),
      }),
  }),

  defineMethod({
    name: 'hard_fork_info',
    summary: 'Status of a hard fork.',
    meta: {},
    params: params({ version: height.default(0) }),
    source: 'COMMAND_RPC_HARD_FORK_INFO, on_hard_fork_info',
    handle({ daemon: { node } }, { version }) {
      const { forks, height: next } = node.chain;
      const status = forks.statusOf(version === 0 ? forks.latest : version, next);
      return accessed({
        version: node.chain.version,
        enabled: status.enabled,
        window: status.window,
        votes: status.votes,
        threshold: status.threshold,
        voting: status.voting,
        state: LIKELY_FORKED,
        earliest_height: status.earliestHeight ?? U64_MAX,
      });
    },
  }),

  defineMethod({
    name: 'get_fee_estimate',
    summary: 'Recommended fees per byte.',
    meta: {},
    params: params({ grace_blocks: height.default(0) }),
    source: 'COMMAND_RPC_GET_BASE_FEE_ESTIMATE, on_get_base_fee_estimate',
    handle({ daemon: { node } }, { grace_blocks }) {
      if (grace_blocks > MAX_GRACE_BLOCKS)
        throw refuse('wrongParam', `grace_blocks is at most ${MAX_GRACE_BLOCKS}`);
      const fees = node.chain.feeEstimates(grace_blocks);
      return accessed({ fee: fees[0] ?? 0n, fees, quantization_mask: QUANTIZATION_MASK });
    },
  }),

  defineMethod({
    name: 'get_output_histogram',
    summary: 'Number of outputs by amount.',
    meta: {},
    params: params({
      amounts: listOf(u64),
      min_count: height.default(0),
      max_count: height.default(0),
      unlocked: flag.default(false),
      recent_cutoff: height.default(0),
    }),
    source: 'COMMAND_RPC_GET_OUTPUT_HISTOGRAM, on_get_output_histogram',
    handle({ daemon: { node }, restricted }, { amounts, min_count, max_count, unlocked, recent_cutoff }) {
      if (restricted && amounts.length === 0)
        return accessed({}, 'a restricted server gives histograms of named amounts only');
      if (restricted && recent_cutoff > 0 && recent_cutoff < node.chain.now() - MAX_RECENT_AGE)
        return accessed({}, 'Recent cutoff is too old');
      const requested =
        amounts.length === 0 ? node.store.outputs.amounts().map(({ amount }) => amount) : amounts;
      const sorted = [...new Set(requested)].sort((a, b) => (a < b ? -1 : 1));
      const histogram = sorted.flatMap((amount) => {
        const { total, mature, recent } = histogramOf(node, amount, recent_cutoff);
        if (total < min_count || (max_count !== 0 && total > max_count)) return [];
        return [
          {
            amount,
            total_instances: total,
            unlocked_instances: unlocked || recent_cutoff > 0 ? mature : 0,
            recent_instances: recent_cutoff > 0 ? recent : 0,
          },
        ];
      });
      return accessed({ histogram });
    },
  }),

  defineMethod({
    name: 'get_output_distribution',
    summary: 'Number of outputs of an amount by block.',
    meta: {},
    params: distributionRequest,
    source: 'COMMAND_RPC_GET_OUTPUT_DISTRIBUTION, on_get_output_distribution',
    handle({ daemon: { node }, restricted }, request) {
      if (restricted && (request.amounts.length !== 1 || request.amounts[0] !== 0n))
        throw refuse('restricted', 'a restricted server gives the distribution of RingCT outputs only');
      return accessed({
        distributions: request.amounts.map((amount) => {
          const distribution = distributionFor(node, amount, request);
          if (distribution === undefined) throw refuse('internal', 'there is no such range of heights');
          return distributionShape(amount, distribution, request);
        }),
      });
    },
  }),

  defineMethod({
    name: 'sync_info',
    summary: 'State of the sync.',
    meta: { unrestricted: true },
    params: none,
    source: 'COMMAND_RPC_SYNC_INFO, on_sync_info',
    handle: ({ daemon: { node } }) =>
      accessed({ height: node.chain.height, target_height: 0, next_needed_pruning_seed: 0, overview: '[]' }),
  }),

  defineMethod({
    name: 'prune_blockchain',
    summary: 'Pruning seed; always 0, the chain is not pruned.',
    meta: { unrestricted: true },
    params: params({ check: flag.default(false) }),
    source: 'COMMAND_RPC_PRUNE_BLOCKCHAIN, on_prune_blockchain',
    handle(_, { check }) {
      if (!check) throw refuse('internal', 'the chain of a regtest daemon is not pruned');
      return replied({ pruned: false, pruning_seed: 0 });
    },
  }),

  defineMethod({
    name: 'flush_cache',
    summary: 'Clears the caches of invalid transactions and blocks; without effect here.',
    meta: { unrestricted: true },
    params: none,
    source: 'COMMAND_RPC_FLUSH_CACHE, on_flush_cache',
    handle: () => replied({}),
  }),
];
