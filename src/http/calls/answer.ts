import type { IncomingMessage, ServerResponse } from 'node:http';
import { releaseBuffer, PacedResponse } from '../message/paced-response.js';
import { totalLength } from '../../util/bytes.js';
import type { AnswerText } from './dispatcher.js';
import { RpcError } from './errors.js';
import { headerOf, setHead } from '../message/handler.js';

/** Answer to a request. */
export interface Answer {
  readonly status: number;
  /** Value of the header `Retry-After` [s]. */
  readonly retryAfter?: number;
  /** Media type of the answer. */
  readonly type: string;
  readonly body: AnswerText;
}

/** Number of unread bytes of a long answer up to which its next page is read. */
export const MOST_WAITING = 1 << 20;

/** Time in which a client must read 64 KiB of a long answer [ms]. */
export const STALL_MS = 60_000;

/** Largest length of an answer that is sent together with its head [bytes]. */
const SHORT = 1 << 14;

const NO_CONTENT = 204;

/** Answer to a batch of notifications. */
export const NOTHING = { status: NO_CONTENT, body: [] };

/** True if a client asks for `error.data`, with the header `Error-Details` of this server. */
export const asksForDetails = (req: IncomingMessage): boolean =>
  /^yes$/i.test(headerOf(req, 'error-details') ?? '');

/** Sends the answer to calls that have run. Closes the connection if the answer cannot be sent completely. */
export async function sendAnswer(
  res: ServerResponse,
  answer: Answer,
  onBug: (error: unknown) => void,
): Promise<void> {
  try {
    await sendWhole(res, answer);
  } catch (error) {
    // Closes the connection: the status may be sent already, and any other answer would mean that the calls did not
    // run.
    res.destroy();
    if (!(error instanceof RpcError)) onBug(error);
  }
}

/** Returns the piece of an answer that has just one piece; undefined for any other answer. */
const onlyPieceOf = (body: AnswerText): Uint8Array | undefined =>
  !(Symbol.asyncIterator in body) && body.length === 1 ? body[0] : undefined;

/** Sends a complete answer. @throws the error of an answer in pages, if a page cannot be read. */
async function sendWhole(res: ServerResponse, { status, retryAfter, type, body }: Answer): Promise<void> {
  if (status === NO_CONTENT) {
    res.statusCode = status;
    return void res.end();
  }
  setHead(res, status, type);
  if (retryAfter !== undefined) res.setHeader('Retry-After', String(retryAfter));
  const only = onlyPieceOf(body);
  if (only !== undefined) {
    res.setHeader('Content-Length', String(only.length));
    // Node.js joins a text with the head and writes both at once; bytes are written apart, which takes longer.
    if (only.length <= SHORT)
      return void res.end(
        Buffer.from(only.buffer, only.byteOffset, only.length).toString('latin1'),
        'latin1',
      );
    return void res.end(only, () => releaseBuffer(only));
  }
  const response = new PacedResponse(res, { mostWaiting: MOST_WAITING, stallMs: STALL_MS });
  if (Symbol.asyncIterator in body) {
    for await (const pieces of body) {
      response.write(pieces);
      if (!(await response.ready())) return;
    }
  } else {
    res.setHeader('Content-Length', String(totalLength(body)));
    response.write(body);
  }
  res.end();
}
