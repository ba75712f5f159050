/**
 * Returns the median of integers; 0 for an empty list. The median of an even number is the mean of the two middle
 * values, rounded down. Source: misc_language.h `median`.
 */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return middleValue(sorted.length, (rank) => sorted[rank] ?? 0);
}

/** Returns the median of `count` integers in ascending order. @param at returns the integer at a rank from 0 on. */
export function middleValue(count: number, at: (rank: number) => number): number {
  if (count === 0) return 0;
  const upper = at(Math.floor(count / 2));
  return count % 2 === 1 ? upper : Math.floor((at(count / 2 - 1) + upper) / 2);
}
