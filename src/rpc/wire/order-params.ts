import type { KeyedCall } from '../../model/keyed-call.js';
import * as z from 'zod';
import { keccak } from '../../monero/crypto/keccak.js';
import type { CallOrigin } from '../../http/calls/dispatcher.js';
import { RpcError } from '../../http/calls/errors.js';
import { flag, invalidParams, readParamsObject } from '../../http/methods/params.js';
import type { OrderTerms } from '../../services/payments/orders.js';
import { utf8 } from '../../util/bytes.js';
import type { Json } from '../../util/json.js';
import { writeWholeJson } from '../../util/json-writer.js';
import { idempotencyKey } from './limits.js';
import { faultOf } from '../../model/wallet-error.js';

/** Parameters of methods whose payments can be repeated safely, by an idempotency key. */
export const orderParams = {
  idempotency_key: idempotencyKey
    .optional()
    .describe('Key of the payment: a repeated call with the key pays once; absent: every call pays'),
  retry_failed: flag
    .default(false)
    .describe('Pays the failed transactions of the payment with the key again'),
};

type OrderArgs = z.output<z.ZodObject<typeof orderParams>>;

/** Returns JSON with the members of each object in alphabetical order. */
function canonical(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as { readonly [key: string]: Json | undefined })
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, member === undefined ? undefined : canonical(member)]),
  );
}

const textOf = (value: unknown): string => writeWholeJson(canonical(value as Json));

/**
 * Returns a call with an idempotency key. Its hash covers the parameters without those of the order itself. A parameter
 * with its default value counts as absent, so that the hash of a request stays the same when a later version adds
 * parameters.
 */
export function keyedCall(key: string, method: string, schema: z.ZodType, args: object): KeyedCall {
  const defaults = schema.parse({}) as Readonly<Record<string, unknown>>;
  const given = Object.entries(args).filter(
    ([name, value]) => !(name in orderParams) && textOf(value) !== textOf(defaults[name] ?? null),
  );
  const requestHash = keccak(utf8(textOf({ method, params: Object.fromEntries(given) as Json })));
  return { key, method, requestHash };
}

/**
 * Returns the terms of the order that a call places; undefined without an idempotency key.
 * @param schema schema of the method's parameters. @throws RpcError for `retry_failed` without a key.
 */
export function orderTerms(
  method: string,
  schema: z.ZodType,
  args: OrderArgs & { readonly get_tx_hex?: boolean },
): OrderTerms | undefined {
  const { idempotency_key: key, retry_failed: retryFailed } = args;
  if (key === undefined) {
    if (!retryFailed) return undefined;
    throw invalidParams('retry_failed needs idempotency_key');
  }
  return { ...keyedCall(key, method, schema, args), retryFailed, withBlobs: args.get_tx_hex ?? false };
}

/**
 * Adds the idempotency key in the HTTP header to the parameters of a call, if the method has such a parameter; other
 * methods ignore the header.
 * @throws RpcError if header and parameter differ, or if the parameters are not an object.
 */
export function withHeaderKey(
  schema: z.ZodType,
  rawParams: Json | undefined,
  { idempotencyKey: key }: CallOrigin,
): unknown {
  if (key === undefined || !(schema instanceof z.ZodObject) || !('idempotency_key' in schema.shape))
    return rawParams;
  const given = readParamsObject(rawParams);
  const own = given['idempotency_key'] ?? key;
  if (own === key) return { ...given, idempotency_key: key };
  throw invalidParams('idempotency_key differs from the header Idempotency-Key');
}

/**
 * HTTP status for an idempotency key that belongs to another request. Source:
 * draft-ietf-httpapi-idempotency-key-header.
 */
const UNPROCESSABLE = 422;

/** Adds the HTTP status to the error of a call whose key was in a header. */
export function withMismatchStatus(cause: unknown, shown: unknown): unknown {
  const isMismatch = faultOf(cause)?.kind === 'order_mismatch';
  if (!isMismatch || !(shown instanceof RpcError)) return shown;
  const { code, message, data } = shown;
  const explanation = data === undefined ? {} : { explanation: data.explanation };
  return new RpcError(code, message, { status: UNPROCESSABLE, cause, ...explanation });
}
