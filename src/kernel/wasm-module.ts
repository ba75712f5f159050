import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';

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
  roomToScan(keys: number, outputs: number): number;
  scanKeysAt(): number;
  scanOutputsAt(): number;
  scanDerivationsAt(): number;
  scanSpendKeysAt(): number;
  scanHitsAt(): number;
  scanOutputKeyAt(): number;
  scanOutputIndexAt(): number;
  scanTagsAt(): number;
  scan(top: number): number;
  forgetScan(): void;
  forget(): void;
}

/** The builds there are, the faster one first. */
export const BUILDS = ['relaxed', 'simd'] as const;
export type Build = (typeof BUILDS)[number];

const modules = new Map<Build, WebAssembly.Module>();

/** A build, compiled once a thread. */
function compiled(build: Build): WebAssembly.Module {
  const known = modules.get(build);
  if (known !== undefined) return known;
  // Node 20 knows relaxed SIMD, but only when told so before it compiles; later versions need no telling.
  if (build === 'relaxed') setFlagsFromString('--experimental-wasm-relaxed-simd');
  const module = new WebAssembly.Module(readFileSync(new URL(`./kernel-${build}.wasm`, import.meta.url)));
  modules.set(build, module);
  return module;
}

/**
 * Makes an instance of a build, with a memory of its own.
 * @throws Error when the engine does not know the instructions.
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
