/** Binary heap: finds the first of many items in an order, in a time that grows with the logarithm of their number. */
export class Heap<T> {
  readonly #isBefore: (a: T, b: T) => boolean;
  readonly #items: T[] = [];

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  /** First item of the order; undefined if there is none. */
  get first(): T | undefined {
    return this.#items[0];
  }

  add(item: T): void {
    const items = this.#items;
    let at = items.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = items[above] as T;
      if (!this.#isBefore(item, parent)) break;
      items[at] = parent;
      at = above;
    }
    items[at] = item;
  }

  removeFirst(): void {
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) return;
    this.#items[0] = last;
    this.siftFirst();
  }

  /** Restores the order after the first item has changed. */
  siftFirst(): void {
    const items = this.#items;
    const [item] = items;
    if (item === undefined) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= items.length) break;
      const right = left + 1;
      const below =
        right < items.length && this.#isBefore(items[right] as T, items[left] as T) ? right : left;
      const child = items[below] as T;
      if (!this.#isBefore(child, item)) break;
      items[at] = child;
      at = below;
    }
    items[at] = item;
  }
}
