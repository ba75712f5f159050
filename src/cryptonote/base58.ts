import { keccak } from '../crypto/keccak.js';
import { concatBytes, equalBytes } from '../util/bytes.js';
import { CodecError, encode, Reader, varintNumber } from '../util/codec.js';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BLOCK_BYTES = 8;
const BLOCK_CHARS = 11;
/** Characters that a last block of so many bytes takes. */
const CHARS_OF = [0, 2, 3, 5, 6, 7, 9, 10, 11];
const CHECKSUM_BYTES = 4;

function encodeBlock(block: Uint8Array): string {
  let value = block.reduce((acc, byte) => (acc << 8n) | BigInt(byte), 0n);
  let text = '';
  for (let i = 0; i < (CHARS_OF[block.length] ?? 0); i++, value /= 58n) text = ALPHABET[Number(value % 58n)] + text;
  return text;
}

function decodeBlock(text: string): Uint8Array {
  const length = CHARS_OF.indexOf(text.length);
  if (length < 0) throw new CodecError('base58: impossible length');
  let value = 0n;
  for (const char of text) {
    const digit = ALPHABET.indexOf(char);
    if (digit < 0) throw new CodecError('base58: foreign character');
    value = value * 58n + BigInt(digit);
  }
  if (value >> BigInt(8 * length)) throw new CodecError('base58: block overflows');
  const bytes = new Uint8Array(length);
  for (let i = length - 1; i >= 0; i--, value >>= 8n) bytes[i] = Number(value & 0xffn);
  return bytes;
}

/** CryptoNote's base58: blocks of 8 bytes become 11 characters. Source: common/base58.cpp. */
export function encodeBase58(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += BLOCK_BYTES) text += encodeBlock(bytes.subarray(i, i + BLOCK_BYTES));
  return text;
}

/** @throws CodecError */
export function decodeBase58(text: string): Uint8Array {
  const blocks: Uint8Array[] = [];
  for (let i = 0; i < text.length; i += BLOCK_CHARS) blocks.push(decodeBlock(text.slice(i, i + BLOCK_CHARS)));
  return concatBytes(...blocks);
}

/** Varint tag, data, and the first 4 bytes of their Keccak, in base58. */
export function encodeBase58Check(tag: number, data: Uint8Array): string {
  const body = concatBytes(encode(varintNumber, tag), data);
  return encodeBase58(concatBytes(body, keccak(body).subarray(0, CHECKSUM_BYTES)));
}

/** @throws CodecError */
export function decodeBase58Check(text: string): { readonly tag: number; readonly data: Uint8Array } {
  const bytes = decodeBase58(text);
  if (bytes.length <= CHECKSUM_BYTES) throw new CodecError('base58: too short');
  const body = bytes.subarray(0, -CHECKSUM_BYTES);
  if (!equalBytes(keccak(body).subarray(0, CHECKSUM_BYTES), bytes.subarray(-CHECKSUM_BYTES)))
    throw new CodecError('base58: wrong checksum');
  const r = new Reader(body);
  return { tag: varintNumber.read(r), data: r.take(r.remaining) };
}
