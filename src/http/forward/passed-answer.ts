import type { IncomingMessage, ServerResponse } from 'node:http';
import { PacedResponse } from '../paced-response.js';
import { OUTCOME } from './signature.js';

/** Headers of one connection, which the server writes itself, and those between two processes. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'date',
  OUTCOME.toLowerCase(),
]);

export interface PassingOptions {
  /** Number of bytes that the client has not read up to which more are read. */
  readonly mostWaiting: number;
  /** Time in which the client must read [ms]; otherwise its connection is closed. */
  readonly stallMs: number;
  /** Longest time without a byte of the other process while the client waits for one [ms]. */
  readonly silenceMs: number;
  /** True: the connection ends with the answer. */
  readonly closes: boolean;
}

/**
 * Sends the answer of another process to a client: status, headers and bytes unchanged, as they arrive, and no faster than
 * the client reads them. If the other process breaks off, the connection of the client is closed as well.
 */
export async function passAnswer(
  answer: IncomingMessage,
  res: ServerResponse,
  { mostWaiting, stallMs, silenceMs, closes }: PassingOptions,
): Promise<void> {
  res.statusCode = answer.statusCode ?? 0;
  if (answer.statusMessage !== undefined) res.statusMessage = answer.statusMessage;
  const { rawHeaders } = answer;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
    const lower = name.toLowerCase();
    if (!OWN_HEADERS.has(lower) || (closes && lower === 'connection')) res.appendHeader(name, value);
  }
  const response = new PacedResponse(res, { mostWaiting, stallMs });
  let silence: NodeJS.Timeout | undefined;
  const expect = (): void => {
    silence = setTimeout(() => answer.destroy(new Error('the other process sends nothing')), silenceMs);
  };
  try {
    expect();
    for await (const chunk of answer) {
      // A client that reads slowly is no fault of the other process.
      clearTimeout(silence);
      response.write([chunk as Uint8Array]);
      if (!(await response.ready())) return;
      expect();
    }
    res.end();
  } catch {
    // A part of the answer is sent already, and an answer that ends early must not look complete.
    res.destroy();
  } finally {
    clearTimeout(silence);
  }
}
