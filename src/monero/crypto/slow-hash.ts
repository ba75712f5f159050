import { blake256 } from '@noble/hashes/blake1.js';
import { SBOX } from './aes-box.js';
import { groestl256 } from './groestl.js';
import { jh256 } from './jh.js';
import { skein512For256 } from './skein.js';
import { wasmBinary } from '../../util/bytes.js';
import { wasm as plain } from './slow-hash-plain.wasm.js';
import { wasm as simd } from './slow-hash-simd.wasm.js';
import type { Hash } from './types.js';

/** Exports of the WebAssembly module, documented in assembly/slow-hash.ts. `hash` is 0 or 1. */
export interface SlowHashExports {
  readonly memory: WebAssembly.Memory;
  prepare(): void;
  padAt(hash: number): number;
  padBytes(): number;
  boxAt(): number;
  stateAt(hash: number): number;
  rate(): number;
  absorb(hash: number, length: number): void;
  absorbEnd(hash: number, length: number): void;
  fill(hash: number, from: number, to: number): void;
  mix(times: number): void;
  mixBoth(times: number): void;
  drain(hash: number, from: number, to: number): void;
  forget(hashes: number): void;
}

/** Names of all builds, in the order from fast to slow; the first build needs SIMD. */
export const BUILDS = ['simd', 'plain'] as const;
export type Build = (typeof BUILDS)[number];

const BINARIES: Readonly<Record<Build, () => string>> = { simd, plain };

const STATE_BYTES = 200;
const ITERATIONS = 1 << 19;
/**
 * Number of calls into which each long loop is divided, because the engine switches to optimised code only between
 * calls.
 */
const STEPS = 256;

/** Final digest functions, selected by the two lowest bits of the state. */
const FINISHERS: readonly ((state: Uint8Array) => Uint8Array)[] = [
  (state) => blake256(state),
  groestl256,
  jh256,
  skein512For256,
];

/** Instantiates a build with a new memory. @throws WebAssembly.CompileError if the processor lacks its instructions. */
export function instantiate(build: Build): SlowHashExports {
  const module = new WebAssembly.Module(wasmBinary(BINARIES[build]));
  const wasm = new WebAssembly.Instance(module, {}).exports as unknown as SlowHashExports;
  new Uint8Array(wasm.memory.buffer, wasm.boxAt(), SBOX.length).set(SBOX);
  wasm.prepare();
  return wasm;
}

/** Instantiates the fastest build that this processor can run. */
function instantiateFastest(): SlowHashExports {
  try {
    return instantiate('simd');
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'CompileError') throw error;
    return instantiate('plain');
  }
}

/**
 * Returns a function that computes CryptoNight of one message, or of two at once, with an instance. The second message
 * takes 3/5 of the time of the first message, because each hash computes while the other hash waits for its scratchpad.
 */
export function slowHashesBy(wasm: SlowHashExports): (messages: readonly Uint8Array[]) => Hash[] {
  const { buffer } = wasm.memory;
  const pads = [0, 1].map((hash) => new Uint8Array(buffer, wasm.padAt(hash), wasm.padBytes()));
  const states = [0, 1].map((hash) => new Uint8Array(buffer, wasm.stateAt(hash), STATE_BYTES));
  /** Number of bytes absorbed in one call: the whole permutations that fit into a scratchpad. */
  const portion = wasm.padBytes() - (wasm.padBytes() % wasm.rate());

  /** Calls `step` for consecutive ranges of a scratchpad. */
  function sweep(step: (hash: number, from: number, to: number) => void, hash: number): void {
    const size = wasm.padBytes() / STEPS;
    for (let from = 0; from < wasm.padBytes(); from += size) step(hash, from, from + size);
  }

  function begin(message: Uint8Array, hash: number): void {
    const pad = pads[hash] as Uint8Array;
    let remaining = message;
    for (; remaining.length > portion; remaining = remaining.subarray(portion)) {
      pad.set(remaining.subarray(0, portion));
      wasm.absorb(hash, portion);
    }
    pad.set(remaining);
    wasm.absorbEnd(hash, remaining.length);
    sweep(wasm.fill, hash);
  }

  function digestOf(hash: number): Hash {
    sweep(wasm.drain, hash);
    const state = states[hash] as Uint8Array;
    const finish = FINISHERS[(state[0] as number) & 3] as (state: Uint8Array) => Uint8Array;
    return finish(state) as Hash;
  }

  return (messages) => {
    if (messages.length < 1 || messages.length > 2) throw new RangeError(`slow hashes: ${messages.length}`);
    messages.forEach(begin);
    const mix = messages.length === 1 ? wasm.mix : wasm.mixBoth;
    for (let step = 0; step < STEPS; step++) mix(ITERATIONS / STEPS);
    const digests = messages.map((_, hash) => digestOf(hash));
    wasm.forget(messages.length);
    return digests;
  };
}

/**
 * Computes CryptoNight, the original variant, of one or two messages; the reference stretches passwords with it. Takes
 * about 25 ms and 2 MiB for each message; the memory is wiped. The memory accesses of CryptoNight depend on the data by
 * design.
 * @throws RangeError for another number of messages. Source: slow-hash.c `cn_slow_hash`, variant 0.
 */
export const slowHashes = slowHashesBy(instantiateFastest());

/** Computes {@link slowHashes} of one message. */
export const slowHash = (message: Uint8Array): Hash => slowHashes([message])[0] as Hash;
