/** Absolute global indices of the members of a ring, ascending. @param keyOffsets each relative to the one before. */
export function ringIndices(keyOffsets: readonly bigint[]): bigint[] {
  let index = 0n;
  return keyOffsets.map((offset) => (index += offset));
}
