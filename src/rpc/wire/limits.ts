import { MAX_LABEL_BYTES } from '../../model/payment-request.js';
import { MAX_KEY_BYTES } from '../../http/calls/idempotency-key.js';
import { invalidParams, keptText, u32 } from '../../http/methods/params.js';
import * as z from 'zod';

/*
 * Texts of clients that the server keeps: in the store of a wallet, in memory or in its log. Each text has a limit, so
 * that no answer, page or log line grows with the longest request. The reference has no such limits; within the limits,
 * its clients see no difference.
 */

/** Label of an account or address. */
export const label = keptText(MAX_LABEL_BYTES);

/** Tag of accounts. */
export const tag = keptText(1024);

/** Description of a tag, or of an entry of the address book. */
export const description = keptText(4096);

/** Note of a transaction. */
export const note = keptText(4096);

/** Key of an attribute. */
export const attributeKey = keptText(1024);

/** Value of an attribute. */
export const attributeValue = keptText(65_536);

/** Key of a payment or a payment request. */
export const idempotencyKey = keptText(MAX_KEY_BYTES, 1);

/** Reference of a payment request. */
export const reference = keptText(255, 1);

/** Address on the web: of an endpoint of webhooks, or of a page that a customer returns to. */
export const url = keptText(2048);

/** Type of events of an endpoint of webhooks. */
export const eventType = keptText(255);

/** Path, host name, user name or password of the settings of the daemon, or list of log categories. */
export const setting = keptText(4096);

/** Largest number of bytes that one call stores by repeating a text for several accounts or addresses. */
const MAX_REPEATED_BYTES = 8 * 1024 * 1024;

/**
 * Checks the total length of the copies of a text that a call stores. @param count number of places that get the text.
 * @throws RpcError `INVALID_PARAMS`
 */
export function assertRepeatable(name: string, value: string, count: number): void {
  const bytes = Buffer.byteLength(value) * count;
  if (bytes > MAX_REPEATED_BYTES)
    throw invalidParams(
      `${name}: ${count} copies have ${bytes} bytes together, more than ${MAX_REPEATED_BYTES}`,
    );
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

/** Parameter for the largest number of items in one answer. */
export const pageLimit = u32
  .default(DEFAULT_LIMIT)
  .refine((limit) => limit >= 1 && limit <= MAX_LIMIT, 'out of range')
  .meta({ minimum: 1n, maximum: BigInt(MAX_LIMIT) });

/** Sequence number of the first page, above every sequence number of a row. */
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
 * Returns the cursor of the next page of a list as a member of the answer; without a member after the last page.
 * @param count number of rows of the page. @param last sequence number of the last row; undefined: the page has no
 * rows.
 */
export const nextPage = (
  { count, last }: { readonly count: number; readonly last: number | undefined },
  limit: number,
): { readonly cursor?: string } => (count < limit || last === undefined ? {} : { cursor: String(last) });
