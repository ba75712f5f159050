/** Smallest buffer [bytes]. */
const LEAST_CAPACITY = 256;

/**
 * Bytes of a connection that arrived and were not read yet. Appending a byte takes constant time on average, even if a
 * peer sends very short chunks.
 */
export class ByteQueue {
  #buffer = new Uint8Array();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(chunk: Uint8Array): void {
    const length = this.#length + chunk.length;
    if (length > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(LEAST_CAPACITY, 2 * this.#buffer.length, length));
      grown.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = grown;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
  }

  /** Returns all bytes of the queue, which share memory with the queue until it changes. */
  view(): Buffer {
    return Buffer.from(this.#buffer.buffer, 0, this.#length);
  }

  /** Removes bytes at the beginning. An empty queue takes no memory. */
  drop(count: number): void {
    const rest = this.#buffer.subarray(count, this.#length);
    if (rest.length === 0) this.#buffer = new Uint8Array();
    else if (count > 0) this.#buffer.copyWithin(0, count, this.#length);
    this.#length = rest.length;
  }
}
