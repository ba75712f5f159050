import type { Method, Result } from './method.js';

/** Finds the methods of a server by name or alias. */
export class Registry<Context, Meta, Answer = Result> {
  readonly methods: readonly Method<Context, Meta, Answer>[];
  readonly #byName = new Map<string, Method<Context, Meta, Answer>>();

  /** @throws Error when two methods share a name. */
  constructor(methods: readonly Method<Context, Meta, Answer>[]) {
    this.methods = methods;
    for (const method of methods)
      for (const name of [method.name, ...(method.aliases ?? [])]) {
        if (this.#byName.has(name)) throw new Error(`two methods are called ${name}`);
        this.#byName.set(name, method);
      }
  }

  find(name: string): Method<Context, Meta, Answer> | undefined {
    return this.#byName.get(name);
  }
}
