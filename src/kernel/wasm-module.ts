import { readFileSync } from 'node:fs';
import { setV8Flag } from '../util/v8-flags.js';

/** What the assembly exports. Source of the contracts: assembly/kernel.ts. */
export interface KernelExports {
  readonly memory: WebAssembly.Memory;
  prepare(): void;
  pointsAt(): number;
  resultsAt(): number;
  scalarsAt(): number;
  amountsAt(): number;
  validAt(): number;
  messagesAt(): number;
  digitsAt(): number;
  multiplyPoints(count: number, top: number): void;
  takeSecret(): void;
  multiplyPointsBySecret(count: number, eightfold: number): void;
  addMultiplesOfG(count: number, minus: number, shared: number): void;
  commit(count: number): void;
  multiplyHashes(count: number): void;
  multiplySecrets(count: number): void;
  hashToPoints(count: number): void;
  subtractLast(count: number): void;
  makeRoom(count: number): number;
  keep(count: number): void;
  roomFor(used: number, once: number): number;
  addTables(count: number, index: number, once: number): void;
  sum(used: number, once: number): void;
  startGroups(used: number): void;
  sumGroups(count: number, used: number, first: number, step: number): void;
  endGroups(used: number): void;
  twinSums(terms: number): void;
  addHashes(count: number, length: number): void;
  roomToScan(keys: number, outputs: number, secrets: number): number;
  derive(): void;
  findHits(secret: number): number;
  scanKeysAt(): number;
  scanOutputsAt(): number;
  scanDerivationsAt(): number;
  scanSpendKeysAt(): number;
  scanHitsAt(): number;
  scanOutputKeyAt(): number;
  scanOutputIndexAt(): number;
  scanTagsAt(): number;
  forgetScan(): void;
  forget(): void;
}

/** The builds there are, the faster one first. */
export const BUILDS = ['relaxed', 'simd'] as const;
export type Build = (typeof BUILDS)[number];

/** A module with one function, `f64x2.relaxed_madd` of three zeros. */
const RELAXED_MADD = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b],
  ...[0x03, 0x02, 0x01, 0x00],
  ...[0x0a, 0x13, 0x01, 0x11, 0x00],
  ...[0x41, 0x00, 0xfd, 0x0f, 0x41, 0x00, 0xfd, 0x0f, 0x41, 0x00, 0xfd, 0x0f, 0xfd, 0x87, 0x02, 0x0b],
);

/** The V8 of Node 20 and 21 has relaxed SIMD behind a flag; later ones have it on, and no such flag. */
const enableRelaxedSimd = (): void => setV8Flag('--experimental-wasm-relaxed-simd', '11.8');

const modules = new Map<Build, WebAssembly.Module>();

/** A build, compiled once a thread. */
function compiled(build: Build): WebAssembly.Module {
  const known = modules.get(build);
  if (known !== undefined) return known;
  if (build === 'relaxed' && !WebAssembly.validate(RELAXED_MADD)) enableRelaxedSimd();
  const module = new WebAssembly.Module(readFileSync(new URL(`./kernel-${build}.wasm`, import.meta.url)));
  modules.set(build, module);
  return module;
}

/**
 * Makes an instance of a build, with a memory of its own.
 * @throws Error when the engine lacks the instructions, or WebAssembly.
 */
export function instantiate(build: Build): KernelExports {
  const abort = (): never => {
    throw new Error('the kernel stopped');
  };
  const instance = new WebAssembly.Instance(compiled(build), { env: { abort } });
  const exports = instance.exports as unknown as KernelExports;
  exports.prepare();
  return exports;
}
