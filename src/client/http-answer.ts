import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { RequestFailure } from './transport.js';

/** Longest text of an answer that becomes a part of an error message [characters]. */
const MAX_TEXT = 300;

/** Header `Retry-After` in seconds; undefined if it is absent or a date. */
export function retryAfterOf({ 'retry-after': text = '' }: IncomingHttpHeaders): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Reads an answer to its end. @throws RequestFailure for one that is cut off. */
export async function readText(answer: IncomingMessage): Promise<string> {
  const parts: string[] = [];
  try {
    for await (const part of answer.setEncoding('utf8')) parts.push(part as string);
  } catch (cause) {
    throw new RequestFailure(true, cause);
  }
  return parts.join('');
}

/** Reads an answer to its end. @returns the first line of a plain text, shortened; empty for other types. */
export async function readFirstLine(answer: IncomingMessage): Promise<string> {
  const isPlain = /^text\/plain\b/i.test(answer.headers['content-type'] ?? '');
  const text = await readText(answer);
  return isPlain ? (text.split('\n', 1)[0] ?? '').slice(0, MAX_TEXT) : '';
}
