import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { RequestFailure } from './transport.js';

/** Longest text of an answer that becomes a part of an error message [characters]. */
const MAX_TEXT = 300;

/** Header `Retry-After` in seconds; undefined if it is absent or a date. */
export function retryAfterOf({ 'retry-after': text = '' }: IncomingHttpHeaders): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/**
 * Reads an answer to its end. @returns the first line of a plain text, shortened; empty for other types.
 * @throws RequestFailure for an answer that is cut off.
 */
export async function readText(answer: IncomingMessage): Promise<string> {
  const isPlain = /^text\/plain\b/i.test(answer.headers['content-type'] ?? '');
  let text = '';
  try {
    for await (const part of answer.setEncoding('utf8'))
      if (isPlain && text.length < MAX_TEXT) text += part as string;
  } catch (cause) {
    throw new RequestFailure(true, cause);
  }
  return (text.split('\n')[0] ?? '').slice(0, MAX_TEXT);
}
