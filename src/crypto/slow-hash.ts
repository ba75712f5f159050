import { blake256 } from '@noble/hashes/blake1.js';
import { readFileSync } from 'node:fs';
import { SBOX } from './aes-box.js';
import { groestl256 } from './groestl.js';
import { jh256 } from './jh.js';
import { skein512For256 } from './skein.js';
import type { Hash } from './types.js';

/** Exports of the module; their contracts are in assembly/slow-hash.ts. */
export interface SlowHashExports {
  readonly memory: WebAssembly.Memory;
  prepare(): void;
  padAt(): number;
  padBytes(): number;
  boxAt(): number;
  stateAt(): number;
  rate(): number;
  absorb(length: number): void;
  absorbEnd(length: number): void;
  fill(from: number, to: number): void;
  mix(times: number): void;
  drain(from: number, to: number): void;
  forget(): void;
}

const STATE_BYTES = 200;
const ITERATIONS = 1 << 19;
/** Calls that each long loop is split into: the engine switches to optimised code only between calls. */
const STEPS = 256;

const module = new WebAssembly.Module(readFileSync(new URL('./slow-hash.wasm', import.meta.url)));
const wasm = new WebAssembly.Instance(module, {}).exports as unknown as SlowHashExports;
new Uint8Array(wasm.memory.buffer, wasm.boxAt(), SBOX.length).set(SBOX);
wasm.prepare();
const pad = new Uint8Array(wasm.memory.buffer, wasm.padAt(), wasm.padBytes());
const state = new Uint8Array(wasm.memory.buffer, wasm.stateAt(), STATE_BYTES);
/** Bytes absorbed per call: whole permutations that fit the scratchpad. */
const PORTION = pad.length - (pad.length % wasm.rate());

/** Final digest functions, selected by the two lowest bits of the state. */
const FINISHERS: readonly ((state: Uint8Array) => Uint8Array)[] = [
  (state) => blake256(state),
  groestl256,
  jh256,
  skein512For256,
];

/** Calls `step` for consecutive ranges of the scratchpad. */
function sweep(step: (from: number, to: number) => void): void {
  const size = pad.length / STEPS;
  for (let from = 0; from < pad.length; from += size) step(from, from + size);
}

/**
 * CryptoNight, the original variant, by which the reference stretches passwords. Takes some 40 ms and 2 MiB, which
 * are wiped. Its memory accesses depend on the data by design.
 * Source: slow-hash.c `cn_slow_hash`, variant 0.
 */
export function slowHash(data: Uint8Array): Hash {
  let remaining = data;
  for (; remaining.length > PORTION; remaining = remaining.subarray(PORTION)) {
    pad.set(remaining.subarray(0, PORTION));
    wasm.absorb(PORTION);
  }
  pad.set(remaining);
  wasm.absorbEnd(remaining.length);
  sweep(wasm.fill);
  for (let step = 0; step < STEPS; step++) wasm.mix(ITERATIONS / STEPS);
  sweep(wasm.drain);
  const finish = FINISHERS[(state[0] as number) & 3] as (state: Uint8Array) => Uint8Array;
  const digest = finish(state);
  wasm.forget();
  return digest as Hash;
}
