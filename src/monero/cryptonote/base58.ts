import { keccak } from '../crypto/keccak.js';
import { concatBytes, equalBytes } from '../../util/bytes.js';
import { CodecError, encode, Reader, varint, Writer } from '../../util/codec.js';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE = BigInt(ALPHABET.length);
const BLOCK_BYTES = 8;
const BLOCK_CHARS = 11;
/** Number of base58 characters of a block, by the block's number of bytes. */
const CHARS_OF = [0, 2, 3, 5, 6, 7, 9, 10, 11];
const CHECKSUM_BYTES = 4;

const checksumOf = (body: Uint8Array): Uint8Array => keccak(body).subarray(0, CHECKSUM_BYTES);

/** Number of values of five characters, which are converted together without bigints. */
const FIVE_CHARS = 58n ** 5n;

function fiveChars(value: number): string {
  let text = '';
  for (let left = value, i = 0; i < 5; i++, left = Math.floor(left / 58))
    text = ALPHABET.charAt(left % 58) + text;
  return text;
}

function encodeBlock(block: Uint8Array): string {
  const padded = new DataView(new ArrayBuffer(BLOCK_BYTES));
  block.forEach((byte, i) => padded.setUint8(BLOCK_BYTES - block.length + i, byte));
  const value = padded.getBigUint64(0);
  const upper = value / FIVE_CHARS;
  const text =
    ALPHABET.charAt(Number(upper / FIVE_CHARS)) +
    fiveChars(Number(upper % FIVE_CHARS)) +
    fiveChars(Number(value % FIVE_CHARS));
  return text.slice(BLOCK_CHARS - (CHARS_OF[block.length] ?? 0));
}

function decodeBlock(text: string): Uint8Array {
  const length = CHARS_OF.indexOf(text.length);
  if (length < 0) throw new CodecError('base58: impossible length');
  let value = 0n;
  for (const char of text) {
    const digit = ALPHABET.indexOf(char);
    if (digit < 0) throw new CodecError('base58: foreign character');
    value = value * BASE + BigInt(digit);
  }
  if (value >> BigInt(8 * length)) throw new CodecError('base58: block overflows');
  const bytes = new Uint8Array(length);
  for (let i = length - 1; i >= 0; i--, value >>= 8n) bytes[i] = Number(value & 0xffn);
  return bytes;
}

/**
 * Encodes bytes in CryptoNote's base58: each block of 8 bytes becomes 11 characters; a shorter last block becomes fewer
 * characters. Source: base58.cpp `encode`.
 */
export function encodeBase58(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += BLOCK_BYTES) text += encodeBlock(bytes.subarray(i, i + BLOCK_BYTES));
  return text;
}

/**
 * Decodes CryptoNote's base58.
 * @throws CodecError for an impossible length, a character outside the alphabet, or an overflow. Source: base58.cpp
 * `decode`.
 */
export function decodeBase58(text: string): Uint8Array {
  const w = new Writer();
  for (let i = 0; i < text.length; i += BLOCK_CHARS) w.bytes(decodeBlock(text.slice(i, i + BLOCK_CHARS)));
  return w.finish();
}

/** Tag and data of a base58 text with a checksum. */
export interface Tagged {
  /** Type of the data, an unsigned 64-bit integer. */
  readonly tag: bigint;
  readonly data: Uint8Array;
}

/**
 * Encodes the tag as varint, the data, and the first 4 bytes of the Keccak hash of both, in base58. Source: base58.cpp
 * `encode_addr`.
 */
export function encodeBase58Check(tag: bigint, data: Uint8Array): string {
  const body = concatBytes(encode(varint, tag), data);
  return encodeBase58(concatBytes(body, checksumOf(body)));
}

/**
 * Decodes a base58 text with a checksum.
 * @throws CodecError for invalid base58, a wrong checksum or a malformed tag. Source: base58.cpp `decode_addr`.
 */
export function decodeBase58Check(text: string): Tagged {
  const bytes = decodeBase58(text);
  if (bytes.length <= CHECKSUM_BYTES) throw new CodecError('base58: too short for a checksum');
  const body = bytes.subarray(0, -CHECKSUM_BYTES);
  if (!equalBytes(checksumOf(body), bytes.subarray(-CHECKSUM_BYTES)))
    throw new CodecError('base58: wrong checksum');
  const r = new Reader(body);
  return { tag: varint.read(r), data: r.take(r.remaining) };
}
