import type { Hash } from '../monero/crypto/types.js';
import { equalBytes } from '../util/bytes.js';
import type { OutputDistribution } from './daemon.js';
import { DaemonError } from './errors.js';

/** The two calls to a daemon that the cache of the output distribution makes. Each may throw DaemonError. */
export interface DistributionSource {
  /** Fetches the distribution from a height to the daemon's tip. */
  distribution(fromHeight: number): Promise<OutputDistribution>;
  /** Fetches the hash of the block at a height. */
  blockHash(height: number): Promise<Hash>;
}

/** Number of blocks below the tip that are not kept, because reorganisations replace some of them from time to time. */
const RECENT_BLOCKS = 100;

/**
 * The height after the last kept block is a multiple of this number. If each wallet server had its own height, a daemon
 * could recognise a server by it.
 */
const ANCHOR_STEP = 1000;

/** The kept part of the distribution: from the first block with RingCT outputs to the last kept block. */
interface KnownBlocks {
  readonly distribution: OutputDistribution;
  readonly anchor: { readonly height: number; readonly hash: Hash };
}

/**
 * Caches the output distribution of one daemon, so that only its latest blocks are fetched again: on mainnet it has
 * three million entries, and a payment needs all of them. The kept entries are used only while the daemon's chain still
 * contains the last kept block.
 */
export class OutputDistributionCache {
  #known: KnownBlocks | undefined;

  /** Returns the distribution over all blocks, after fetching the blocks that are not kept. @throws DaemonError */
  async read(source: DistributionSource): Promise<OutputDistribution> {
    const extended = this.#known && (await extend(this.#known, source));
    if (extended === undefined) this.#known = undefined;
    const distribution = extended ?? (await source.distribution(0));
    const height = anchorHeight(distribution);
    if (height !== undefined && height !== this.#known?.anchor.height)
      this.#known = {
        distribution: upTo(distribution, height),
        anchor: { height, hash: await source.blockHash(height) },
      };
    return distribution;
  }
}

/**
 * Fetches the blocks after the known blocks and joins both.
 * @returns undefined if the daemon's chain lacks the last known block.
 */
async function extend(
  { distribution: known, anchor }: KnownBlocks,
  source: DistributionSource,
): Promise<OutputDistribution | undefined> {
  const answers = await unlessRejected(
    Promise.all([source.distribution(anchor.height + 1), source.blockHash(anchor.height)]),
  );
  if (answers === undefined) return undefined;
  const [recent, hash] = answers;
  if (
    !equalBytes(hash, anchor.hash) ||
    recent.startHeight !== anchor.height + 1 ||
    recent.base !== known.cumulative.at(-1)
  )
    return undefined;
  return { ...known, cumulative: known.cumulative.concat(recent.cumulative) };
}

/**
 * Waits for answers about blocks.
 * @returns undefined if the daemon rejects the request, because its chain is too short.
 */
async function unlessRejected<T>(answers: Promise<T>): Promise<T | undefined> {
  try {
    return await answers;
  } catch (error) {
    if (error instanceof DaemonError && error.kind === 'rejected') return undefined;
    throw error;
  }
}

/** Returns the height of the last block to keep; undefined for a chain that is too short. */
function anchorHeight({ startHeight, cumulative }: OutputDistribution): number | undefined {
  const end = startHeight + cumulative.length - RECENT_BLOCKS;
  const height = end - (end % ANCHOR_STEP) - 1;
  return height < startHeight ? undefined : height;
}

const upTo = ({ startHeight, base, cumulative }: OutputDistribution, height: number): OutputDistribution => ({
  startHeight,
  base,
  cumulative: cumulative.slice(0, height + 1 - startHeight),
});
