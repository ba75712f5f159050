import { collectGarbage } from './collect-garbage.js';

/**
 * Makes a value.
 * @returns the value, and the memory of its byte arrays [bytes], without arrays that nothing uses any more.
 */
export function measured<T>(make: () => T): { readonly value: T; readonly bytes: number } {
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  const value = make();
  collectGarbage();
  return { value, bytes: process.memoryUsage().arrayBuffers - before };
}
