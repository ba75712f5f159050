import { wasmBinary } from '../../../util/bytes.js';
import { wasm as relaxed } from './kernel-relaxed.wasm.js';
import { wasm as simd } from './kernel-simd.wasm.js';

/** Exports of the assembly; assembly/kernel.ts documents them. */
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
  walletKeysAt(): number;
  multiplyPoints(count: number, top: number): void;
  recodeSecret(): void;
  multiplyPointsBySecret(count: number, eightfold: number): void;
  addMultiplesOfG(count: number, minus: number, shared: number): void;
  commit(count: number): void;
  multiplyHashes(count: number): void;
  ownKeyImages(count: number): void;
  multiplySecrets(count: number): void;
  hashToPoints(count: number): void;
  multiplyFractions(count: number): void;
  addMultiplesOfBoth(count: number): void;
  multiplyUnbiasedHashes(count: number): void;
  hashUnbiasedToPoints(count: number): void;
  forkInputAt(): number;
  forkHashAt(): number;
  hashInput(length: number, keyLength: number, messageLength: number): void;
  wipeForkHash(): void;
  subtractLast(count: number): void;
  reserveBasis(count: number): number;
  resizeBasis(count: number): void;
  reserveTerms(basisTerms: number, others: number): number;
  addTables(count: number, index: number, isOther: number): void;
  addTablesOfSums(list: number, first: number, second: number, index: number): void;
  sum(basisTerms: number, others: number): void;
  startGroups(basisTerms: number): void;
  sumGroups(count: number, basisTerms: number, first: number, step: number): void;
  endGroups(basisTerms: number): void;
  twinSums(terms: number): void;
  addHashes(count: number, length: number): void;
  reserveScan(keys: number, outputs: number, secrets: number, contexts: number): number;
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
  scanBalancesAt(): number;
  scanHasBalanceAt(): number;
  scanContextOfAt(): number;
  scanContextsAt(): number;
  scanKindsAt(): number;
  wipeScan(): void;
  wipe(): void;
}

/** Names of all builds, in the order from fast to slow. */
export const BUILDS = ['relaxed', 'simd'] as const;
export type Build = (typeof BUILDS)[number];

const BINARIES: Readonly<Record<Build, () => string>> = { relaxed, simd };

const modules = new Map<Build, WebAssembly.Module>();

/** Compiles a build, once in each thread. */
function compiled(build: Build): WebAssembly.Module {
  const known = modules.get(build);
  if (known !== undefined) return known;
  const module = new WebAssembly.Module(wasmBinary(BINARIES[build]));
  modules.set(build, module);
  return module;
}

/**
 * Instantiates a build with a new memory.
 * @throws Error if the engine lacks the instructions of the build, or WebAssembly.
 */
export function instantiate(build: Build): KernelExports {
  const abort = (): never => {
    throw new Error('the kernel was aborted');
  };
  const instance = new WebAssembly.Instance(compiled(build), { env: { abort } });
  const exports = instance.exports as unknown as KernelExports;
  exports.prepare();
  return exports;
}
