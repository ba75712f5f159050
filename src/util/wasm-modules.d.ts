/** Modules that `bin/build-wasm.js` writes. */
declare module '*.wasm.js' {
  /** Returns WebAssembly as base64. */
  export const wasm: () => string;
}
