/** Flags of V8 that a server sets when it starts, beside that of `bin/wallet-rpc`. docs/performance.md has their figures. */
export const ENGINE_FLAGS = [
  // Compile WebAssembly with the optimising compiler at load, not during the first refresh.
  '--no-wasm-lazy-compilation',
  '--no-wasm-dynamic-tiering',
  // Each thread collects its own young generation: it would wait for helper threads while all processors are busy.
  '--no-parallel-scavenge',
  // A heap is collected once it has grown by half. bin/wallet-rpc limits young generations.
  '--heap-growing-percent=50',
  // Each thread would map a copy of V8's own compiled functions beside its code (2 MiB).
  '--no-short-builtin-calls',
] as const;

/** Newest version of V8, major and minor, that was checked to have {@link ENGINE_FLAGS}. */
export const CHECKED_ENGINE = '14.6';
