import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { yieldToEventLoop } from '../../util/event-loop.js';
import { commitDraft, discardDatabase, removeDatabase, writeKeptLog } from '../file/atomic-replace.js';
import { draftOf, syncDirectory } from '../file/file-draft.js';
import { withFileErrors, withFileErrorsAsync } from '../file/file-errors.js';
import { decodeBaseHead, decodeFrame, HEAD_BYTES, type FileShape, type Frame } from './frame.js';

/** Error of frames that do not follow the base, or of content of which a part is missing. */
export class RebuildError extends Error {
  override readonly name = 'RebuildError';
}

/** Number of bytes that are written in one turn of the event loop. */
const BYTES_PER_TURN = 1 << 20;

/**
 * Writes a store from a base and the frames that follow it, as a sink has received them. The file appears at its path,
 * in place of a former file, when it is complete and on disk; it is readable by its owner only. A log beside it shows
 * `WalletStore.replicate` that the sink has all pages. The pages are not checked, because checking their tags needs the
 * key (`checkPages`). No store at the path may be open.
 * @returns shape of the file, with the number of the last frame.
 * @throws CodecError, RebuildError for other content; WalletError `wallet_io`; errors of the inputs. No draft is left
 * behind, and a former file is unchanged.
 */
export async function rebuildStore(
  path: string,
  base: AsyncIterable<Uint8Array>,
  frames: AsyncIterable<Uint8Array>,
): Promise<FileShape> {
  const draft = draftOf(path);
  try {
    const shape = await withFileErrorsAsync(draft, async () => {
      removeDatabase(draft);
      const file = openSync(draft, 'wx', 0o600);
      try {
        const built = await applyFrames(file, await writeBase(file, base), frames);
        ftruncateSync(file, built.pageCount * built.pageSize);
        fsyncSync(file);
        return built;
      } finally {
        closeSync(file);
      }
    });
    commitDraft(path);
    withFileErrors(path, () => {
      writeKeptLog(path);
      syncDirectory(dirname(path));
    });
    return shape;
  } catch (error) {
    discardDatabase(draft);
    throw error;
  }
}

/** Writes bytes at an offset. */
function writeAt(file: number, bytes: Uint8Array, offset: number): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at, offset + at);
}

/** Writes the pages of a base. */
async function writeBase(file: number, base: AsyncIterable<Uint8Array>): Promise<FileShape> {
  let shape: FileShape | undefined;
  let head = new Uint8Array();
  let offset = 0;
  for await (const part of base) {
    let pages = part;
    if (shape === undefined) {
      head = Buffer.concat([head, part]);
      if (head.length < HEAD_BYTES) continue;
      shape = decodeBaseHead(head);
      pages = head.subarray(HEAD_BYTES);
    }
    const { pageSize, pageCount } = shape;
    if (offset + pages.length > pageSize * pageCount)
      throw new RebuildError('the base is longer than its file');
    writeAt(file, pages, offset);
    offset += pages.length;
    await yieldToEventLoop();
  }
  if (shape === undefined) throw new RebuildError('there is no base');
  if (offset < shape.pageSize * shape.pageCount) throw new RebuildError('the end of the base is missing');
  return shape;
}

async function applyFrames(
  file: number,
  base: FileShape,
  frames: AsyncIterable<Uint8Array>,
): Promise<FileShape> {
  let last = base;
  for await (const bytes of frames) {
    const frame = decodeFrame(bytes);
    if (frame.sequence !== last.sequence + 1)
      throw new RebuildError(`frame ${frame.sequence} follows on ${last.sequence}`);
    if (frame.pageSize !== last.pageSize) throw new RebuildError('the size of the pages changes');
    await writePages(file, frame);
    const { sequence, pageSize, pageCount } = frame;
    last = { sequence, pageSize, pageCount };
  }
  return last;
}

async function writePages(file: number, { pages, pageSize }: Frame): Promise<void> {
  let written = 0;
  for (const { number, bytes } of pages) {
    writeAt(file, bytes, (number - 1) * pageSize);
    written += bytes.length;
    if (written < BYTES_PER_TURN) continue;
    written = 0;
    await yieldToEventLoop();
  }
}
