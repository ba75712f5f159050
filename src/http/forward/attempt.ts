import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { systemClock, type TimeOfDay } from '../../util/clock.js';
import { onClosedUnanswered } from '../../util/unanswered-request.js';
import type { MemberConnections } from './member-connections.js';
import {
  hashOf,
  newNonce,
  originOf,
  OUTCOME,
  PASSED_HEADERS,
  SERVED,
  sign,
  SIGNATURE,
  type Envelope,
  type Signer,
} from './signature.js';

/** Request that is sent to another process, perhaps several times. */
export interface Message {
  readonly method: string;
  /** Path with query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly login: string;
  readonly client: string;
  /** Body with its hash; absent for a request without a body. */
  readonly body?: { readonly chunks: readonly Uint8Array[]; readonly length: number; readonly hash: string };
}

/** Result of one attempt to send a request to another process. */
export type Attempt =
  /** The other process answers. `end` is called once the answer is read. */
  | {
      readonly kind: 'answered';
      readonly answer: IncomingMessage;
      /** Signature of the request. */
      readonly signature: string;
      readonly end: () => void;
    }
  /** The other process refused the request before anything of it ran. @see Refusal */
  | { readonly kind: 'refused'; readonly refusal: string }
  /** The request did not run, since its body was not sent; or it has none, and changes nothing. */
  | { readonly kind: 'not-sent'; readonly cause: Error }
  /** The request was sent, and no answer came. It may have run. */
  | { readonly kind: 'lost'; readonly cause: Error };

/** Time in which the other process must ask for the body of a request, or answer one without a body [ms]. */
const ACCEPT_MS = 5_000;

const NO_BODY = hashOf([]);

export interface AttemptParts {
  readonly connections: MemberConnections;
  readonly signer: Signer;
  readonly clock?: TimeOfDay;
  readonly acceptMs?: number;
}

/**
 * Sends a signed request once. Its body leaves only after the other process has accepted the rest and asked for it: until
 * then a lost connection, or a process that does not answer, is known to have run nothing.
 * @param signal ends the attempt, also after its answer began.
 */
export function attempt(
  { connections, signer, clock = systemClock, acceptMs = ACCEPT_MS }: AttemptParts,
  to: string,
  { method, url, headers, login, client, body }: Message,
  signal: AbortSignal,
): Promise<Attempt> {
  const passed: Record<string, string | string[]> = {};
  for (const name of PASSED_HEADERS) {
    const value = headers[name];
    if (value !== undefined) passed[name] = value;
  }
  const origin = originOf(to);
  const envelope: Envelope = {
    ...{ login, client, time: clock.now(), nonce: newNonce() },
    ...{ bodyHash: body?.hash ?? NO_BODY, to: origin },
  };
  const signature = sign(signer, { method, url, headers: passed, envelope });
  const request = connections.begin(origin, url, {
    method,
    headers: {
      ...passed,
      [SIGNATURE]: signature,
      ...(body === undefined ? {} : { 'content-length': body.length, expect: '100-continue' }),
    },
  });
  return new Promise((resolve) => {
    // A request without a body changes nothing, and may always be sent again.
    let isSent = false;
    const end = (error?: Error): void => {
      clearTimeout(timer);
      request.destroy(error);
    };
    const timer = setTimeout(() => end(new Error(`no answer within ${acceptMs / 1000} s`)), acceptMs);
    const abort = (): void => end(new Error('the request was ended'));
    signal.addEventListener('abort', abort, { once: true });
    request.once('close', () => signal.removeEventListener('abort', abort));
    request.once('continue', () => {
      clearTimeout(timer);
      isSent = true;
      for (const chunk of body?.chunks ?? []) request.write(chunk);
      request.end();
    });
    request.once('response', (answer: IncomingMessage) => {
      clearTimeout(timer);
      // The body of a refused request stays here, so that its connection cannot be used again.
      const settle = (): void => void (request.writableEnded || request.destroy());
      const outcome = answer.headers[OUTCOME.toLowerCase()];
      if (outcome === SERVED) return resolve({ kind: 'answered', answer, signature, end: settle });
      answer
        .once('end', settle)
        .once('error', () => undefined)
        .resume();
      if (typeof outcome === 'string') return resolve({ kind: 'refused', refusal: outcome });
      const cause = new Error(`${origin} does not answer as a process of the cluster`);
      return resolve({ kind: isSent ? 'lost' : 'not-sent', cause });
    });
    const fail = (cause: Error): void => {
      clearTimeout(timer);
      resolve({ kind: isSent ? 'lost' : 'not-sent', cause });
    };
    request.on('error', fail);
    onClosedUnanswered(request, fail);
    if (body === undefined) request.end();
    else request.flushHeaders();
    if (signal.aborted) abort();
  });
}
