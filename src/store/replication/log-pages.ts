import { closeSync, openSync, readSync } from 'node:fs';
import { yieldToEventLoop } from '../../util/event-loop.js';
import { emptyFrame } from './frame.js';

/** State of the log at one moment: the committed log and the number of commits in it. */
export interface Moment {
  readonly frames: number;
  readonly commits: number;
}

/** Error of a write-ahead log that does not have the content that SQLite reports. */
export class LogError extends Error {
  override readonly name = 'LogError';
}

/** Place in the write-ahead log of a store. */
export interface LogPosition {
  /** Random number of the log, which changes whenever it starts again; undefined for a log without content. */
  readonly salts: bigint | undefined;
  /** Number of frames before the place. */
  readonly frames: number;
}

/** Newest versions of the pages in a part of a log. */
export interface LogPages {
  readonly pageSize: number;
  /** Size of the database file after the last commit of the part [pages]. */
  readonly pageCount: number;
  /** Indices of the frames with the newest versions, by page number. */
  readonly newest: ReadonlyMap<number, number>;
  readonly end: LogPosition;
}

/** Sizes and offsets in a log, whose numbers are big-endian. Source: SQLite's file format, "The WAL File Format". */
const LOG_HEAD_BYTES = 32;
const FRAME_HEAD_BYTES = 24;
/** The last bit differs by the byte order of the checksums. */
const LOG_MAGIC = 0x377f0682;
const PAGE_SIZE_OFFSET = 8;
const LOG_SALTS_OFFSET = 16;
const FRAME_COUNT_OFFSET = 4;
const FRAME_SALTS_OFFSET = 8;

/** Number of frames that are read in one turn of the event loop; reading one takes 2 µs. */
export const FRAMES_PER_TURN = 256;

/** Number of frames whose heads are read by one system call, which is four times as fast as one call for each head. */
const FRAMES_PER_READ = 64;

/** Reads bytes of an open file at an offset; fewer bytes at the end of the file. */
function readAt(file: number, bytes: Uint8Array, offset: number): number {
  let length = 0;
  while (length < bytes.length) {
    const read = readSync(file, bytes, length, bytes.length - length, offset + length);
    if (read === 0) break;
    length += read;
  }
  return length;
}

/**
 * The write-ahead log of an open store, read beside SQLite. Its committed frames do not change until the log starts
 * again. Frames are encrypted like the pages of the main file, so their bytes can be written there unchanged.
 */
export class LogFile {
  readonly pageSize: number;
  readonly salts: bigint;
  readonly #file: number;

  private constructor(file: number) {
    this.#file = file;
    const head = new Uint8Array(LOG_HEAD_BYTES);
    const length = readAt(file, head, 0);
    const view = new DataView(head.buffer);
    if (length < LOG_HEAD_BYTES || (view.getUint32(0) & ~1) >>> 0 !== LOG_MAGIC)
      throw new LogError('the log has no valid header');
    this.pageSize = view.getUint32(PAGE_SIZE_OFFSET);
    this.salts = view.getBigUint64(LOG_SALTS_OFFSET);
  }

  /** Opens a log that contains frames. The caller closes it. @throws LogError, errors of the file. */
  static open(path: string): LogFile {
    const file = openSync(path, 'r');
    try {
      return new LogFile(file);
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  /**
   * Finds the newest versions of the pages that commits have changed since a place.
   * @param from place where a commit has ended; the whole log is read if the place is in an earlier log.
   * @param to number of committed frames, after which a commit has ended.
   * @param mostPages number of pages from which the part ends with the next commit.
   * @throws LogError
   */
  async changedPages(from: LogPosition, to: number, mostPages = Infinity): Promise<LogPages> {
    const newest = new Map<number, number>();
    let pageCount = 0;
    let frame = from.salts === this.salts ? from.frames : 0;
    if (frame > to) throw new LogError(`the log has ${to} frames, fewer than ${frame}`);
    const frameBytes = FRAME_HEAD_BYTES + this.pageSize;
    const buffer = new Uint8Array(Math.min(FRAMES_PER_READ, to - frame) * frameBytes);
    let bytes = buffer.subarray(0, 0);
    while (frame < to && !(pageCount > 0 && newest.size >= mostPages)) {
      if (bytes.length === 0) bytes = buffer.subarray(0, readAt(this.#file, buffer, this.#offsetOf(frame)));
      const { number, countAfter } = this.#frameHead(bytes, frame);
      bytes = bytes.subarray(frameBytes);
      newest.set(number, frame);
      frame += 1;
      pageCount = countAfter;
      if (frame % FRAMES_PER_TURN === 0) await yieldToEventLoop();
    }
    if (newest.size > 0 && pageCount === 0) throw new LogError(`no commit ends with frame ${frame}`);
    return { pageSize: this.pageSize, pageCount, newest, end: { salts: this.salts, frames: frame } };
  }

  /** Reads the page in a frame. */
  readPage(frame: number, bytes: Uint8Array): void {
    const offset = this.#offsetOf(frame) + FRAME_HEAD_BYTES;
    if (readAt(this.#file, bytes, offset) < bytes.length) throw new LogError(`frame ${frame} is cut off`);
  }

  /** Returns true if a frame still has the content that it had when this log was opened. */
  isFrame(frame: number, page: number): boolean {
    try {
      const head = new Uint8Array(FRAME_HEAD_BYTES);
      const length = readAt(this.#file, head, this.#offsetOf(frame));
      return this.#frameHead(head.subarray(0, length), frame).number === page;
    } catch (error) {
      if (error instanceof LogError) return false;
      throw error;
    }
  }

  /**
   * Returns the page number of a frame, and the size of the file after a commit that ends there [pages], otherwise 0.
   * @param head bytes of the log from the beginning of the frame.
   */
  #frameHead(head: Uint8Array, frame: number): { readonly number: number; readonly countAfter: number } {
    if (head.length < FRAME_HEAD_BYTES) throw new LogError(`frame ${frame} is missing`);
    const view = new DataView(head.buffer, head.byteOffset, FRAME_HEAD_BYTES);
    if (view.getBigUint64(FRAME_SALTS_OFFSET) !== this.salts)
      throw new LogError(`frame ${frame} belongs to another log`);
    return { number: view.getUint32(0), countAfter: view.getUint32(FRAME_COUNT_OFFSET) };
  }

  #offsetOf(frame: number): number {
    return LOG_HEAD_BYTES + frame * (FRAME_HEAD_BYTES + this.pageSize);
  }
}

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
 * Reads the newest versions of the pages in a part of a log as a frame. The result stays the same until the log starts
 * again.
 * @param path path of the log.
 * @returns undefined if the part is empty. A large part ends early, at a commit.
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
