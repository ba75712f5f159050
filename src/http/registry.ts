interface Named {
  readonly name: string;
  readonly aliases?: readonly string[];
}

/** Finds the methods of a server by name or alias. */
export class Registry<M extends Named> {
  readonly methods: readonly M[];
  readonly #byName = new Map<string, M>();

  /** @throws Error if two methods share a name or an alias. */
  constructor(methods: readonly M[]) {
    this.methods = methods;
    for (const method of methods)
      for (const name of [method.name, ...(method.aliases ?? [])]) {
        if (this.#byName.has(name)) throw new Error(`two methods are called ${name}`);
        this.#byName.set(name, method);
      }
  }

  find(name: string): M | undefined {
    return this.#byName.get(name);
  }
}
