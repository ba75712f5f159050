import { findCFunction } from './c-function.js';

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
  const mallocTrim = findCFunction('malloc_trim', ['uint64']);
  return () => void mallocTrim?.(0n);
}
