/** The part of `node:ffi` that is used here; experimental, since Node.js 26.1. */
interface ForeignFunctions {
  dlopen(
    path: null,
    definitions: Record<'malloc_trim', { arguments: readonly ['uint64']; return: 'int32' }>,
  ): { readonly functions: { malloc_trim(pad: bigint): number } };
}

let trim: (() => void) | undefined;

/**
 * Returns the free pages of all heaps of the GNU C library to the system. It keeps them otherwise, unless they are at the
 * end of a heap: what SQLite and finished threads freed lies between what is used. Does nothing with another C library or
 * an older Node.js. Source: malloc_trim(3).
 */
export function trimMalloc(): void {
  trim ??= findMallocTrim();
  trim();
}

function findMallocTrim(): () => void {
  try {
    const ffi = withoutWarnings(() => process.getBuiltinModule('node:ffi')) as ForeignFunctions | undefined;
    const opened = ffi?.dlopen(null, { malloc_trim: { arguments: ['uint64'], return: 'int32' } });
    if (opened !== undefined) return () => void opened.functions.malloc_trim(0n);
  } catch {
    // The C library has no such function, or this Node.js loads it in another way.
  }
  return () => undefined;
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
