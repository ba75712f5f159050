import type { IncomingHttpHeaders } from 'node:http';
import { systemClock, type TimeOfDay } from '../../util/clock.js';
import { exchange, Unanswered } from '../../util/outbound/exchange.js';
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
  type Refusal,
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
  /**
   * The other process answers. `from`: origin of the other process. `end` is called once the answer is read, or with
   * the reason why no more of it is read.
   */
  | {
      readonly kind: 'answered';
      readonly from: string;
      readonly answer: OpenedAnswer;
      readonly end: (error?: Error) => void;
    }
  /**
   * The request was refused before any part of it ran: its body was not sent, or the refusal is sealed. @see Refusal
   */
  | { readonly kind: 'refused'; readonly refusal: string }
  /** The request did not run, since its body was not sent; or the request has no body, and changes nothing. */
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
 * Sends a signed request once. The body is sent only after the other process has accepted the head, proved that it has
 * the secret, and asked for the body: before that, the request cannot have run, even if the connection is lost or the
 * process does not answer.
 * @param signal ends the attempt, also after its answer began.
 */
export async function attempt(
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
    return { kind: 'not-sent', cause };
  }
  const envelope: Envelope = {
    ...{ login, client, time: clock.now(), nonce: newNonce() },
    ...{ bodyHash: body?.hash ?? NO_BODY, to: origin },
  };
  const signature = sign(signer, { method, url, headers: passed, envelope });
  const ending = new AbortController();
  const end = (error: Error): void => {
    clearTimeout(timer);
    ending.abort(error);
  };
  const limit = (message: string): NodeJS.Timeout => setTimeout(() => end(new Error(message)), acceptMs);
  let timer = limit(`no answer within ${acceptMs / 1000} s`);
  const abort = (): void => end(new Error('the request was ended'));
  signal.addEventListener('abort', abort, { once: true });
  const release = (): void => signal.removeEventListener('abort', abort);
  if (signal.aborted) abort();
  let isProven = false;
  const holdBack = (): Error | undefined => {
    if (!isProven) return new FalseAnswer(`${origin} does not prove that it has the secret of the cluster`);
    clearTimeout(timer);
    return undefined;
  };
  try {
    return await exchange(
      {
        ...connections.routeTo(origin),
        ...{ method, path: url, signal: ending.signal },
        headers: {
          ...passed,
          [SIGNATURE]: signature,
          ...(body === undefined ? {} : { 'content-length': body.length, expect: '100-continue' }),
        },
        onInformation(information) {
          isProven ||= isProof(information, signer, signature);
        },
        ...(body === undefined ? {} : { body: body.chunks, holdBack }),
      },
      async (answer, sent) => {
        clearTimeout(timer);
        timer = limit('the answer does not begin');
        // The body of a refused request is not sent, so its connection cannot be used again.
        sent.once('close', release);
        const settle = (error?: Error): void =>
          void (error === undefined && sent.writableEnded ? undefined : sent.destroy(error));
        if (isSealed(answer)) {
          const opened = await openAnswer(answer, signer, signature);
          if (opened.outcome === SERVED)
            return { kind: 'answered', from: origin, answer: opened, end: settle };
          sent.destroy();
          return { kind: 'refused', refusal: opened.outcome };
        }
        const refusal = answer.headers[OUTCOME.toLowerCase()];
        // Once the body was sent, the request may run, even if a program on the way claims the contrary.
        const isSent = body !== undefined && sent.writableEnded;
        if (typeof refusal !== 'string' || refusal === SERVED || isSent)
          throw new FalseAnswer(`${origin} does not answer as a process of the cluster`);
        sent.destroy();
        return { kind: 'refused', refusal };
      },
    );
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    const { cause, maybeSent } = error;
    release();
    // A request without a body changes nothing, and may always be sent again.
    return { kind: body !== undefined && maybeSent ? 'lost' : 'not-sent', cause: cause as Error };
  } finally {
    clearTimeout(timer);
  }
}

/** Decision after an attempt to pass a request on. */
export type NextStep =
  /** The answer goes to the client. */
  | 'pass'
  /** The holder is looked up again, and the request is sent again. */
  | 'again'
  /** The client learns that nothing has run. */
  | 'refuse'
  /** The client learns that the outcome is unknown. */
  | 'unknown';

/** Refusals that end when the holder is known, or the request is signed anew. */
const PASSING: readonly string[] = ['not-holder', 'not-yet', 'seen'] satisfies readonly Refusal[];

/** Lists the facts about a request after an attempt. */
export interface Standing {
  /** True if a second run of the request changes nothing beyond the first. */
  readonly isRepeatable: boolean;
  /** True if an earlier attempt may have run. */
  readonly mayHaveRun: boolean;
  /** True while there is time for another attempt. */
  readonly isInTime: boolean;
}

/**
 * Decides whether a request is sent again. Only this function repeats requests: a request that may have run is repeated
 * only if a second run changes nothing, and is never answered as if it had not run.
 */
export function nextStep(result: Attempt, { isRepeatable, mayHaveRun, isInTime }: Standing): NextStep {
  if (result.kind === 'answered') return 'pass';
  const mayRun = mayHaveRun || result.kind === 'lost';
  const isPassing =
    result.kind === 'not-sent' ||
    (result.kind === 'lost' && isRepeatable) ||
    (result.kind === 'refused' && PASSING.includes(result.refusal));
  if (isPassing && isInTime) return 'again';
  return mayRun ? 'unknown' : 'refuse';
}
