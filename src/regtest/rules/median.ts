/**
 * Returns the median of integers; 0 for an empty list. The median of an even number is the mean of the two middle
 * values, rounded down. Source: misc_language.h `median`.
 */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return middle(sorted.length, (rank) => sorted[rank] ?? 0);
}

function middle(count: number, at: (rank: number) => number): number {
  if (count === 0) return 0;
  const upper = at(Math.floor(count / 2));
  return count % 2 === 1 ? upper : Math.floor((at(count / 2 - 1) + upper) / 2);
}

/** A multiset of integers whose median is computed fast if it has few distinct values with many copies each. */
export class MedianBag {
  readonly #counts = new Map<number, number>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(value: number): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
    this.#size += 1;
  }

  /** Removes one copy of a value. @throws RangeError if the value is not in the bag. */
  remove(value: number): void {
    const count = this.#counts.get(value);
    if (count === undefined) throw new RangeError('the value is not in the bag');
    if (count === 1) this.#counts.delete(value);
    else this.#counts.set(value, count - 1);
    this.#size -= 1;
  }

  /** Returns the median of the values and of additional zeros. @param zeros number of additional zeros. */
  median(zeros = 0): number {
    const ascending = [...this.#counts].sort(([a], [b]) => a - b);
    return middle(this.#size + zeros, (rank) => {
      let passed = zeros;
      if (rank < passed) return 0;
      for (const [value, count] of ascending) {
        passed += count;
        if (rank < passed) return value;
      }
      return 0;
    });
  }
}
