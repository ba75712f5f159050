import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { CodecError, Reader, varintNumber } from '../../util/codec.js';
import { assertRegular, codeOf } from './file-trouble.js';
import { CIPHER_BYTES, CIPHER_BYTES_OFFSET } from './store-cipher.js';

/** What stands where a store belongs. `foreign`: a cache of the reference, whole or not, or who knows what. */
export type StoreFormat = 'empty' | 'store' | 'foreign';

const HEAD_BYTES = 24;
const PAGE_BYTES = 4096;

/** Where page size and layout of a ciphered database stand in the clear. Source: SQLite's file format, bytes 16 to 23. */
const LAYOUT_OFFSET = 16;
/** Pages of 4096 bytes. The zeros hold the kind of log, and what the cipher keeps of each page. */
const LAYOUT = [0x10, 0x00, 0, 0, 0, 0x40, 0x20, 0x20];
const LOG_KINDS = [2, 3];
const CIPHER_PLACE = CIPHER_BYTES_OFFSET - LAYOUT_OFFSET;

const hasLayout = (head: Uint8Array): boolean =>
  Object.values(CIPHER_BYTES).some((kept) => head[CIPHER_BYTES_OFFSET] === kept) &&
  LAYOUT.every((byte, i) => i === CIPHER_PLACE || LOG_KINDS.includes(i) || head[LAYOUT_OFFSET + i] === byte);

/** An 8-byte IV, a varint length, and exactly that many bytes. Source: wallet2.h `cache_file_data`. */
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
 * A store whose head is damaged still counts as one: it is not replaced, opening it says what is wrong.
 * @throws WalletError `wallet_io` for a directory, FIFO, socket or device; it is not read.
 */
export async function storeFormat(path: string): Promise<StoreFormat> {
  let file;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'empty';
    throw error;
  }
  try {
    const stat = await file.stat();
    assertRegular(path, stat);
    const { size } = stat;
    const { buffer, bytesRead } = await file.read(new Uint8Array(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const head = buffer.subarray(0, bytesRead);
    if (hasLayout(head)) return 'store';
    if (isSealedFile(head, size)) return 'foreign';
    return size > 0 && size % PAGE_BYTES === 0 ? 'store' : 'foreign';
  } finally {
    await file.close();
  }
}
