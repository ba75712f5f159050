import { keccak_256 } from '@noble/hashes/sha3.js';
import { readFileSync } from 'node:fs';
import { concatBytes } from '../util/bytes.js';
import type { Hash } from './types.js';

/** Source of the contracts: assembly/hash.ts. */
interface HashExports {
  readonly memory: WebAssembly.Memory;
  capacity(): number;
  messageAt(): number;
  hashAt(): number;
  hash(length: number): void;
}

const module = new WebAssembly.Module(readFileSync(new URL('./keccak.wasm', import.meta.url)));
const wasm = new WebAssembly.Instance(module, {}).exports as unknown as HashExports;
const message = new Uint8Array(wasm.memory.buffer, wasm.messageAt(), wasm.capacity());
const hash = new Uint8Array(wasm.memory.buffer, wasm.hashAt(), 32);

/** Keccak-256 with the original padding (not SHA-3) over the parts in a row. Source: crypto/hash.h `cn_fast_hash`. */
export function keccak(...parts: readonly Uint8Array[]): Hash {
  let length = 0;
  for (const part of parts) length += part.length;
  if (length > message.length) return keccak_256(concatBytes(...parts)) as Hash;
  let at = 0;
  for (const part of parts) {
    message.set(part, at);
    at += part.length;
  }
  wasm.hash(length);
  return Uint8Array.from(hash) as Hash;
}
