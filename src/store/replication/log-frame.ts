import { yieldToEventLoop } from '../../util/event-loop.js';
import { emptyFrame } from './frame.js';
import { FRAMES_PER_TURN, LogFile, type LogPosition } from './log-pages.js';

/** Part of a log. */
export interface LogPart {
  readonly from: LogPosition;
  /** Number of committed frames at the end of the part. */
  readonly to: number;
}

/** A frame of the pages that commits in a part of a log have changed. */
export interface LogFrame {
  /** The encoded frame. */
  readonly bytes: Uint8Array;
  /** Place after the last commit of the frame. */
  readonly end: LogPosition;
  /** Size of the whole store after that commit [bytes]. */
  readonly storeBytes: number;
}

/** Number of pages from which a frame ends with the next commit, so that little memory is in use: 16 MiB. */
const MOST_PAGES = 4096;

/**
 * Reads the newest versions of the pages in a part of a log as a frame. The result is the same each time, as long as the
 * log does not start again.
 * @param path path of the log.
 * @returns undefined if the part is empty. A large part ends early, with a commit.
 * @throws LogError, errors of the file.
 */
export async function readFrame(
  path: string,
  sequence: number,
  { from, to }: LogPart,
): Promise<LogFrame | undefined> {
  if (to === 0) return undefined;
  const log = LogFile.open(path);
  try {
    const { newest, end, pageSize, pageCount } = await log.changedPages(from, to, MOST_PAGES);
    if (newest.size === 0) return undefined;
    // A page that a later commit has cut off the file is gone.
    const numbers = [...newest.keys()].filter((number) => number <= pageCount).sort((a, b) => a - b);
    const { bytes, pageAt } = emptyFrame({ sequence, pageSize, pageCount }, numbers);
    for (const [index, number] of numbers.entries()) {
      log.readPage(newest.get(number) ?? 0, pageAt(index));
      if (index % FRAMES_PER_TURN === FRAMES_PER_TURN - 1) await yieldToEventLoop();
    }
    return { bytes, end, storeBytes: pageSize * pageCount };
  } finally {
    log.close();
  }
}
