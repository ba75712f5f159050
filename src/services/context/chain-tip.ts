import type { CallOptions, Daemon, DaemonInfo } from '../../daemon/daemon.js';
import { DaemonError } from '../../daemon/errors.js';

/** End of the chain of a daemon, according to the daemon. */
export interface ChainTip {
  /** Number of blocks in the chain. */
  readonly blocks: number;
  /** Time of the newest block [Unix s]. */
  readonly timestamp: number;
}

/** Calls of a daemon that {@link readTip} needs. */
export type TipSource = Pick<Daemon, 'getInfo' | 'getLastBlockHeader'>;

/**
 * Number of blocks below the tip at which the scan of a new wallet begins: a reorganisation may move its first payment
 * below the height at which the wallet was created. The longest reorganisation of mainnet had 18 blocks.
 */
const TIP_MARGIN = 60;

/** Largest difference between the times of the newest blocks of two daemons that are both taken into account [s]. */
const MOST_STALE_SECONDS = 86_400;

/** Height that is {@link TIP_MARGIN} blocks below the tip, at least 0. */
export const belowTip = (blocks: number): number => Math.max(0, blocks - TIP_MARGIN);

/**
 * Reads the number of blocks of a daemon twice, from its state and from its newest header, and returns the lower
 * number: a wallet whose scan begins above the real tip misses the payments in between.
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
 * Returns the lowest number of blocks that the serving daemon and the other daemons claim. Ignores any other daemon
 * whose newest block is more than a day older than the newest block of all daemons, because it has stopped following
 * the chain.
 * @param now Unix time [s]; a block with a later time counts as a block of this time.
 */
export function lowestTip(serving: ChainTip, others: readonly ChainTip[], now: number): number {
  const newest = Math.min(now, Math.max(serving.timestamp, ...others.map(({ timestamp }) => timestamp)));
  const following = others.filter(({ timestamp }) => timestamp >= newest - MOST_STALE_SECONDS);
  return Math.min(serving.blocks, ...following.map(({ blocks }) => blocks));
}

/**
 * Time subtracted from the date of a wallet [s]: users date a wallet by their own clock and time zone, and the timestamp of
 * a block may differ from its time by two hours.
 */
const DATE_MARGIN_SECONDS = 86_400;

/**
 * Returns the height from which a wallet that received nothing before a given time must be scanned: the height of the
 * first block whose timestamp is at most a day before the time, and below the tip.
 * @param blocks number of blocks of the chain. @param time Unix time [s]. @param spare number of further blocks below
 * the height.
 * @throws DaemonError
 */
export async function heightOfDatedWallet(
  daemon: Pick<Daemon, 'getBlockHeader'>,
  blocks: number,
  time: number,
  spare = 0,
): Promise<number> {
  const dated = await heightOfTime(daemon, blocks, time - DATE_MARGIN_SECONDS);
  return Math.max(0, Math.min(dated - spare, belowTip(blocks)));
}

/**
 * Returns the first height below which every block was mined before a time. Asks for one header for each halving of the
 * chain.
 */
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
