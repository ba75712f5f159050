import type { ServerResponse } from 'node:http';
import { PacedResponse } from '../message/paced-response.js';
import type { OpenedAnswer } from './sealed-answer.js';

export interface PassingOptions {
  /** Number of bytes that the client has not read up to which more are read. */
  readonly mostWaiting: number;
  /** Time in which the client must read [ms]; otherwise its connection is closed. */
  readonly stallMs: number;
  /** Longest time without a byte of the other process while the client waits for a byte [ms]. */
  readonly silenceMs: number;
  /** True: the connection ends with the answer. */
  readonly closes: boolean;
}

/**
 * Sends the answer of another process to a client: status, headers and bytes, as they arrive, after the check that the
 * other process sent them, and no faster than the client reads them. If the other process breaks off, or its answer was
 * changed, the connection of the client is closed as well.
 * @param end ends the reading. @returns the reason why the answer was not passed whole, if the other process is the
 * cause.
 */
export async function passAnswer(
  { status, reason, headers, body }: OpenedAnswer,
  res: ServerResponse,
  end: (error?: Error) => void,
  { mostWaiting, stallMs, silenceMs, closes }: PassingOptions,
): Promise<Error | undefined> {
  const response = new PacedResponse(res, { mostWaiting, stallMs });
  let silence: NodeJS.Timeout | undefined;
  const expect = (): void => {
    silence = setTimeout(() => end(new Error('the other process sends nothing')), silenceMs);
  };
  try {
    res.statusCode = status;
    if (reason !== undefined) res.statusMessage = reason;
    for (const [name, value] of headers) res.appendHeader(name, value);
    if (closes) res.setHeader('Connection', 'close');
    if (res.req.method === 'HEAD') {
      end(new Error('no body is asked for'));
      res.end();
      return undefined;
    }
    expect();
    for await (const chunk of body) {
      // A client that reads slowly is no fault of the other process.
      clearTimeout(silence);
      response.write([chunk]);
      if (!(await response.ready())) return undefined;
      expect();
    }
    end();
    res.end();
    return undefined;
  } catch (error) {
    const isClientGone = res.destroyed;
    // A part of the answer is sent already, and an answer that ends early must not look complete.
    res.destroy();
    return isClientGone ? undefined : (error as Error);
  } finally {
    clearTimeout(silence);
  }
}
