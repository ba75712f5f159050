import { closeSync, fstatSync, readSync } from 'node:fs';
import { CodecError, Reader, varintNumber } from '../../util/codec.js';
import { openRegular, openRegularAsync } from './file-errors.js';
import { CIPHER_BYTES, CIPHER_BYTES_OFFSET } from './store-cipher.js';

/**
 * Kind of the file at a store's path. `empty`: there is no file; `store`: a store of this program; `foreign`: a cache
 * of the reference, or any other file.
 */
export type StoreFormat = 'empty' | 'store' | 'foreign';

const HEAD_BYTES = 24;
const PAGE_BYTES = 4096;

/**
 * Offset of the header bytes that an encrypted database leaves unencrypted. Source: SQLite's file format, bytes 16 to
 * 23.
 */
const LAYOUT_OFFSET = 16;
/**
 * Expected header bytes of a database with pages of 4096 bytes. The two zeros are not compared: journal mode and
 * reserved bytes per page vary.
 */
const LAYOUT = [0x10, 0x00, 0, 0, 0, 0x40, 0x20, 0x20];
const JOURNAL_MODE = [2, 3];
const RESERVED_BYTES = CIPHER_BYTES_OFFSET - LAYOUT_OFFSET;

const hasLayout = (head: Uint8Array): boolean =>
  Object.values(CIPHER_BYTES).some((reserved) => head[CIPHER_BYTES_OFFSET] === reserved) &&
  LAYOUT.every(
    (byte, i) => i === RESERVED_BYTES || JOURNAL_MODE.includes(i) || head[LAYOUT_OFFSET + i] === byte,
  );

/**
 * Returns true if a file consists of an 8-byte IV, a length as varint, and exactly as many bytes: a cache of the
 * reference. Source: wallet2.h `cache_file_data`.
 */
function isSealedFile(head: Uint8Array, size: number): boolean {
  const reader = new Reader(head);
  try {
    reader.view(8);
    const length = varintNumber.read(reader);
    return reader.offset + length === size;
  } catch (error) {
    if (error instanceof CodecError) return false;
    throw error;
  }
}

/**
 * Detects the content of a regular file by its first bytes, on this thread: a store of this program, a cache of the
 * reference, or any other file. A file that cannot be read counts as any other file.
 */
export function contentOf(path: string): 'store' | 'cache' | 'file' {
  try {
    const file = openRegular(path);
    try {
      const buffer = new Uint8Array(HEAD_BYTES);
      const head = buffer.subarray(0, readSync(file, buffer, 0, HEAD_BYTES, 0));
      if (hasLayout(head)) return 'store';
      return isSealedFile(head, fstatSync(file).size) ? 'cache' : 'file';
    } finally {
      closeSync(file);
    }
  } catch {
    return 'file';
  }
}

/**
 * Detects the kind of the file at a store's path. A store with a damaged header counts as `store`: it is not replaced,
 * and opening it reports the damage.
 * @throws WalletError `wallet_io` for a directory, FIFO, socket or device, which are not read.
 */
export async function storeFormat(path: string): Promise<StoreFormat> {
  const opened = await openRegularAsync(path);
  if (opened === undefined) return 'empty';
  const { file, size } = opened;
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const head = buffer.subarray(0, bytesRead);
    if (hasLayout(head)) return 'store';
    if (isSealedFile(head, size)) return 'foreign';
    return size > 0 && size % PAGE_BYTES === 0 ? 'store' : 'foreign';
  } finally {
    await file.close();
  }
}
