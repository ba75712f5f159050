import type * as z from 'zod';
import type { Json } from '../util/json.js';
import type { RequestSize } from './request-body.js';

export type Result = { readonly [key: string]: Json | undefined };

/** A method of an RPC server: names, gates, parameters and handler. */
export interface Method<Context, Meta, Answer = Result, Params extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Summary in one sentence for users, shown by `rpc.discover`. */
  readonly summary: string;
  /** Gates and other facts that only the server with the method interprets. */
  readonly meta: Meta;
  readonly params: Params;
  /** Size class of the method's requests; absent: ordinary. */
  readonly requestSize?: RequestSize;
  /** Name of the upstream definition. */
  readonly source: string;
  handle(context: Context, params: z.output<Params>): Answer | Promise<Answer>;
}

/** Defines a method, whose handler receives the parameters with the types of their schema. */
export const defineMethod =
  <Context, Meta, Answer = Result>() =>
  <Params extends z.ZodType>(method: Method<Context, Meta, Answer, Params>): Method<Context, Meta, Answer> =>
    method as unknown as Method<Context, Meta, Answer>;
