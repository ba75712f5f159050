/** First sight of a payment, by the clock of the server. */
export interface Sight {
  /** Time of the sight [Unix s]. */
  readonly time: number;
  /**
   * Earliest time at which the payment may have arrived [Unix s]; absent: it arrived at its sight, because the wallet
   * had all blocks and the mempool a moment before.
   */
  readonly since?: number;
}

/** The chain as a wallet has read it completely. */
export interface CompleteRead {
  /** Time at which the read began [Unix s]. */
  readonly time: number;
  /** Shortest time by which the newest block was behind the clock at this or an earlier read [s]; absent: unknown. */
  readonly leastLag?: number;
  /**
   * True if the newest block was behind the clock by much more than at earlier reads: the clock was put ahead, or no
   * block was found for long. In both cases the clock alone does not prove the time.
   */
  readonly isLagging: boolean;
}

/** Longest time between two complete reads of a wallet that follows the chain [s]: about that between two blocks. */
const LONGEST_PAUSE = 120;

/**
 * Growth of the time between the newest block and the clock from which on the clock alone does not prove the time [s].
 */
const MOST_LAG = 1200;

/**
 * Returns the facts of a complete read. @param time time at which it began [Unix s]. @param newestBlock time of the
 * newest block [Unix s]; undefined if it is not known. @param before the previous read; undefined: this is the first
 * read.
 */
export function completeRead(
  time: number,
  newestBlock: number | undefined,
  before: CompleteRead | undefined,
): CompleteRead {
  if (newestBlock === undefined)
    return {
      time,
      isLagging: false,
      ...(before?.leastLag === undefined ? {} : { leastLag: before.leastLag }),
    };
  // A block that is dated ahead says nothing about the clock.
  const lag = Math.max(0, time - newestBlock);
  const leastLag = Math.min(lag, before?.leastLag ?? Infinity);
  return { time, leastLag, isLagging: lag - leastLag > MOST_LAG };
}

/** Facts by which the earliest time of a sight is judged. */
export interface SightWitnesses {
  /** Time by the clock of the server [Unix s]. */
  readonly now: number;
  /** The last complete read; undefined if there was no complete read. */
  readonly read: CompleteRead | undefined;
  /** True if the wallet was not closed since the last complete read. */
  readonly isOpenSince: boolean;
  /** Time of the newest block that the wallet knew before the sight [Unix s]; undefined if it is not known. */
  readonly newestBlock: number | undefined;
}

/**
 * Judges the first sight of a payment. A wallet that follows the chain sees a payment when it arrives. A wallet that
 * was closed, or lacked its daemon for a while, knows only that the payment arrived after its last complete read. If
 * the clock was changed, the wallet knows only that the payment arrived after the newest known block.
 */
export function sightAt({ now, read, isOpenSince, newestBlock = 0 }: SightWitnesses): Sight {
  const since = (time: number): Sight => ({ time: now, since: Math.min(time, now) });
  if (read === undefined) return since(0);
  if (read.isLagging || read.time > now) return since(newestBlock);
  return isOpenSince && now - read.time <= LONGEST_PAUSE ? { time: now } : since(read.time);
}

/**
 * Returns the time at which a payment arrived that is first seen in a block. The date of the block decides within the
 * times that the sight leaves open: miners may date blocks two hours ahead and hours back.
 * @param blockTime date of the block [Unix s].
 */
export const arrivalInBlock = (blockTime: number, { time, since = time }: Sight): number =>
  Math.max(since, Math.min(time, blockTime));
