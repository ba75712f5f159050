import type { CallOptions, Daemon, DaemonInfo } from '../../daemon/daemon.js';
import { DaemonError } from '../../daemon/errors.js';

/** End of a chain, by what a daemon answers. */
export interface ChainTip {
  /** Number of blocks. */
  readonly blocks: number;
  /** Time of the newest block [Unix s]. */
  readonly timestamp: number;
}

/** Calls that read the end of a chain. */
export type TipSource = Pick<Daemon, 'getInfo' | 'getLastBlockHeader'>;

/**
 * Blocks below the tip from which a new wallet is scanned: a reorganisation may mine its first payment again below the
 * height at which it was created. The longest one of mainnet had 18 blocks.
 */
export const TIP_MARGIN = 60;

/** Time by which the newest block of a daemon may be older than that of another one [s]. */
const MOST_STALE_SECONDS = 86_400;

/** First height that is at least {@link TIP_MARGIN} blocks below the tip. */
export const belowTip = (blocks: number): number => Math.max(0, blocks - TIP_MARGIN);

/**
 * Reads the number of blocks of a daemon twice, from its state and from its newest header, and takes the lower one: a
 * wallet that begins above the real tip loses the payments in between.
 * @throws DaemonError, `malformed` for a daemon without blocks.
 */
export async function readTip(
  daemon: TipSource,
  options: CallOptions = {},
): Promise<ChainTip & { readonly info: DaemonInfo }> {
  const [info, newest] = await Promise.all([daemon.getInfo(options), daemon.getLastBlockHeader(options)]);
  const blocks = Math.min(info.height, newest.height + 1);
  if (blocks < 1) throw new DaemonError('malformed', 'the daemon has no blocks');
  return { blocks, timestamp: newest.timestamp, info };
}

/**
 * Returns the lowest number of blocks that the serving daemon and others claim. Another one whose newest block is more
 * than a day older than the newest of all does not count: it stopped following the chain.
 * @param now Unix time [s]; blocks that claim to be newer count as of now.
 */
export function lowestTip(serving: ChainTip, others: readonly ChainTip[], now: number): number {
  const newest = Math.min(now, Math.max(serving.timestamp, ...others.map(({ timestamp }) => timestamp)));
  const following = others.filter(({ timestamp }) => timestamp >= newest - MOST_STALE_SECONDS);
  return Math.min(serving.blocks, ...following.map(({ blocks }) => blocks));
}

/** First height below which every block was mined before a time. Asks for a header per halving of the chain. */
export async function heightOfTime(
  daemon: Pick<Daemon, 'getBlockHeader'>,
  blocks: number,
  timestamp: number,
): Promise<number> {
  let low = 0;
  let high = blocks;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await daemon.getBlockHeader(middle)).timestamp < timestamp) low = middle + 1;
    else high = middle;
  }
  return low;
}
