import type { Request, RequestHandler, Response } from 'express';
import { setTimeout as delay } from 'node:timers/promises';
import { isObject, JsonError, parseJson } from '../../util/json.js';
import { asksForDetails, MOST_WAITING, NOTHING, sendAnswer, STALL_MS } from '../calls/answer.js';
import { callerOf, senderOf, type Caller } from '../message/caller.js';
import { FULL_LOGIN } from '../login/authentication.js';
import { Dispatcher, type Call, type CallOrigin } from '../calls/dispatcher.js';
import { INVALID_REQUEST, RpcError } from '../calls/errors.js';
import { giveBody, isLost, ORDINARY_BYTES, RequestTooLarge } from '../message/request-body.js';
import { sendText } from '../message/handler.js';
import { attempt, type Attempt, type AttemptParts, type Message, nextStep } from './attempt.js';
import { refuseSigned } from './forwarded-login.js';
import { KeptBody } from './kept-body.js';
import { passAnswer } from './passed-answer.js';
import { FalseAnswer } from './sealed-answer.js';
import { loginText, originOf } from './signature.js';

/** Place where a target is served now. */
export type Place =
  /** This process serves the target. */
  | 'here'
  /**
   * This process serves the target, and keeps it until the call has ended. `release`: called once the call is answered.
   */
  | { readonly release: () => void }
  /** Another process serves the target. `url`: address of the other process. */
  | { readonly url: string };

/** Error of looking up a target whose holder changes at the moment: the target is looked up again. */
export class HolderChanging extends Error {
  override readonly name = 'HolderChanging';
}

/** Errors for clients whose request cannot be passed on. */
export interface ForwardErrors {
  /**
   * Returns the error of a request for a target that has not run, and may be sent again.
   * @param reason plain English.
   */
  notReached(target: string, reason: string): RpcError;
  /** Returns the error of a request that may have run. @param reason plain English. */
  unknownOutcome(reason: string): RpcError;
}

/**
 * Records requests that this process answers with an error, because this process can neither serve the requests nor
 * pass them on.
 */
export interface ForwardingRecords {
  /** Wraps the function that fails each call of a request. */
  calls(call: Call): Call;
  /** Records an event stream. @param status HTTP status of its refusal. */
  stream(origin: CallOrigin, status: number): void;
}

export interface ForwarderOptions extends AttemptParts {
  /**
   * Finds the process that serves a target. @param signal aborts when the client is gone.
   * @throws HolderChanging; RpcError, which the client receives.
   */
  readonly place: (target: string, signal: AbortSignal) => Promise<Place>;
  /** True for a request that another process has passed on. */
  readonly isForwarded: (req: Request) => boolean;
  /**
   * Decides whether a client may know the place of a target; otherwise the handlers of this process answer the client,
   * as they answer for an unknown target. Absent: every client may know it.
   */
  readonly mayKnow?: (caller: Caller, target: string) => boolean;
  /**
   * True for a method whose second run changes nothing beyond its first. @param hasKey true if the call has an
   * idempotency key, in a header or a parameter.
   */
  readonly isRepeatable: (method: string, hasKey: boolean) => boolean;
  readonly errors: ForwardErrors;
  readonly records?: ForwardingRecords;
  readonly onBug: (error: unknown) => void;
  /** Called with each failed attempt, and with each answer that breaks off. */
  readonly onFailed?: (failed: FailedAttempt) => void;
  /** Time for all attempts to reach the holder [ms]. */
  readonly patienceMs?: number;
  /** Interval between looks at the place of a target whose answer is awaited [ms]. */
  readonly watchMs?: number;
}

/** A request that was not answered by another process. */
export interface FailedAttempt {
  readonly url: string;
  readonly reason: string;
  /** True if a program outside the cluster has answered, or changed the answer. */
  readonly isFalse: boolean;
}

const PATIENCE_MS = 15_000;
const WATCH_MS = 5_000;
/** First and longest pause between two attempts [ms]. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;
/** Longest pause between two look-ups of the next holder, which ask no other process [ms]. */
const CHANGING_PAUSE_MS = 100;
/**
 * Largest number of attempts after which the request may have run: after each such attempt, the time for attempts
 * begins anew.
 */
const MOST_LOST = 3;
/** Longest time without a byte of a long answer, or of an event stream, which has a comment every 15 seconds [ms]. */
const SILENCE_MS = 120_000;
const STREAM_SILENCE_MS = 45_000;
/** Number of unread bytes of an event stream up to which more are read. */
const STREAM_WAITING = 1 << 16;

/** A request on its way to the process that holds its target. */
interface Journey {
  readonly target: string;
  readonly signal: AbortSignal;
  /** Returns the request with its body; undefined if this process has to refuse it. */
  readonly message: () => Promise<Message | undefined>;
  readonly isRepeatable: () => boolean;
}

/** End of the journey of a request. */
type Arrival =
  | { readonly kind: 'here'; readonly release: () => void }
  | { readonly kind: 'answered'; readonly attempt: Extract<Attempt, { kind: 'answered' }> }
  | { readonly kind: 'error'; readonly error: RpcError };

/**
 * Passes requests for a target on to the process that holds it, with the login that this process has checked. A move of
 * the target, or the end of its holder, only delays a request that can be sent again.
 */
export class Forwarder {
  readonly #options: ForwarderOptions;

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /** Answers a JSON-RPC request whose target another process holds; the next handler serves the others. */
  readonly calls: RequestHandler = (req, res, next) => {
    if (this.#options.isForwarded(req)) return this.#run(res, () => this.#serveForwarded(req, res, next));
    return this.#run(res, () => this.#passCall(req, res, next));
  };

  /** Answers a request for an event stream whose target another process holds; the next handler serves the others. */
  readonly streams: RequestHandler = (req, res, next) => {
    if (this.#options.isForwarded(req))
      return this.#run(res, () => this.#serveForwarded(req, res, next, true));
    return this.#run(res, () => this.#passStream(req, res, next));
  };

  #run(res: Response, handle: () => Promise<void>): void {
    handle().catch((error: unknown) => {
      if (!res.destroyed) this.#options.onBug(error);
      res.destroy();
    });
  }

  /**
   * Serves a request that another process has passed on, if this process holds its target: a request is passed on only
   * once.
   */
  async #serveForwarded(req: Request, res: Response, next: () => void, isStream = false): Promise<void> {
    const { signal } = goneOf(res);
    let place: Place;
    try {
      place = await this.#options.place(targetOf(req), signal);
    } catch (error) {
      if (error instanceof HolderChanging) return refuseSigned(res, 'not-yet');
      if (error instanceof RpcError) return this.#answerError(req, res, error, new KeptBody(req));
      throw error;
    }
    if (place !== 'here' && 'url' in place) return refuseSigned(res, 'not-holder');
    this.#keep(res, releaseOf(place), isStream);
    next();
  }

  async #passCall(req: Request, res: Response, next: () => void): Promise<void> {
    const target = targetOf(req);
    const caller = callerOf(req);
    if (!this.#mayKnow(caller, target)) return next();
    const gone = goneOf(res);
    const { login } = caller;
    const body = new KeptBody(req, login === undefined || login === FULL_LOGIN ? undefined : login.name);
    res.once('close', () => body.release());
    try {
      // The body is read first, so that no wait for a slow client lies between the look-up of the holder and the call.
      await body.begin();
      const arrival = await this.#settle({
        target,
        signal: gone.signal,
        message: async () =>
          (await body.complete())
            ? { ...this.#messageOf(req), body: { chunks: body.chunks, length: body.length, hash: body.hash } }
            : undefined,
        isRepeatable: () => this.#mayRepeat(req, body),
      });
      if (arrival.kind === 'error') return await this.#answerError(req, res, arrival.error, body);
      if (arrival.kind === 'answered') return await this.#pass(arrival.attempt, res, false);
      this.#keep(res, arrival.release, false);
      giveBody(req, body.handOver());
      next();
    } catch (error) {
      if (gone.signal.aborted || isLost(req)) return void res.destroy();
      if (!(error instanceof RequestTooLarge)) throw error;
      await this.#answerError(req, res, error, body);
    }
  }

  async #passStream(req: Request, res: Response, next: () => void): Promise<void> {
    const target = targetOf(req);
    if (!this.#mayKnow(callerOf(req), target)) return next();
    const gone = goneOf(res);
    // A client that closes its side gets no more events.
    req.socket.once('end', gone.end);
    const arrival = await this.#settle({
      target,
      signal: gone.signal,
      // The answer to HEAD has no body, and so no records.
      message: () => Promise.resolve({ ...this.#messageOf(req), method: 'GET' }),
      isRepeatable: () => true,
    });
    if (gone.signal.aborted) return void res.destroy();
    if (arrival.kind === 'answered') return this.#pass(arrival.attempt, res, true);
    if (arrival.kind === 'error') {
      const { retryAfter, status: given, message } = arrival.error;
      const status = given === 200 ? 503 : given;
      this.#options.records?.stream({ target, ...senderOf(req) }, status);
      if (retryAfter !== undefined) res.set('Retry-After', String(retryAfter));
      return sendText(res, status, `${message}\n`);
    }
    this.#keep(res, arrival.release, true);
    return next();
  }

  /**
   * Looks for the holder of a target and sends it the request, until a holder has answered or this process has to
   * answer.
   */
  async #settle({ target, signal, message, isRepeatable }: Journey): Promise<Arrival> {
    const { patienceMs = PATIENCE_MS, errors, onFailed } = this.#options;
    let until = performance.now() + patienceMs;
    let pause = FIRST_PAUSE_MS;
    let lost = 0;
    for (;;) {
      let reason: string;
      const isInTime = (): boolean => performance.now() < until && !signal.aborted;
      const found = await this.#find(target, signal);
      if (found instanceof RpcError)
        return { kind: 'error', error: lost > 0 ? errors.unknownOutcome(found.message) : found };
      if (found instanceof HolderChanging) {
        reason = found.message;
        pause = Math.min(pause, CHANGING_PAUSE_MS);
        if (!isInTime())
          return {
            kind: 'error',
            error: lost > 0 ? errors.unknownOutcome(reason) : errors.notReached(target, reason),
          };
      } else if (found === 'here' || 'release' in found) return { kind: 'here', release: releaseOf(found) };
      else {
        const sent = await message();
        // The handlers of this process refuse a body that is too long for any process.
        if (sent === undefined) return { kind: 'here', release: () => undefined };
        const result = await this.#attempt(target, found.url, sent, signal);
        if (result.kind === 'answered') return { kind: 'answered', attempt: result };
        reason = reasonOf(found.url, result);
        const isFalse = result.kind !== 'refused' && result.cause instanceof FalseAnswer;
        if (!signal.aborted) onFailed?.({ url: found.url, reason, isFalse });
        if (result.kind === 'lost' && (lost += 1) < MOST_LOST) until = performance.now() + patienceMs;
        const step = nextStep(result, {
          isRepeatable: result.kind === 'lost' && isRepeatable(),
          mayHaveRun: lost > 0,
          isInTime: isInTime() && lost < MOST_LOST,
        });
        if (step === 'unknown') return { kind: 'error', error: errors.unknownOutcome(reason) };
        if (step === 'refuse') return { kind: 'error', error: errors.notReached(target, reason) };
      }
      await delay(pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
    }
  }

  async #find(target: string, signal: AbortSignal): Promise<Place | HolderChanging | RpcError> {
    try {
      return await this.#options.place(target, signal);
    } catch (error) {
      if (error instanceof HolderChanging || error instanceof RpcError) return error;
      throw error;
    }
  }

  /**
   * Sends a request once. While the answer is awaited, checks at intervals that the receiver still holds the target: a
   * receiver that has lost the target has ended, stopped or is cut off, and its connection may never show it.
   */
  async #attempt(target: string, url: string, message: Message, signal: AbortSignal): Promise<Attempt> {
    const { watchMs = WATCH_MS } = this.#options;
    const over = new AbortController();
    let elsewhere = 0;
    let isLooking = false;
    const look = async (): Promise<void> => {
      if (isLooking) return;
      isLooking = true;
      const place = await this.#find(target, signal).catch(() => undefined);
      isLooking = false;
      if (place === undefined || place instanceof Error) return;
      if (place !== 'here' && 'release' in place) place.release();
      const isThere = place !== 'here' && 'url' in place && originOf(place.url) === originOf(url);
      elsewhere = isThere ? 0 : elsewhere + 1;
      // The attempt ends only after two such look-ups: a holder that hands its target over answers the calls that it
      // has begun.
      if (elsewhere > 1) over.abort();
    };
    const watch = setInterval(() => void look(), watchMs);
    const ended = AbortSignal.any([signal, over.signal]);
    try {
      return await attempt(this.#options, url, message, ended);
    } finally {
      clearInterval(watch);
    }
  }

  #messageOf(req: Request): Message {
    const { login, address } = callerOf(req);
    const signed =
      login === undefined
        ? ({ kind: 'open' } as const)
        : login === FULL_LOGIN
          ? ({ kind: 'full' } as const)
          : ({ kind: 'credential', name: login.name } as const);
    const { method, originalUrl: url, headers } = req;
    return { method, url, headers, login: loginText(signed), client: address };
  }

  #mayKnow(caller: Caller, target: string): boolean {
    return this.#options.mayKnow?.(caller, target) ?? true;
  }

  /** True if all calls of a request are repeatable. */
  #mayRepeat(req: Request, body: KeptBody): boolean {
    if (body.length > ORDINARY_BYTES) return false;
    const hasHeader = req.get('idempotency-key') !== undefined;
    try {
      const request = parseJson(Buffer.concat(body.chunks).toString());
      const calls: readonly unknown[] = Array.isArray(request) ? request : [request];
      return calls.every((call) => {
        if (!isObject(call) || typeof call['method'] !== 'string') return true;
        const { params } = call;
        const hasKey = hasHeader || (isObject(params) && typeof params['idempotency_key'] === 'string');
        return this.#options.isRepeatable(call['method'], hasKey);
      });
    } catch (error) {
      // No call of the request has run.
      if (error instanceof JsonError) return true;
      throw error;
    }
  }

  #keep(res: Response, release: () => void, isStream: boolean): void {
    // A stream lasts as long as its client likes, and ends when the target moves.
    if (isStream || res.closed) release();
    else res.once('close', release);
  }

  async #pass(
    { from, answer, end }: Extract<Attempt, { kind: 'answered' }>,
    res: Response,
    isStream: boolean,
  ): Promise<void> {
    const failure = await passAnswer(answer, res, end, {
      mostWaiting: isStream ? STREAM_WAITING : MOST_WAITING,
      stallMs: isStream ? STREAM_SILENCE_MS : STALL_MS,
      silenceMs: isStream ? STREAM_SILENCE_MS : SILENCE_MS,
      closes: isStream,
    });
    if (failure === undefined) return;
    const isFalse = failure instanceof FalseAnswer;
    this.#options.onFailed?.({ url: from, reason: failure.message, isFalse });
  }

  /** Answers every call of a request with one error. */
  async #answerError(
    req: Request,
    res: Response,
    error: RpcError | RequestTooLarge,
    body: KeptBody,
  ): Promise<void> {
    const { onBug, records } = this.#options;
    const fail: Call = () => Promise.reject(error);
    const failing = new Dispatcher({
      call: records?.calls(fail) ?? fail,
      onBug: (_method, bug) => onBug(bug),
    });
    const type = 'application/json';
    try {
      const answer =
        error instanceof RequestTooLarge
          ? failing.refusal(INVALID_REQUEST, error.message, error.status)
          : await failing.answer(body.handOver(), {
              ...{ target: targetOf(req), ...senderOf(req) },
              errorDetails: asksForDetails(req),
            });
      await sendAnswer(res, { ...(answer ?? NOTHING), type }, onBug);
    } catch (refused) {
      if (!(refused instanceof RequestTooLarge)) throw refused;
      const answer = failing.refusal(INVALID_REQUEST, refused.message, refused.status);
      await sendAnswer(res, { ...answer, type }, onBug);
    }
  }
}

const targetOf = (req: Request): string => (req.params as { readonly target: string }).target;

const releaseOf = (place: 'here' | { readonly release: () => void }): (() => void) =>
  place === 'here' ? () => undefined : place.release;

/** Returns a signal that aborts once the client of a request is gone. */
function goneOf(res: Response): { readonly signal: AbortSignal; readonly end: () => void } {
  const gone = new AbortController();
  const end = (): void => gone.abort();
  res.once('close', end);
  return { signal: gone.signal, end };
}

/** Explains a failed attempt. */
function reasonOf(url: string, result: Exclude<Attempt, { kind: 'answered' }>): string {
  const from = originOf(url);
  if (result.kind === 'refused')
    return `${from}, which holds the wallet, refuses the request: ${result.refusal}`;
  const { code } = result.cause as NodeJS.ErrnoException;
  return `${from}, which holds the wallet, did not answer: ${code ?? result.cause.message}`;
}
