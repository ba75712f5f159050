import { timingSafeEqual } from 'node:crypto';
import { parseWebhookKey, webhookSignature } from '../util/webhook-signature.js';
import { isObject, JsonError } from '../util/json.js';
import { WalletClientError } from './errors.js';
import { parseEvent } from './event-text.js';
import type { WalletEvent } from './methods.js';

/**
 * Reason why a delivery is refused. `headers`: one of the three headers is missing or malformed. `timestamp`: it was sent
 * too long ago, or in the future. `signature`: none of its signatures was made with one of the secrets. `body`: what was
 * signed is no event.
 */
export type WebhookErrorReason = 'headers' | 'timestamp' | 'signature' | 'body';

/** Error of a request that is not a valid delivery of a webhook. No message contains a part of the request. */
export class WebhookError extends WalletClientError {
  override readonly name = 'WebhookError';
  readonly reason: WebhookErrorReason;

  constructor(reason: WebhookErrorReason, message: string) {
    super('webhook', message);
    this.reason = reason;
  }
}

/**
 * Headers of a request: those of Node.js and Express, a `Headers` of Fetch, or any object with names in any case.
 */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** Options of a check. */
export interface VerifyOptions {
  /** Largest difference between the time of the attempt and the own clock [s]; default: 300. */
  readonly tolerance?: number | undefined;
  /** Unix time that counts as now [ms]; default: the own clock. */
  readonly now?: number | undefined;
}

/** Tolerance that Standard Webhooks libraries have [s]. */
const TOLERANCE = 300;
const EVENT_ID = /^[1-9]\d{0,15}$/;
const TEST_TYPE = 'webhook.test';
const decoder = new TextDecoder();

/** Returns a header, in whatever form the headers have; empty if it is absent. */
function headerOf(headers: WebhookHeaders, name: string): string {
  if (typeof headers['get'] === 'function') return headers['get'](name) ?? '';
  for (const [key, value] of Object.entries(headers))
    if (key.toLowerCase() === name && value !== undefined) return [value].flat().join(' ');
  return '';
}

/** Parses the secrets of a check. @throws RangeError for a malformed secret, and without any. */
export function readKeys(secret: string | readonly string[]): Uint8Array[] {
  const keys = [secret].flat().map(parseWebhookKey);
  if (keys.length === 0) throw new RangeError('a webhook is checked with at least one secret');
  return keys;
}

/** Compares two texts in a time that depends on their lengths only. */
function isSame(a: string, b: string): boolean {
  const [first, second] = [Buffer.from(a), Buffer.from(b)];
  return first.length === second.length && timingSafeEqual(first, second);
}

/** Event with which `test_webhook` tries an endpoint: its type is none of {@link WalletEvent}, and its id is 0. */
export const isWebhookTest = ({ type }: { readonly type: string }): boolean => type === TEST_TYPE;

/**
 * Checks a delivery of a webhook, and returns its event with every digit of its amounts.
 *
 * A delivery of `test_webhook` is an event with the id 0 and a type that {@link isWebhookTest} tells: answer it with a 2xx
 * status, as every type that the program does not know.
 * @param headers headers of the request. @param body body of the request as it arrived, before any parser.
 * @param secret `whsec_…` that `add_webhook` returned; a list of the secrets of several wallets, or of the new and the old
 * one while a secret is rotated.
 * @throws WebhookError for a request that the server has not signed; RangeError for a malformed secret; TypeError for a
 * body that a parser has taken.
 */
export function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string | readonly string[],
  { tolerance = TOLERANCE, now = Date.now() }: VerifyOptions = {},
): WalletEvent {
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new TypeError('the body is the text or the bytes that arrived, not what a JSON parser made of it');
  const keys = readKeys(secret);
  const [id, time, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  ) as [string, string, string];
  if (id === '' || signatures === '' || !/^\d{1,12}$/.test(time))
    throw new WebhookError(
      'headers',
      'a header webhook-id, webhook-timestamp or webhook-signature is missing',
    );
  const timestamp = Number(time);
  if (!(Math.abs(now / 1000 - timestamp) <= tolerance))
    throw new WebhookError('timestamp', 'the time of the delivery is too far from the own clock');
  const expected = keys.map((key) => webhookSignature(key, { id, timestamp, body }));
  const given = signatures.split(' ');
  // Compares all pairs, so that the time says nothing about the secret that matches.
  const matches = expected.flatMap((one) => given.filter((other) => isSame(one, other)));
  if (matches.length === 0) throw new WebhookError('signature', 'no signature was made with the secret');
  return eventOf(id, typeof body === 'string' ? body : decoder.decode(body));
}

/** Reads the event of a checked delivery. @param id header `webhook-id`. @throws WebhookError */
function eventOf(id: string, text: string): WalletEvent {
  let event;
  try {
    event = parseEvent(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
  }
  if (typeof event?.['type'] !== 'string' || !isObject(event['data']))
    throw new WebhookError('body', 'the body is not an event');
  const isTest = event['type'] === TEST_TYPE;
  if (!isTest && !EVENT_ID.test(id))
    throw new WebhookError('headers', 'webhook-id is not the id of an event');
  return { ...event, id: isTest ? 0 : Number(id) } as unknown as WalletEvent;
}
