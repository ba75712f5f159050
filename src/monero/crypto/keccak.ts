import { wasmBinary } from '../../util/bytes.js';
import { wasm as binary } from './keccak.wasm.js';
import type { Hash } from './types.js';

/** Exports of the WebAssembly module, documented in assembly/hash.ts. */
interface HashExports {
  readonly memory: WebAssembly.Memory;
  capacity(): number;
  messageAt(): number;
  hashAt(): number;
  absorb(): void;
  hash(length: number): void;
}

const module = new WebAssembly.Module(wasmBinary(binary));
const wasm = new WebAssembly.Instance(module, {}).exports as unknown as HashExports;
const message = new Uint8Array(wasm.memory.buffer, wasm.messageAt(), wasm.capacity());
const hash = new Uint8Array(wasm.memory.buffer, wasm.hashAt(), 32);

/**
 * Computes Keccak-256 of the joined parts, with the original padding (not SHA-3). Source: crypto/hash.h `cn_fast_hash`.
 */
export function keccak(...parts: readonly Uint8Array[]): Hash {
  let length = 0;
  for (const part of parts) {
    let remaining = part;
    while (length + remaining.length > message.length) {
      const room = message.length - length;
      message.set(remaining.subarray(0, room), length);
      wasm.absorb();
      remaining = remaining.subarray(room);
      length = 0;
    }
    message.set(remaining, length);
    length += remaining.length;
  }
  wasm.hash(length);
  return hash.slice() as Hash;
}
