import { createHmac } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { Caller, Login } from '../../../src/http/message/caller.js';
import { authentication, FULL_LOGIN } from '../../../src/http/login/authentication.js';
import { Dispatcher, type CallOrigin } from '../../../src/http/calls/dispatcher.js';
import { RpcError } from '../../../src/http/calls/errors.js';
import type { EventSource } from '../../../src/http/message/event-stream.js';
import {
  ForwardedLogin,
  keepsBodyBack,
  type ForwardedLoginOptions,
  type KnownLogins,
  type RefusedSignature,
} from '../../../src/http/forward/forwarded-login.js';
import { Forwarder, type ForwarderOptions, type Place } from '../../../src/http/forward/forwarder.js';
import { memberActions, MemberCalls, type MemberAction } from '../../../src/http/forward/member-calls.js';
import { MemberConnections, type MemberTls } from '../../../src/http/forward/member-connections.js';
import type { Signer } from '../../../src/http/forward/signature.js';
import { createHttpApp } from '../../../src/http/http-app.js';
import { HttpServer, type TlsOptions } from '../../../src/http/server/http-server.js';
import { JsonRows, writeRows } from '../../../src/http/calls/json-rows.js';
import { yieldToEventLoop } from '../../../src/util/event-loop.js';
import type { Json } from '../../../src/util/json.js';
import type { RequestTrace } from '../../../src/util/trace.js';
import { until } from '../fakes/until.js';

/** Tags under a secret that is a text. */
export const signerOf = (secret: string): Signer => ({
  tag: (purpose, part) => createHmac('sha256', secret).update(`${purpose}\0`).update(part).digest(),
});

/** Credentials of the tests, by token: their names are the tokens. */
export function testLogins(
  ...names: readonly string[]
): KnownLogins & { readonly byName: Map<string, Login> } {
  const byName = new Map(
    names.map((name): [string, Login] => [name, { name, refusalFrom: () => undefined }]),
  );
  return { isOpen: false, full: FULL_LOGIN, byName, credential: (name) => byName.get(name) };
}

export interface ClusterProcessOptions {
  /** Name of the process in its answers. */
  readonly name: string;
  readonly secret?: string;
  readonly logins?: KnownLogins;
  readonly login?: Partial<ForwardedLoginOptions>;
  readonly forward?: Partial<ForwarderOptions>;
  readonly actions?: { readonly [name: string]: MemberAction };
  readonly tls?: TlsOptions;
  readonly memberTls?: MemberTls;
  readonly maxConnections?: number;
  /** Port behind which the other processes see this one; absent: its own. */
  readonly seenAt?: (port: number) => Promise<string>;
  /** Further methods. */
  readonly methods?: {
    readonly [name: string]: (params: Json | undefined, origin: CallOrigin) => Promise<Json>;
  };
  readonly source?: (target: string | undefined, caller: Caller, lastEventId?: string) => EventSource;
}

/** A process of a cluster, whose calls show where they ran. */
export interface ClusterProcess {
  readonly port: number;
  readonly url: string;
  readonly calls: MemberCalls;
  readonly http: HttpServer;
  /** Methods of the calls that ran here, with their clients. */
  readonly ran: {
    readonly method: string;
    readonly target: string | undefined;
    readonly caller: Caller | undefined;
    readonly trace: RequestTrace | undefined;
  }[];
  readonly refused: RefusedSignature[];
  readonly failed: string[];
  /** Failures in which a program outside the cluster has answered, or changed an answer. */
  readonly falseAnswers: string[];
  readonly bugs: unknown[];
  /** Places of targets; absent: here. */
  readonly places: Map<string, Place | (() => Promise<Place>)>;
  /** Number of pages of long answers that were read. */
  pagesRead(): number;
  close(): Promise<void>;
}

/** Starts a process on a free port. @returns once it accepts requests that are signed now. */
export async function startClusterProcess(options: ClusterProcessOptions): Promise<ClusterProcess> {
  const { name, logins, methods = {}, source } = options;
  const signer = signerOf(options.secret ?? 'secret');
  const connections = new MemberConnections(options.memberTls);
  const ran: ClusterProcess['ran'] = [];
  const refused: RefusedSignature[] = [];
  const failed: string[] = [];
  const falseAnswers: string[] = [];
  const bugs: unknown[] = [];
  const places: ClusterProcess['places'] = new Map();
  let pagesRead = 0;
  const pagesOf = async function* (sizes: readonly number[]): AsyncGenerator<string[]> {
    for (const size of sizes) {
      await yieldToEventLoop();
      pagesRead += 1;
      yield ['x'.repeat(size)];
    }
  };
  const onBug = (bug: unknown): void => void bugs.push(bug);
  const dispatcher = new Dispatcher({
    sizeOf: (method) => (method === 'long' ? 'long-list' : 'ordinary'),
    call: async (method, params, origin) => {
      ran.push({ method, target: origin.target, caller: origin.caller, trace: origin.trace });
      const own = methods[method];
      if (own !== undefined) return own(params, origin);
      const { caller, target, idempotencyKey } = origin;
      if (method === 'denied')
        throw new RpcError(-60, 'too many', { status: 429, retryAfter: 7, explanation: 'of them' });
      if (method === 'pages')
        return writeRows({
          list: JsonRows.of({
            pages: pagesOf((params as { sizes: bigint[] }).sizes.map(Number)),
            release: () => undefined,
          }),
        });
      if (method === 'length') return { length: BigInt((params as { text: string }).text.length) };
      return {
        ...{ here: name, target: target ?? null, key: idempotencyKey ?? null },
        ...{ login: caller?.login?.name ?? null, client: caller?.address ?? null },
        params: params ?? null,
      };
    },
    onBug: (_method, bug) => onBug(bug),
  });
  let handler: RequestListener = () => undefined;
  const started = new HttpServer({
    handler: (req, res) => handler(req, res),
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    continuesItself: keepsBodyBack,
    maxConnections: options.maxConnections ?? 100,
    maxPerPrivateIp: options.maxConnections ?? 100,
    maxPerPublicIp: 100,
  });
  const port = await started.listen('127.0.0.1', 0);
  const url =
    (await options.seenAt?.(port)) ?? `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  const known = logins ?? { isOpen: true, credential: () => undefined };
  const login = new ForwardedLogin({
    ...{ signer, url, logins: known, onRefused: (one: RefusedSignature) => refused.push(one) },
    onMember: (socket) => started.exempt(socket),
    ...options.login,
  });
  const forwarder = new Forwarder({
    ...{ connections, signer, onBug },
    place: async (target) => {
      const place = places.get(target) ?? 'here';
      return typeof place === 'function' ? place() : place;
    },
    isForwarded: login.isForwarded,
    isRepeatable: (method, hasKey) => method.startsWith('get_') || (hasKey && method === 'pay'),
    errors: {
      notReached: (target, reason) =>
        new RpcError(-67, `${target} is not reached: ${reason}`, { status: 503, retryAfter: 1 }),
      unknownOutcome: (reason) => new RpcError(-66, `the outcome is unknown: ${reason}`),
    },
    onFailed: ({ reason, isFalse }) => {
      failed.push(reason);
      if (isFalse) falseAnswers.push(reason);
    },
    patienceMs: 1_500,
    ...options.forward,
  });
  handler = createHttpApp({
    dispatcher,
    targetPath: '/wallet/:target/json_rpc',
    ...{ origins: ['https://shop.example'], hosts: [], onBug },
    ...(logins === undefined
      ? {}
      : { auth: authentication({ byUser: () => undefined, byToken: (token) => logins.credential(token) }) }),
    ...(source === undefined
      ? {}
      : {
          streams: ['/events', '/wallet/:target/events'].map((path) => ({
            path,
            open: ({ target, caller, lastEventId }) => source(target, caller, lastEventId),
          })),
        }),
    forwarding: {
      login: login.handler,
      isForwarded: login.isForwarded,
      actions: memberActions({ actions: options.actions ?? {}, isOfMember: login.isOfMember, onBug }),
      calls: forwarder.calls,
      streams: forwarder.streams,
    },
  });
  // A request that was signed up to the start of its receiver is refused as one that may have been seen.
  const begun = Date.now();
  await until('the next millisecond', () => Date.now() > begun);
  return {
    ...{ port, url, http: started, ran, refused, failed, falseAnswers, bugs, places },
    pagesRead: () => pagesRead,
    calls: new MemberCalls({ connections, signer }),
    close: async () => {
      connections.close();
      await started.close(0);
    },
  };
}
