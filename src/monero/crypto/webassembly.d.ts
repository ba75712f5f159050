/** The used part of the WebAssembly API, which TypeScript declares only in its library for browsers. */
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer;
  }
  interface Module {
    readonly [Symbol.toStringTag]: string;
  }
  interface Instance {
    readonly exports: Readonly<Record<string, unknown>>;
  }
  type Imports = Readonly<Record<string, Readonly<Record<string, () => unknown>>>>;
  const Module: new (bytes: Uint8Array) => Module;
  const Instance: new (module: Module, imports: Imports) => Instance;
}
