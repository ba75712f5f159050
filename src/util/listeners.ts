/** Functions that are called with the same arguments, in the order in which they were added. */
export class Listeners<News extends readonly unknown[]> {
  readonly #all: ((...news: News) => void)[] = [];

  add(listener: (...news: News) => void): void {
    this.#all.push(listener);
  }

  /** Calls every listener. @throws the error of a listener; later listeners are not called then. */
  readonly notify = (...news: News): void => {
    for (const listener of this.#all) listener(...news);
  };
}
