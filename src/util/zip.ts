/**
 * Joins the elements at each index of several lists of the same length.
 * @throws RangeError if the lengths differ, which is a bug.
 */
export function zip<T extends readonly unknown[]>(
  ...lists: { readonly [K in keyof T]: readonly T[K][] }
): { [K in keyof T]: T[K] }[] {
  const length = lists[0]?.length ?? 0;
  if (lists.some((list) => list.length !== length))
    throw new RangeError(`lists of different lengths: ${lists.map((list) => list.length).join(', ')}`);
  return Array.from({ length }, (_, i) => lists.map((list) => list[i]) as { [K in keyof T]: T[K] });
}
