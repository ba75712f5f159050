import { JsonError, parseJson, type Json } from '../util/json.js';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Unanswered } from '../util/outbound/exchange.js';

/** Matches the beginning of an integer that may exceed the safe integers; text inside a string may match, too. */
const LARGE_INTEGER = /[:[,]\s*-?(?:\d{17}|9\d{15})|^\s*-?\d{16}/;

/**
 * Parses JSON without losing digits. If the text contains no large integer, all integers are numbers, which is several
 * times as fast; otherwise all integers are bigints.
 * @throws JsonError
 */
export function parseExactly(text: string): Json {
  if (LARGE_INTEGER.test(text)) return parseJson(text);
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new JsonError('not JSON');
  }
}

/** Longest text of an answer that is used in an error message [characters]. */
const MAX_TEXT = 300;

/** Returns the header `Retry-After` [s]; undefined if it is absent or a date. */
export function retryAfterOf({ 'retry-after': text = '' }: IncomingHttpHeaders): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Reads the complete body of an answer. @throws Unanswered if the body breaks off. */
export async function readText(answer: IncomingMessage): Promise<string> {
  const parts: string[] = [];
  try {
    for await (const part of answer.setEncoding('utf8')) parts.push(part as string);
  } catch (cause) {
    throw new Unanswered(cause, true);
  }
  return parts.join('');
}

/**
 * Reads the complete body of an answer. @returns first line of a plain text, shortened; empty for other media types.
 */
export async function readFirstLine(answer: IncomingMessage): Promise<string> {
  const isPlain = /^text\/plain\b/i.test(answer.headers['content-type'] ?? '');
  const text = await readText(answer);
  return isPlain ? (text.split('\n', 1)[0] ?? '').slice(0, MAX_TEXT) : '';
}
