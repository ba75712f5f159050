/** Type of a parameter of a C function. */
type Parameter = 'int32' | 'uint64';

/** Function of the C library. A `uint64` is a bigint, and also stands for an address or a `size_t`. */
export type CFunction = (...args: readonly (bigint | number)[]) => number;

/** The part of `node:ffi` that is used here; experimental, since Node.js 26.1. */
interface ForeignFunctions {
  dlopen(
    path: null,
    definitions: Record<string, { arguments: readonly Parameter[]; return: 'int32' }>,
  ): { readonly functions: Record<string, CFunction> };
}

/**
 * Finds a function of the C library that returns an `int`.
 * @returns undefined where the C library has no such function, or Node.js is too old to call it.
 */
export function findCFunction(name: string, parameters: readonly Parameter[]): CFunction | undefined {
  try {
    const ffi = withoutWarnings(() => process.getBuiltinModule('node:ffi')) as ForeignFunctions | undefined;
    return ffi?.dlopen(null, { [name]: { arguments: parameters, return: 'int32' } }).functions[name];
  } catch {
    return undefined;
  }
}

/** Loads a module without the warning that it is experimental: an operator cannot act on it. */
function withoutWarnings<T>(load: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}
