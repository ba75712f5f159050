import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { systemClock, type TimeOfDay } from '../../util/clock.js';
import { onClosedUnanswered } from '../../util/unanswered-request.js';
import type { MemberConnections } from './member-connections.js';
import { FalseAnswer, isProof, isSealed, openAnswer, type OpenedAnswer } from './sealed-answer.js';
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
  /** The other process answers. `from`: its origin. `end` is called once the answer is read, or with the reason to read no more of it. */
  | {
      readonly kind: 'answered';
      readonly from: string;
      readonly answer: OpenedAnswer;
      readonly end: (error?: Error) => void;
    }
  /** The request was refused before anything of it ran: its body is here still, or the refusal is sealed. @see Refusal */
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
 * Sends a signed request once. Its body leaves only after the other process has accepted the rest, proved that it has the
 * secret, and asked for it: until then a lost connection, or a process that does not answer, is known to have run nothing.
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
  if (!connections.mayUse(origin)) {
    const cause = new Error(`${origin} has no TLS, and is not on this machine`);
    return Promise.resolve({ kind: 'not-sent', cause });
  }
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
    let timer = setTimeout(() => end(new Error(`no answer within ${acceptMs / 1000} s`)), acceptMs);
    const abort = (): void => end(new Error('the request was ended'));
    signal.addEventListener('abort', abort, { once: true });
    request.once('close', () => signal.removeEventListener('abort', abort));
    let isProven = false;
    request.on('information', (information) => {
      isProven ||= isProof(information, signer, signature);
    });
    request.once('continue', () => {
      if (!isProven)
        return end(new FalseAnswer(`${origin} does not prove that it has the secret of the cluster`));
      clearTimeout(timer);
      isSent = true;
      for (const chunk of body?.chunks ?? []) request.write(chunk);
      return request.end();
    });
    request.once('response', (answer: IncomingMessage) => {
      clearTimeout(timer);
      timer = setTimeout(() => end(new Error('the answer does not begin')), acceptMs);
      void settledBy(answer).then((settled) => {
        clearTimeout(timer);
        if (settled.kind !== 'answered') request.destroy();
        resolve(settled);
      });
    });
    const settledBy = async (answer: IncomingMessage): Promise<Attempt> => {
      answer.on('error', () => undefined);
      try {
        if (isSealed(answer)) {
          const opened = await openAnswer(answer, signer, signature);
          if (opened.outcome !== SERVED) return { kind: 'refused', refusal: opened.outcome };
          // The body of a refused request stays here, so that its connection cannot be used again.
          const settle = (error?: Error): void =>
            void (error === undefined && request.writableEnded ? undefined : request.destroy(error));
          return { kind: 'answered', from: origin, answer: opened, end: settle };
        }
        const refusal = answer.headers[OUTCOME.toLowerCase()];
        // Once the body has left, the request may run, also if a program on the way claims the contrary.
        if (typeof refusal === 'string' && refusal !== SERVED && !isSent) return { kind: 'refused', refusal };
        throw new FalseAnswer(`${origin} does not answer as a process of the cluster`);
      } catch (error) {
        return { kind: isSent ? 'lost' : 'not-sent', cause: error as Error };
      }
    };
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
