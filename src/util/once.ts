/** Returns a function that makes its value on the first call, and returns the same one from then on. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
