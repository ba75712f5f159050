import type * as z from 'zod';
import type { Json } from '../../util/json.js';
import type { RequestSize } from '../message/request-body.js';

export type Result = { readonly [key: string]: Json | undefined };

/** A method of an RPC server: names, gates, parameters and handler. */
export interface Method<Context, Meta, Answer = Result, Params extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Summary in one sentence for users, shown by `rpc.discover`. */
  readonly summary: string;
  /** Gates and other facts, which only the server that has the method interprets. */
  readonly meta: Meta;
  readonly params: Params;
  /** Size class of the method's requests; absent: ordinary. */
  readonly requestSize?: RequestSize;
  /** Name of the definition in the reference. */
  readonly source: string;
  handle(context: Context, params: z.output<Params>): Answer | Promise<Answer>;
}

/** Defines a method, whose handler receives the parameters with the types of their schema. */
export const defineMethod =
  <Context, Meta, Answer = Result>() =>
  <Params extends z.ZodType>(method: Method<Context, Meta, Answer, Params>): Method<Context, Meta, Answer> =>
    method as unknown as Method<Context, Meta, Answer>;

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

  /** Names of all methods, without their aliases. */
  get names(): readonly string[] {
    return this.methods.map(({ name }) => name);
  }

  find(name: string): M | undefined {
    return this.#byName.get(name);
  }
}
