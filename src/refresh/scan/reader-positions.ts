/**
 * Counts readers by their position in a sequence of batches. All readers are close to each other, so few positions
 * occur.
 */
export class ReaderPositions {
  readonly #counts = new Map<number, number>();

  add(position: number): void {
    this.#counts.set(position, (this.#counts.get(position) ?? 0) + 1);
  }

  remove(position: number): void {
    const count = this.#counts.get(position) ?? 0;
    if (count > 1) this.#counts.set(position, count - 1);
    else this.#counts.delete(position);
  }

  move(from: number, to: number): void {
    this.remove(from);
    this.add(to);
  }

  /** Lowest position of a reader; Infinity without readers. */
  get lowest(): number {
    return Math.min(...this.#counts.keys());
  }

  /** Highest position of a reader; -Infinity without readers. */
  get highest(): number {
    return Math.max(...this.#counts.keys());
  }
}
