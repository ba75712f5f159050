/** Numbers of open connections, in total and by client address. */
export class CountedConnections {
  readonly #perIp = new Map<string, number>();
  #all = 0;

  /** Number of open connections of all clients. */
  get all(): number {
    return this.#all;
  }

  /** Number of open connections of a client address. */
  of(ip: string): number {
    return this.#perIp.get(ip) ?? 0;
  }

  /** Counts a connection. @returns a function that ends its count; later calls of the function have no effect. */
  add(ip: string): () => void {
    this.#all += 1;
    this.#perIp.set(ip, this.of(ip) + 1);
    let isCounted = true;
    return () => {
      if (!isCounted) return;
      isCounted = false;
      this.#all -= 1;
      const left = this.of(ip) - 1;
      if (left === 0) this.#perIp.delete(ip);
      else this.#perIp.set(ip, left);
    };
  }
}
