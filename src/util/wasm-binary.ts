/** Decodes WebAssembly that a module exports as base64. It is no file, so that it is found wherever JavaScript runs. */
export const wasmBinary = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
