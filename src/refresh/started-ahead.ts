/**
 * Begins the work on each item as soon as there is one, while the caller deals with the one before. Nothing is begun
 * beyond that.
 */
export async function* startedAhead<T, B>(
  items: AsyncGenerator<T, void, void>,
  begin: (item: T) => B,
): AsyncGenerator<B, void, void> {
  const pull = async (): Promise<B | undefined> => {
    const { done, value } = await items.next();
    return done === true ? undefined : begin(value);
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
