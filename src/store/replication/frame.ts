import { CodecError } from '../../util/codec.js';

/** A page of a database file, in its encrypted form in the file. */
export interface FramePage {
  /** Number of the page, from 1 on: its offset in the file is `(number - 1) * pageSize`. */
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** Facts of a database file after a commit. */
export interface FileShape {
  /** Number of the frame or base. */
  readonly sequence: number;
  /** Size of a page [bytes]. */
  readonly pageSize: number;
  /** Size of the file [pages]. */
  readonly pageCount: number;
}

/** Pages that one or several commits have changed. */
export interface Frame extends FileShape {
  /** Newest version of each changed page, in the order of their numbers. */
  readonly pages: readonly FramePage[];
}

/** A frame whose pages are to be filled in. */
export interface EmptyFrame {
  /** The encoded frame. */
  readonly bytes: Uint8Array;
  /** Returns the place of the page with this index in the list of numbers. */
  readonly pageAt: (index: number) => Uint8Array;
}

/** Letters "WRPF" and "WRPB". */
const FRAME_MAGIC = 0x57525046;
const BASE_MAGIC = 0x57525042;
const VERSION = 1;

/**
 * Size of the head of a frame and of a base [bytes]. Big-endian: magic (4), version (2), zero (2), sequence (8), page
 * size (4), page count (4), number of pages that follow (4; 0 for a base). A frame goes on with the numbers of its
 * pages (4 each, growing), then their bytes; a base with the pages of the whole file.
 */
export const HEAD_BYTES = 28;

const NUMBER_BYTES = 4;
const U32 = 2 ** 32;

/** Page sizes of SQLite [bytes]. Source: SQLite's file format, "Page Size". */
const isPageSize = (size: number): boolean => size >= 512 && size <= 65_536 && (size & (size - 1)) === 0;

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function writeHead(bytes: Uint8Array, magic: number, shape: FileShape, pages: number): void {
  const { sequence, pageSize, pageCount } = shape;
  if (!Number.isSafeInteger(sequence) || sequence < 0) throw new RangeError(`sequence ${sequence}`);
  if (!isPageSize(pageSize)) throw new RangeError(`page size ${pageSize}`);
  if (!(Number.isInteger(pageCount) && pageCount > 0 && pageCount < U32))
    throw new RangeError(`page count ${pageCount}`);
  const view = viewOf(bytes);
  view.setUint32(0, magic);
  view.setUint16(4, VERSION);
  view.setBigUint64(8, BigInt(sequence));
  view.setUint32(16, pageSize);
  view.setUint32(20, pageCount);
  view.setUint32(24, pages);
}

function readHead(bytes: Uint8Array, magic: number, kind: string): FileShape & { readonly pages: number } {
  if (bytes.length < HEAD_BYTES) throw new CodecError(`${kind}: ${bytes.length} bytes are no head`);
  const view = viewOf(bytes);
  if (view.getUint32(0) !== magic) throw new CodecError(`${kind}: wrong magic`);
  const version = view.getUint16(4);
  if (version !== VERSION) throw new CodecError(`${kind}: unknown version ${version}`);
  if (view.getUint16(6) !== 0) throw new CodecError(`${kind}: reserved bytes are not zero`);
  const sequence = view.getBigUint64(8);
  if (sequence > BigInt(Number.MAX_SAFE_INTEGER)) throw new CodecError(`${kind}: sequence ${sequence}`);
  const pageSize = view.getUint32(16);
  if (!isPageSize(pageSize)) throw new CodecError(`${kind}: page size ${pageSize}`);
  const pageCount = view.getUint32(20);
  if (pageCount === 0) throw new CodecError(`${kind}: no page`);
  return { sequence: Number(sequence), pageSize, pageCount, pages: view.getUint32(24) };
}

/** Allocates a frame and writes its head. @param numbers numbers of its pages, growing, at most `pageCount`. */
export function emptyFrame(shape: FileShape, numbers: readonly number[]): EmptyFrame {
  const { pageSize, pageCount } = shape;
  const start = HEAD_BYTES + NUMBER_BYTES * numbers.length;
  const bytes = new Uint8Array(start + pageSize * numbers.length);
  writeHead(bytes, FRAME_MAGIC, shape, numbers.length);
  const view = viewOf(bytes);
  let last = 0;
  for (const [index, number] of numbers.entries()) {
    if (!(Number.isInteger(number) && number > last && number <= pageCount))
      throw new RangeError(`page ${number} after ${last} in a file of ${pageCount}`);
    view.setUint32(HEAD_BYTES + NUMBER_BYTES * index, number);
    last = number;
  }
  return {
    bytes,
    pageAt: (index) => bytes.subarray(start + pageSize * index, start + pageSize * (index + 1)),
  };
}

/** Encodes a frame. @throws RangeError for pages that are out of order, outside of the file or of another size. */
export function encodeFrame(frame: Frame): Uint8Array {
  const { bytes, pageAt } = emptyFrame(
    frame,
    frame.pages.map(({ number }) => number),
  );
  for (const [index, page] of frame.pages.entries()) {
    if (page.bytes.length !== frame.pageSize) throw new RangeError(`page of ${page.bytes.length} bytes`);
    pageAt(index).set(page.bytes);
  }
  return bytes;
}

/** Decodes a frame. Its pages share memory with the input. @throws CodecError for any other input. */
export function decodeFrame(bytes: Uint8Array): Frame {
  const { pages: count, ...shape } = readHead(bytes, FRAME_MAGIC, 'frame');
  const { pageSize, pageCount } = shape;
  const start = HEAD_BYTES + NUMBER_BYTES * count;
  const expected = start + pageSize * count;
  if (bytes.length !== expected) throw new CodecError(`frame: ${bytes.length} bytes in place of ${expected}`);
  const view = viewOf(bytes);
  const pages: FramePage[] = [];
  let last = 0;
  for (let index = 0; index < count; index++) {
    const number = view.getUint32(HEAD_BYTES + NUMBER_BYTES * index);
    if (number <= last || number > pageCount)
      throw new CodecError(`frame: page ${number} after ${last} in a file of ${pageCount}`);
    const offset = start + pageSize * index;
    pages.push({ number, bytes: bytes.subarray(offset, offset + pageSize) });
    last = number;
  }
  return { ...shape, pages };
}

/** Encodes the head of a base. The pages of the whole file follow. */
export function encodeBaseHead(shape: FileShape): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES);
  writeHead(bytes, BASE_MAGIC, shape, 0);
  return bytes;
}

/** Decodes the head of a base. @param bytes at least {@link HEAD_BYTES} bytes. @throws CodecError for any other input. */
export function decodeBaseHead(bytes: Uint8Array): FileShape {
  const { pages, ...shape } = readHead(bytes, BASE_MAGIC, 'base');
  if (pages !== 0) throw new CodecError('base: it lists pages');
  return shape;
}
