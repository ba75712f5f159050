import { u32 } from '../http/params.js';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

/** Parameter for the largest number of items in one answer. */
export const pageLimit = u32
  .default(DEFAULT_LIMIT)
  .refine((limit) => limit >= 1 && limit <= MAX_LIMIT, 'out of range')
  .meta({ minimum: 1n, maximum: BigInt(MAX_LIMIT) });
