import type { z } from 'zod';
import type { Json } from '../util/json.js';
import type { RequestSize } from './request-body.js';

/** What a method answers. */
export type Result = { readonly [key: string]: Json | undefined };

/** One method is one value: its names, what it needs, what it takes, and what it does. */
export interface Method<Context, Meta, Answer = Result, Params extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One sentence for people, shown by discovery. */
  readonly summary: string;
  /** Gates and the like, for the layer that knows what they mean. */
  readonly meta: Meta;
  readonly params: Params;
  /** Absent: ordinary. */
  readonly requestSize?: RequestSize;
  /** Where upstream defines it. */
  readonly source: string;
  handle(context: Context, params: z.output<Params>): Answer | Promise<Answer>;
}

/** Ties a method's handler to its parameters' type. */
export const defineMethod =
  <Context, Meta, Answer = Result>() =>
  <Params extends z.ZodType>(method: Method<Context, Meta, Answer, Params>): Method<Context, Meta, Answer> =>
    method as unknown as Method<Context, Meta, Answer>;
