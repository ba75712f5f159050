import { fromBase64 } from '#platform/hex.js';

/** Decodes WebAssembly that a module returns as base64. It is no file, so that it is found wherever Node.js runs. */
export const wasmBinary = (base64: () => string): Uint8Array<ArrayBuffer> => fromBase64(base64());
