/**
 * Returns the absolute global indices of the members of a ring, ascending.
 * @param keyOffsets offsets, each relative to the preceding member.
 * @example
 * ringIndices([5n, 1n, 3n]); // => [5n, 6n, 9n]
 */
export function ringIndices(keyOffsets: readonly bigint[]): bigint[] {
  let index = 0n;
  return keyOffsets.map((offset) => (index += offset));
}
