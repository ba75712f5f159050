import { existsSync } from 'node:fs';
import { yieldToEventLoop } from '../../util/event-loop.js';
import { encodeBaseHead, HEAD_BYTES } from './frame.js';
import { LogFile, type LogPages, type LogPosition } from './log-pages.js';

/** Reads a part of the main file of a store; returns fewer bytes at the end of the file. */
export type ReadMain = (bytes: Uint8Array, offset: number) => number;

/** Content of a base: the whole file of a store at a place in its log. */
export interface Base {
  /** Size of all parts [bytes]. */
  readonly bytes: number;
  /** Parts of about 1 MiB. */
  readonly parts: AsyncIterable<Uint8Array>;
  /** Closes the log. Call it when the parts are read or abandoned. */
  readonly close: () => void;
}

/** Names the files and the place of which a base is made. */
export interface BaseSource {
  /** Path of the log. */
  readonly log: string;
  readonly readMain: ReadMain;
  /** Size of the main file [bytes]. */
  readonly mainBytes: number;
  /** Place in the log up to which commits belong to the base. */
  readonly at: LogPosition;
  readonly sequence: number;
}

const PART_BYTES = 1 << 20;

/** Number of bytes that are read in one turn of the event loop, which takes 1 ms from a slow disk. */
const SLICE_BYTES = 1 << 18;

/** Place of the page size in the main file. Source: SQLite's file format, "The Database Header". */
const PAGE_SIZE_OFFSET = 16;

/** Largest page size, which its two bytes cannot express: they contain 1. */
const LARGEST_PAGE = 65_536;

function pageSizeOf(readMain: ReadMain): number {
  const bytes = new Uint8Array(2);
  readMain(bytes, PAGE_SIZE_OFFSET);
  const [high = 0, low = 0] = bytes;
  return high === 0 && low === 1 ? LARGEST_PAGE : high * 256 + low;
}

/** Opens the log if the place is in it. If the log started again meanwhile, the main file has all commits before. */
function openLog(path: string, at: LogPosition): LogFile | undefined {
  if (at.frames === 0 || !existsSync(path)) return undefined;
  const log = LogFile.open(path);
  if (log.salts === at.salts) return log;
  log.close();
  return undefined;
}

/**
 * Reads the whole file of an open store at a place in its log: the main file, and over it the pages of the log. Until
 * the parts are read, no later commit may be moved into the main file; the log may start again if its whole content was
 * moved.
 * @throws LogError, errors of the file.
 */
export async function readBase(source: BaseSource): Promise<Base> {
  const { readMain, at, sequence, mainBytes } = source;
  const log = openLog(source.log, at);
  try {
    const changed = await log?.changedPages({ salts: log.salts, frames: 0 }, at.frames);
    const pageSize = changed?.pageSize ?? pageSizeOf(readMain);
    const pageCount = changed?.pageCount ?? mainBytes / pageSize;
    const shape = { sequence, pageSize, pageCount };
    return {
      bytes: HEAD_BYTES + pageSize * pageCount,
      parts: partsOf(shape, readMain, log && changed && { log, changed }),
      close: () => log?.close(),
    };
  } catch (error) {
    log?.close();
    throw error;
  }
}

interface Overlay {
  readonly log: LogFile;
  readonly changed: LogPages;
}

async function* partsOf(
  shape: { readonly sequence: number; readonly pageSize: number; readonly pageCount: number },
  readMain: ReadMain,
  overlay: Overlay | undefined,
): AsyncGenerator<Uint8Array> {
  const { pageSize, pageCount } = shape;
  yield encodeBaseHead(shape);
  const size = pageSize * pageCount;
  for (let offset = 0; offset < size; offset += PART_BYTES) {
    const part = new Uint8Array(Math.min(PART_BYTES, size - offset));
    for (let at = 0; at < part.length; at += SLICE_BYTES) {
      const slice = part.subarray(at, at + SLICE_BYTES);
      // Pages of the log can lie behind the end of the main file.
      readMain(slice, offset + at);
      if (overlay !== undefined) layOver(overlay, slice, offset + at, pageSize);
      await yieldToEventLoop();
    }
    yield part;
  }
}

/** Replaces the pages of a slice by their versions in the log. */
function layOver({ log, changed }: Overlay, slice: Uint8Array, offset: number, pageSize: number): void {
  for (let at = 0; at < slice.length; at += pageSize) {
    const page = (offset + at) / pageSize + 1;
    const frame = changed.newest.get(page);
    // A log starts again only when the main file has all its pages.
    if (frame !== undefined && log.isFrame(frame, page))
      log.readPage(frame, slice.subarray(at, at + pageSize));
  }
}
