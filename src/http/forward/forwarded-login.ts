import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';
import { systemClock, type TimeOfDay } from '../../util/clock.js';
import { addressOf, setCaller, type Login } from '../message/caller.js';
import { giveBody } from '../message/request-body.js';
import { sendText } from '../message/handler.js';
import { askForBody, sealAnswer } from './sealed-answer.js';
import {
  originOf,
  OUTCOME,
  readLogin,
  SERVED,
  SIGNATURE,
  verify,
  type Envelope,
  type Refusal,
  type SignedLogin,
  type Signer,
} from './signature.js';

/** Logins of this process, for requests whose login another process has checked. */
export interface KnownLogins {
  /** True if this process requires no login. */
  readonly isOpen: boolean;
  /** Login of `--rpc-login`; absent: the option is not set. */
  readonly full?: Login | undefined;
  /** Finds a credential by its name. */
  credential(name: string): Login | undefined;
}

/** A signed request that was refused. */
export interface RefusedSignature {
  readonly refusal: Refusal;
  /** IP address of the connection. */
  readonly address: string;
  /** Time of the signature minus time of this process [ms], for the refusal `time`. */
  readonly ahead?: number;
}

type Refused = Omit<RefusedSignature, 'address'>;

interface Accepted {
  readonly envelope: Envelope;
  readonly login: SignedLogin;
  readonly caller: { readonly login?: Login };
}

export interface ForwardedLoginOptions {
  readonly signer: Signer;
  /** Address at which the other processes reach this process. */
  readonly url: string;
  readonly logins: KnownLogins;
  /** Called with each refusal. */
  readonly onRefused: (refused: RefusedSignature) => void;
  /**
   * Called with each connection that is known to come from another process: limits on connections and the deadline for
   * a login do not apply to it.
   */
  readonly onMember?: (socket: Socket) => void;
  readonly clock?: TimeOfDay;
}

const TEXTS: { readonly [R in Refusal]: string } = {
  version: 'The signature is of another version of wallet-rpc.',
  signature: 'The signature of this request is wrong: the processes of a cluster need the same secret.',
  time: 'The time of the signature differs by more than 30 seconds from the time of this process.',
  seen: 'This request was seen before, or was signed before this process started.',
  login: 'This process has no such login: the processes of a cluster need the same logins.',
  'not-holder': 'Another process of the cluster holds this wallet, and a request is passed on once.',
  'not-yet': 'This process does not hold the wallet yet.',
};

const STATUS: { readonly [R in Refusal]: number } = {
  version: 401,
  signature: 401,
  time: 401,
  seen: 401,
  login: 403,
  'not-holder': 421,
  'not-yet': 503,
};

/** Error of a body that differs from the signed body. No part of the request has run. */
class BodyChanged extends Error {
  override readonly name = 'BodyChanged';
  readonly status = STATUS.signature;
}

/** Refuses a signed request before any part of it has run. */
export function refuseSigned(res: Response, refusal: Refusal): void {
  // The body of the request, which the sender keeps back, may never arrive.
  res.set({ [OUTCOME]: refusal, Connection: 'close' });
  sendText(res, STATUS[refusal], `${TEXTS[refusal]}\n`);
}

/** True for a request that sends its body once its handler has asked for it. */
export const keepsBodyBack = (req: IncomingMessage): boolean => req.headers[SIGNATURE] !== undefined;

/**
 * Login of requests that another process of the cluster signed, in place of the login of a client. The other process
 * has checked the login of the client; this process applies the rules and limits of the login.
 */
export class ForwardedLogin {
  readonly #options: ForwardedLoginOptions;
  readonly #to: string;
  readonly #nonces: SeenNonces;
  readonly #accepted = new WeakMap<IncomingMessage, SignedLogin>();
  readonly #members = new WeakSet<Socket>();
  readonly #clock: TimeOfDay;

  constructor(options: ForwardedLoginOptions) {
    this.#options = options;
    this.#to = originOf(options.url);
    this.#clock = options.clock ?? systemClock;
    this.#nonces = new SeenNonces(this.#clock);
  }

  /** True for a request of a client that another process has passed on. */
  readonly isForwarded = (req: IncomingMessage): boolean => {
    const kind = this.#accepted.get(req)?.kind;
    return kind !== undefined && kind !== 'member';
  };

  /** True for a call of another process itself. */
  readonly isOfMember = (req: IncomingMessage): boolean => this.#accepted.get(req)?.kind === 'member';

  /** Accepts or refuses a signed request; ignores other requests. */
  readonly handler: RequestHandler = (req, res, next) => {
    if (req.headers[SIGNATURE] === undefined) return next();
    const checked = this.#check(req);
    if ('refusal' in checked) {
      this.#options.onRefused({ ...checked, address: addressOf(req) });
      return refuseSigned(res, checked.refusal);
    }
    const { envelope, login, caller } = checked;
    this.#accepted.set(req, login);
    setCaller(req, { address: envelope.client, ...caller });
    const onChanged = (): void => this.#options.onRefused({ refusal: 'signature', address: addressOf(req) });
    const { signer } = this.#options;
    sealAnswer(res, signer, String(req.headers[SIGNATURE]));
    giveBody(req, checkedBody(req, res, signer, envelope, onChanged));
    res.set(OUTCOME, SERVED);
    const refusal = caller.login?.refusalFrom(envelope.client);
    // The answer is the same as the answer of the other process, whose rules may be older.
    if (refusal !== undefined) return sendText(res, refusal.status, `${refusal.reason}\n`);
    return next();
  };

  #check(req: Request): Accepted | Refused {
    const envelope = verify(this.#options.signer, req);
    if (typeof envelope === 'string') return { refusal: envelope };
    if (envelope.to !== this.#to) return { refusal: 'signature' };
    // Only another process has the secret.
    if (!this.#members.has(req.socket)) {
      this.#members.add(req.socket);
      this.#options.onMember?.(req.socket);
    }
    const check = this.#nonces.use(envelope.nonce, envelope.time);
    if (check === 'time') return { refusal: check, ahead: envelope.time - this.#clock.now() };
    if (check === 'seen') return { refusal: check };
    const login = readLogin(envelope.login);
    if (login === undefined) return { refusal: 'version' };
    const caller = this.#callerFor(login);
    return caller === undefined ? { refusal: 'login' } : { envelope, login, caller };
  }

  /** Returns the login of a caller; undefined if this process has no such login. */
  #callerFor(signed: SignedLogin): { readonly login?: Login } | undefined {
    const { logins } = this.#options;
    if (signed.kind === 'member') return {};
    if (signed.kind === 'open') return logins.isOpen ? {} : undefined;
    const login = signed.kind === 'full' ? logins.full : logins.credential(signed.name);
    return login && { login };
  }
}

/**
 * Asks for the body of a signed request, and checks it: an error follows the last chunk of a body that differs from the
 * signed body.
 * @param onChanged called before that error.
 */
async function* checkedBody(
  req: Request,
  res: Response,
  signer: Signer,
  { bodyHash }: Envelope,
  onChanged: () => void,
): AsyncGenerator<Uint8Array> {
  if (/^100-continue$/i.test(req.headers.expect ?? ''))
    askForBody(res, signer, String(req.headers[SIGNATURE]));
  const hash = createHash('sha256');
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    hash.update(chunk as Uint8Array);
    yield chunk as Uint8Array;
  }
  if (hash.digest('hex') === bodyHash) return;
  onChanged();
  res.set(OUTCOME, 'signature' satisfies Refusal);
  throw new BodyChanged('the body of a signed request differs from the signed one');
}

/** Largest difference between the time of a signature and the time of its check [ms]. */
export const WINDOW_MS = 30_000;

/** Largest number of nonces that are remembered, about 30 MB; 4,000 requests a second use the whole number. */
const MOST_NONCES = 1 << 18;

export type NonceCheck = 'fresh' | 'seen' | 'time';

/**
 * Remembers the nonces of signed requests while their time is accepted. Once a nonce is forgotten for any reason, no
 * request that was signed up to its time is accepted: so no request is accepted twice, even if there are too many
 * nonces, the clock is set back, or the process restarts.
 */
export class SeenNonces {
  readonly #clock: TimeOfDay;
  readonly #most: number;
  /** Time of the signature [Unix ms] by nonce, in the order of arrival. */
  readonly #times = new Map<string, number>();
  /** Time up to which no signature is accepted [Unix ms]. */
  #floor: number;

  constructor(clock: TimeOfDay, most = MOST_NONCES) {
    this.#clock = clock;
    this.#most = most;
    // The nonces that an earlier process on this address has seen are unknown.
    this.#floor = clock.now();
  }

  get size(): number {
    return this.#times.size;
  }

  /**
   * Uses a nonce. To be called only after the tag was checked. @param time time of the signature [Unix ms].
   * @returns `seen` also for a request that may have been seen: the sender signs the request anew.
   */
  use(nonce: string, time: number): NonceCheck {
    const now = this.#clock.now();
    if (Math.abs(now - time) > WINDOW_MS) return 'time';
    if (time <= this.#floor || this.#times.has(nonce)) return 'seen';
    this.#times.set(nonce, time);
    this.#forget(now);
    return 'fresh';
  }

  #forget(now: number): void {
    for (const [nonce, time] of this.#times) {
      if (now - time <= WINDOW_MS && this.#times.size <= this.#most) return;
      this.#times.delete(nonce);
      this.#floor = Math.max(this.#floor, time);
    }
  }
}
