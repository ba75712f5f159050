import {
  request,
  type ClientRequest,
  type IncomingMessage,
  type InformationEvent,
  type RequestOptions,
} from 'node:http';

/** Error of a request without a whole answer. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
  /** True if the request may have reached the other side, see {@link exchange}. */
  readonly maybeSent: boolean;
  /**
   * True if the request was sent over a connection that had served another request, so that its end may be older than
   * this request.
   */
  readonly isReused: boolean;

  constructor(cause: unknown, maybeSent: boolean, isReused = false) {
    super(cause instanceof Error ? cause.message : 'the request failed', { cause });
    this.maybeSent = maybeSent;
    this.isReused = isReused;
  }
}

/** Request to another process. */
export interface OutboundRequest extends Pick<
  RequestOptions,
  'agent' | 'method' | 'host' | 'port' | 'path' | 'headers' | 'maxHeaderSize'
> {
  readonly body?: string | Uint8Array | readonly Uint8Array[];
  /** Ends the request with its reason, and the reading of its answer. */
  readonly signal: AbortSignal;
  /** Ends the request, or its answer, after a time without data on the connection. */
  readonly idle?: { readonly ms: number; readonly error: () => Error };
  /** Called with each answer of status 1xx before the answer. */
  readonly onInformation?: (information: InformationEvent) => void;
  /**
   * Present: the body waits until the other side asks for it (`100 Continue`).
   * @returns the reason why the other side does not get the body.
   */
  readonly holdBack?: () => Error | undefined;
}

/**
 * Sends a request, and reads its answer.
 *
 * A request may have reached the other side from the moment at which it has a connection, or, if its body is held back,
 * from the moment at which the body is sent. Before this moment the request has no effect, and may be sent again.
 * @param read called as soon as the headers of the answer have arrived. The body must be read completely, or destroyed.
 * @returns the result of `read`. @throws Unanswered with the error of the request or of `read`, or the reason of the signal.
 */
export function exchange<T>(
  outbound: OutboundRequest,
  read: (answer: IncomingMessage, sent: ClientRequest) => T | Promise<T>,
): Promise<T> {
  const { body, signal, idle, onInformation, holdBack, ...options } = outbound;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new Unanswered(signal.reason, false));
    let maybeSent = false;
    let isAnswered = false;
    const sent = request({ ...options, ...(idle === undefined ? {} : { timeout: idle.ms }) });
    const fail = (cause: unknown): void => reject(new Unanswered(cause, maybeSent, sent.reusedSocket));
    const end = (reason: unknown): void => {
      // Without a connection, a request emits no error when it is destroyed.
      fail(reason);
      sent.destroy();
    };
    const abort = (): void => end(signal.reason);
    signal.addEventListener('abort', abort);
    sent.once('close', () => {
      signal.removeEventListener('abort', abort);
      // An answer with status 101, which ends the use of HTTP on the connection, only closes the request.
      if (!isAnswered) fail(new Error('the connection was closed without an answer'));
    });
    sent.on('error', fail);
    if (idle !== undefined) sent.on('timeout', () => end(idle.error()));
    sent.once('response', (answer) => {
      isAnswered = true;
      const reading = async (): Promise<T> => read(answer, sent);
      reading().then(resolve, end);
    });
    if (onInformation !== undefined) sent.on('information', onInformation);
    if (holdBack === undefined) {
      sent.once('socket', () => (maybeSent = true));
      return write(sent, body);
    }
    sent.once('continue', () => {
      const refusal = holdBack();
      if (refusal !== undefined) return end(refusal);
      maybeSent = true;
      return write(sent, body);
    });
    return sent.flushHeaders();
  });
}

function write(sent: ClientRequest, body: OutboundRequest['body']): void {
  if (body === undefined || typeof body === 'string' || ArrayBuffer.isView(body)) return void sent.end(body);
  for (const chunk of body) sent.write(chunk);
  sent.end();
}
