/** Collects all values of an iteration in a list. */
export async function collected<T>(values: AsyncIterable<T> | Iterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}
