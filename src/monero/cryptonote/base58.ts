import { keccak } from '../crypto/keccak.js';
import { concatBytes, equalBytes } from '../../util/bytes.js';
import { CodecError, encode, Reader, varint, Writer } from '../../util/codec.js';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE = BigInt(ALPHABET.length);
const BLOCK_BYTES = 8;
const BLOCK_CHARS = 11;
/** Characters per block, by its number of bytes; other lengths are invalid. */
const CHARS_OF = [0, 2, 3, 5, 6, 7, 9, 10, 11];
const CHECKSUM_BYTES = 4;

const checksumOf = (body: Uint8Array): Uint8Array => keccak(body).subarray(0, CHECKSUM_BYTES);

/** Radix of five characters; such a part fits arithmetic without bigints. */
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
 * CryptoNote's base58: each 8-byte block becomes 11 characters, a shorter last block fewer.
 * Source: base58.cpp `encode`.
 */
export function encodeBase58(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += BLOCK_BYTES) text += encodeBlock(bytes.subarray(i, i + BLOCK_BYTES));
  return text;
}

/** @throws CodecError on an impossible length, a foreign character or an overflow. Source: base58.cpp `decode`. */
export function decodeBase58(text: string): Uint8Array {
  const w = new Writer();
  for (let i = 0; i < text.length; i += BLOCK_CHARS) w.bytes(decodeBlock(text.slice(i, i + BLOCK_CHARS)));
  return w.finish();
}

/** Content of a checksum-protected text. */
export interface Tagged {
  /** Unsigned 64-bit. */
  readonly tag: bigint;
  readonly data: Uint8Array;
}

/** Varint tag, data, and the first 4 bytes of their Keccak, in base58. Source: base58.cpp `encode_addr`. */
export function encodeBase58Check(tag: bigint, data: Uint8Array): string {
  const body = concatBytes(encode(varint, tag), data);
  return encodeBase58(concatBytes(body, checksumOf(body)));
}

/** @throws CodecError on bad base58, a wrong checksum or a malformed tag. Source: base58.cpp `decode_addr`. */
export function decodeBase58Check(text: string): Tagged {
  const bytes = decodeBase58(text);
  if (bytes.length <= CHECKSUM_BYTES) throw new CodecError('base58: too short for a checksum');
  const body = bytes.subarray(0, -CHECKSUM_BYTES);
  if (!equalBytes(checksumOf(body), bytes.subarray(-CHECKSUM_BYTES)))
    throw new CodecError('base58: wrong checksum');
  const r = new Reader(body);
  return { tag: varint.read(r), data: r.take(r.remaining) };
}
