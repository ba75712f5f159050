import * as z from 'zod';
import { u32 } from '../http/methods/params.js';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

/** Parameter for the largest number of items in one answer. */
export const pageLimit = u32
  .default(DEFAULT_LIMIT)
  .refine((limit) => limit >= 1 && limit <= MAX_LIMIT, 'out of range')
  .meta({ minimum: 1n, maximum: BigInt(MAX_LIMIT) });

/** Position of the first page: above every sequence number. */
const LATEST = Number.MAX_SAFE_INTEGER;

/** Parameter for the position of a page in a list whose rows descend by sequence number. */
export const pageCursor = z
  .string()
  .regex(/^\d{1,15}$/, 'expected the cursor of an earlier answer')
  .optional()
  .describe('Member cursor of the former answer; absent: the first page');

/** Returns the sequence number that all rows of a page lie below. @param cursor value of {@link pageCursor}. */
export const pageStart = (cursor: string | undefined): number =>
  cursor === undefined ? LATEST : Number(cursor);

/**
 * Returns the cursor of the page after a page of a list, as member of the answer; none if the page is the last one.
 * @param count number of rows of the page. @param last sequence number of the last row; undefined: there is none.
 */
export const nextPage = (
  { count, last }: { readonly count: number; readonly last: number | undefined },
  limit: number,
): { readonly cursor?: string } => (count < limit || last === undefined ? {} : { cursor: String(last) });
