/** Counts readers by their position in a sequence. Readers are close to each other: few positions are occupied. */
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

  /** Infinity without readers. */
  get lowest(): number {
    return Math.min(...this.#counts.keys());
  }

  /** -Infinity without readers. */
  get highest(): number {
    return Math.max(...this.#counts.keys());
  }
}
