import type * as z from 'zod';
import type { Json } from '../util/json.js';
import type { RequestSize } from './request-body.js';

export type Result = { readonly [key: string]: Json | undefined };

/** An RPC method: names, gates, parameters and handler. */
export interface Method<Context, Meta, Answer = Result, Params extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One sentence for users, shown by discovery. */
  readonly summary: string;
  /** Gates and other data that only the server which defines the method interprets. */
  readonly meta: Meta;
  readonly params: Params;
  /** Default: ordinary. */
  readonly requestSize?: RequestSize;
  /** Upstream definition. */
  readonly source: string;
  handle(context: Context, params: z.output<Params>): Answer | Promise<Answer>;
}

/** Defines a method; its handler gets the parameters with the type of their schema. */
export const defineMethod =
  <Context, Meta, Answer = Result>() =>
  <Params extends z.ZodType>(method: Method<Context, Meta, Answer, Params>): Method<Context, Meta, Answer> =>
    method as unknown as Method<Context, Meta, Answer>;
