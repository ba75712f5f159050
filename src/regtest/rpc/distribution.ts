import type * as z from 'zod';
import type { TypedSection } from '../../monero/epee/storage-writer.js';
import { flag, height, listOf, params, u64 } from '../../http/methods/params.js';
import { encode, u64 as u64Codec, varintNumber, Writer } from '../../util/codec.js';
import type { Node } from '../chain/node.js';
import { rawText } from './shapes.js';

/**
 * Parameters of `get_output_distribution`. Source: core_rpc_server_commands_defs.h
 * `COMMAND_RPC_GET_OUTPUT_DISTRIBUTION`.
 */
export const distributionRequest = params({
  amounts: listOf(u64),
  from_height: height.default(0),
  to_height: height.default(0),
  cumulative: flag.default(false),
  binary: flag.default(true),
  compress: flag.default(false),
});

export type DistributionRequest = z.output<typeof distributionRequest>;

/** Number of outputs of one amount in each block. */
export interface Distribution {
  readonly startHeight: number;
  /** Number of outputs in the blocks below `startHeight`. */
  readonly base: number;
  /** For each block from `startHeight` on, the number of its outputs. */
  readonly counts: readonly number[];
}

/**
 * Counts the outputs of one amount in a range of blocks.
 * @returns undefined if the first height is above the last, or the last is above the tip. Source: blockchain.cpp
 * `get_output_distribution`; rpc_handler.cpp `process_distribution`.
 */
export function distributionFor(
  { chain, store }: Node,
  amount: bigint,
  { from_height: from, to_height, cumulative }: Omit<DistributionRequest, 'amounts'>,
): Distribution | undefined {
  const to = to_height === 0 ? chain.tip.height : to_height;
  if (from > to || to > chain.tip.height) return undefined;
  const totals = amount === 0n ? rctTotals(store, from, to) : totalsOf(store, amount, from, to);
  const [base = 0, ...sums] = totals;
  const counts = cumulative ? sums : sums.map((sum, i) => sum - (totals[i] ?? 0));
  return { startHeight: from, base, counts };
}

type Store = Node['store'];

/** Returns the number of RingCT outputs in all blocks below each height from `from` to `to + 1`. */
function rctTotals({ blocks }: Store, from: number, to: number): number[] {
  const before = from === 0 ? [0] : blocks.rctOutputs(from - 1, 1);
  return [...before, ...blocks.rctOutputs(from, to - from + 1)];
}

function totalsOf({ outputs }: Store, amount: bigint, from: number, to: number): number[] {
  const counts = outputs.countsByHeight(amount, from);
  const totals = [outputs.countBelow(amount, from)];
  for (let at = from; at <= to; at++) totals.push((totals.at(-1) ?? 0) + (counts.get(at) ?? 0));
  return totals;
}

/** Packs counts as 8-byte little-endian integers. */
function packed(counts: readonly number[]): Uint8Array {
  const w = new Writer();
  for (const count of counts) u64Codec.write(BigInt(count), w);
  return w.finish();
}

/** Packs counts as varints. Source: core_rpc_server_commands_defs.h `compress_integer_array`. */
const compressed = (counts: readonly number[]): Uint8Array =>
  Buffer.concat(counts.map((count) => encode(varintNumber, count)));

type Format = Pick<DistributionRequest, 'binary' | 'compress'>;

/** Returns a distribution as JSON. */
export const distributionShape = (amount: bigint, found: Distribution, { binary, compress }: Format) => ({
  amount,
  base: found.base,
  binary,
  compress,
  compressed_data: binary && compress ? rawText(compressed(found.counts)) : undefined,
  distribution: binary ? (compress ? undefined : rawText(packed(found.counts))) : found.counts,
  start_height: found.startHeight,
});

/** Returns a distribution as portable storage. */
export const distributionSection = (
  amount: bigint,
  found: Distribution,
  compress: boolean,
): TypedSection => ({
  amount: { type: 'u64', value: amount },
  base: { type: 'u64', value: BigInt(found.base) },
  binary: { type: 'bool', value: true },
  compress: { type: 'bool', value: compress },
  [compress ? 'compressed_data' : 'distribution']: {
    type: 'string',
    value: compress ? compressed(found.counts) : packed(found.counts),
  },
  start_height: { type: 'u64', value: BigInt(found.startHeight) },
});
