import { blake256 } from '@noble/hashes/blake1.js';
import { readFileSync } from 'node:fs';
import { SBOX } from './aes-box.js';
import { groestl256 } from './groestl.js';
import { jh256 } from './jh.js';
import { skein512For256 } from './skein.js';
import type { Hash } from './types.js';

/** What the assembly exports. Source of the contracts: assembly/slow-hash.ts. */
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
/** Steps of the long loops: within a call the engine keeps the code it started with, which is its slowest. */
const STEPS = 256;

const module = new WebAssembly.Module(readFileSync(new URL('./slow-hash.wasm', import.meta.url)));
const wasm = new WebAssembly.Instance(module, {}).exports as unknown as SlowHashExports;
new Uint8Array(wasm.memory.buffer, wasm.boxAt(), SBOX.length).set(SBOX);
wasm.prepare();
const pad = new Uint8Array(wasm.memory.buffer, wasm.padAt(), wasm.padBytes());
const state = new Uint8Array(wasm.memory.buffer, wasm.stateAt(), STATE_BYTES);
/** What goes in at once: whole permutations. */
const PORTION = pad.length - (pad.length % wasm.rate());

/** The digest of the whole state, chosen by its two lowest bits. */
const FINISHERS: readonly ((state: Uint8Array) => Uint8Array)[] = [
  (state) => blake256(state),
  groestl256,
  jh256,
  skein512For256,
];

/** Runs over the scratchpad in steps. */
function sweep(step: (from: number, to: number) => void): void {
  const size = pad.length / STEPS;
  for (let from = 0; from < pad.length; from += size) step(from, from + size);
}

/**
 * CryptoNight, the original variant; the reference stretches passwords with it. Some 40 ms and 2 MiB, which are
 * wiped. Its memory accesses depend on the data, as its design asks for.
 * Source: slow-hash.c `cn_slow_hash`, variant 0.
 */
export function slowHash(data: Uint8Array): Hash {
  let rest = data;
  for (; rest.length > PORTION; rest = rest.subarray(PORTION)) {
    pad.set(rest.subarray(0, PORTION));
    wasm.absorb(PORTION);
  }
  pad.set(rest);
  wasm.absorbEnd(rest.length);
  sweep(wasm.fill);
  for (let step = 0; step < STEPS; step++) wasm.mix(ITERATIONS / STEPS);
  sweep(wasm.drain);
  const finish = FINISHERS[(state[0] as number) & 3] as (state: Uint8Array) => Uint8Array;
  const digest = finish(state);
  wasm.forget();
  return digest as Hash;
}
