/** Work on an item that has begun. */
interface Begun {
  readonly hits: Promise<unknown>;
}

/**
 * Begins the work on each item as soon as there is one, while the caller deals with the one before. Nothing is begun
 * beyond that.
 */
export async function* startedAhead<T, B extends Begun>(
  items: AsyncGenerator<T, void, void>,
  begin: (item: T) => B,
): AsyncGenerator<B, void, void> {
  const pull = async (): Promise<B | undefined> => {
    const { done, value } = await items.next();
    if (done === true) return undefined;
    const begun = begin(value);
    // Whoever stops early, by error or by choice, leaves it without a listener.
    begun.hits.catch(() => undefined);
    return begun;
  };
  let next = pull();
  try {
    for (;;) {
      const begun = await next;
      if (begun === undefined) return;
      next = pull();
      next.catch(() => undefined);
      yield begun;
    }
  } finally {
    await items.return();
  }
}
