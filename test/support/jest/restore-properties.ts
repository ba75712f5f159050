/**
 * Notes the own properties of an object.
 * @returns Function that restores them, and deletes those added meanwhile, as far as they can be changed.
 */
export function propertiesRestorer(target: object): () => void {
  const noted = Reflect.ownKeys(target).map(
    (key) => [key, Reflect.getOwnPropertyDescriptor(target, key)] as const,
  );
  const keys = new Set(noted.map(([key]) => key));
  return () => {
    for (const key of Reflect.ownKeys(target)) if (!keys.has(key)) Reflect.deleteProperty(target, key);
    for (const [key, before] of noted) {
      const now = Reflect.getOwnPropertyDescriptor(target, key);
      const isSame = now !== undefined && now.value === before?.value && now.get === before?.get;
      if (before !== undefined && !isSame && now?.configurable !== false)
        Reflect.defineProperty(target, key, before);
    }
  };
}
