/** Returns a function that creates a value at its first call, and returns the same value at every later call. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
