import type { Hash } from '../monero/crypto/types.js';
import { equalBytes } from '../util/bytes.js';
import type { OutputDistribution } from './daemon.js';
import { DaemonError } from './errors.js';

/** Calls that the cache makes. Each may throw DaemonError. */
export interface DistributionSource {
  /** Reads the distribution from a height to the tip. */
  distribution(fromHeight: number): Promise<OutputDistribution>;
  /** Reads the hash of a block. */
  blockHash(height: number): Promise<Hash>;
}

/** Blocks below the tip that the cache does not keep: a reorganisation replaces some of them now and then. */
const RECENT_BLOCKS = 100;

/**
 * The last kept block is just below a multiple of this height. A height of its own in each wallet server would be a mark
 * by which a daemon recognises it.
 */
const ANCHOR_STEP = 1000;

/** Blocks from the first one with RingCT outputs to the anchor. */
interface KnownBlocks {
  readonly distribution: OutputDistribution;
  readonly anchor: { readonly height: number; readonly hash: Hash };
}

/**
 * Output distribution of one daemon, of which only the latest blocks are requested again: on mainnet it has three
 * million entries, and a payment needs all of them. The kept blocks are used only while the daemon's chain has the hash
 * of the last one.
 */
export class OutputDistributionCache {
  #known: KnownBlocks | undefined;

  /** @returns the distribution that a request for all blocks gives. @throws DaemonError */
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

/** @returns undefined if the daemon's chain does not have the known blocks. */
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

/** Awaits answers about blocks that a shorter chain does not have. */
async function unlessRejected<T>(answers: Promise<T>): Promise<T | undefined> {
  try {
    return await answers;
  } catch (error) {
    if (error instanceof DaemonError && error.kind === 'rejected') return undefined;
    throw error;
  }
}

/** Height of the last block to keep; undefined on a chain that is too short. */
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
