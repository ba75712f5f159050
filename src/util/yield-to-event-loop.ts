/** Resolves in the next turn of the event loop, after all callbacks that are due. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
