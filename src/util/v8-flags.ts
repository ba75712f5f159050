import { setFlagsFromString } from 'node:v8';

/**
 * Flags of V8 that a server sets when it starts, each with what it gives; docs/performance.md says how the figures were
 * measured. `bin/wallet-rpc` sets one more, which applies from the first allocation on.
 */
export const SERVER_FLAGS = [
  // Compile WebAssembly when it is loaded, and with the optimising compiler at once: the first refresh would wait for it.
  '--no-wasm-lazy-compilation',
  '--no-wasm-dynamic-tiering',
  // Each thread collects its own young generation: it would wait for helper threads while all processors are busy.
  '--no-parallel-scavenge',
  // A heap is collected once it has grown by half, where V8 waits for up to four times.
  '--heap-growing-percent=50',
  // Each thread would map a copy of V8's own compiled functions beside its code (2 MiB).
  '--no-short-builtin-calls',
] as const;

/** Flag that gives contexts that are created afterwards the function `gc`, with which an idle thread collects garbage. */
export const COLLECTION_FLAG = '--expose-gc';

/** Newest version of V8, major and minor, that was checked to have all flags of this file. Source: `node --v8-options`. */
const CHECKED_VERSION = '14.6';

const numbersOf = (version: string): [major: number, minor: number] => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return [major, minor];
};

/** True if a V8 version is not newer than `last`. @param version of two or more parts, such as 11.3.244.8-node.38. */
export function isUpTo(version: string, last: string): boolean {
  const [major, minor] = numbersOf(version);
  const [lastMajor, lastMinor] = numbersOf(last);
  return major < lastMajor || (major === lastMajor && minor <= lastMinor);
}

/** True if the running V8 is known to have the flags of this file. V8 has no query for them. */
export const hasKnownFlags = (version: string = process.versions.v8): boolean =>
  isUpTo(version, CHECKED_VERSION);

/** Sets flags of this file where the running V8 is known to have them: it prints an error for an unknown one. */
export function setV8Flags(flags: readonly string[], version?: string): void {
  if (hasKnownFlags(version)) for (const flag of flags) setFlagsFromString(flag);
}
