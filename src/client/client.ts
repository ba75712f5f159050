import { parseFingerprint } from '../util/certificates.js';
import { JsonError } from '../util/json.js';
import type { CallOptions, ClientParams, ClientValue, OrderOptions } from './call-options.js';
import { WalletHttpError } from './errors.js';
import { followEvents } from './events.js';
import { Login, HttpTransport, type ServerAddress } from './transport.js';
import { METHOD_KINDS, RESULT_SHAPES, type MethodKind } from './method-table.js';
import type { EventType, WalletMethods } from './methods.js';
import type { ClientOptions, EventOf, EventOptions } from './options.js';
import { toClientValue, type Shape } from './results.js';
import { RpcCaller } from './rpc-caller.js';

export type * from './call-options.js';
export * from './errors.js';
export type * from './methods.js';
export type * from './options.js';
export { isWebhookTest, verifyWebhook, WebhookError } from './webhook.js';
export type { VerifyOptions, WebhookErrorReason, WebhookHeaders } from './webhook.js';
export { seenInMemory, webhookHandler } from './webhook-handler.js';
export type { SeenEvents, WebhookHandler, WebhookHandlerOptions } from './webhook-handler.js';
export type { BodyReader, FetchRequest, NodeRequest, NodeResponse } from './webhook-body.js';

/** Methods and events of one wallet. */
export interface WalletClient extends WalletMethods {
  /**
   * Calls a method by its name, for methods that this version of the client does not know.
   * @throws WalletClientError; the reason of the signal.
   */
  call(method: string, params?: ClientParams, options?: CallOptions): Promise<ClientValue>;
  /**
   * Yields the events of the wallet in the order of their ids, without gaps and repetitions, across lost connections
   * and restarts of the server. Without a wallet name, the client yields the events of all open wallets.
   * @param options with `types`, the events have these types alone.
   */
  events<Type extends EventType = EventType>(
    options?: EventOptions<Type>,
  ): AsyncGenerator<EventOf<Type>, never, void>;
}

/** Client of a server, with the methods and events of one wallet. */
export interface Client extends WalletClient {
  /** Returns the methods and events of another wallet, over the same connections. @param name name of the wallet. */
  wallet(name: string): WalletClient;
  /** Ends all calls and streams with an error, and closes the connections. */
  close(): void;
}

/** HTTP status of every answer with a result. */
const OK = 200;
const DEFAULTS = { timeout: 0, retries: 3, opening: 300_000, connections: 8 };
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Parses the address of a server. @throws TypeError for any other text. */
function readUrl(text: string | URL): URL {
  const url = new URL(text);
  if (!(url.protocol in PORTS)) throw new TypeError('the url begins with http: or https:');
  if (url.username !== '' || url.password !== '')
    throw new TypeError('a login belongs in auth, not in the url');
  if (url.search !== '' || url.hash !== '') throw new TypeError('the url has neither query nor fragment');
  return url;
}

function addressOf(url: URL, { ca, fingerprint = [] }: ClientOptions): ServerAddress {
  const fingerprints = [fingerprint].flat().map((text) => {
    const digits = parseFingerprint(text);
    if (digits === undefined) throw new TypeError('a fingerprint is SHA-256: 64 hex digits');
    return digits;
  });
  const tls = url.protocol === 'https:';
  if (!tls && (ca !== undefined || fingerprints.length > 0))
    throw new TypeError('certificates are those of an https: url');
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (PORTS[url.protocol] ?? 0) : Number(url.port),
    ...{ tls, fingerprints },
    ...(ca === undefined ? {} : { ca }),
  };
}

/** Checks a number in the options. @throws RangeError unless it is an integer of at least `least`. */
function readCount(name: string, value: number, least: number): number {
  if (!Number.isSafeInteger(value) || value < least)
    throw new RangeError(`${name} is an integer from ${least} on`);
  return value;
}

const kindOf = (method: string): MethodKind | undefined =>
  Object.hasOwn(METHOD_KINDS, method) ? METHOD_KINDS[method as keyof typeof METHOD_KINDS] : undefined;

const shapeOf = (method: string): Shape | undefined =>
  Object.hasOwn(RESULT_SHAPES, method) ? RESULT_SHAPES[method as keyof typeof RESULT_SHAPES] : undefined;

/**
 * Adds the idempotency key in the options to the parameters.
 * @throws TypeError for a method without keys, and if the parameters contain another key: a call must not be sent
 * without its key.
 */
function withKey(method: string, params: ClientParams, key: string | undefined): ClientParams {
  if (key === undefined) return params;
  if (kindOf(method) !== 'order') throw new TypeError(`${method} takes no idempotency key`);
  const own = params['idempotency_key'];
  if (own !== undefined && own !== key) throw new TypeError('two different idempotency keys');
  return { ...params, idempotency_key: key };
}

/** Creates the client of one wallet. @param prefix path before `/json_rpc` and `/events`. */
function walletClient(prefix: string, caller: RpcCaller, transport: HttpTransport): WalletClient {
  const call = async (
    method: string,
    given: ClientParams = {},
    { idempotencyKey, ...options }: OrderOptions = {},
  ): Promise<ClientValue> => {
    const params = withKey(method, given, idempotencyKey);
    const kind = kindOf(method);
    const isRepeatable = kind === 'read' || (kind === 'order' && params['idempotency_key'] !== undefined);
    const result = await caller.call({ path: `${prefix}/json_rpc`, method, params, isRepeatable }, options);
    try {
      return toClientValue(result, shapeOf(method));
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      throw new WalletHttpError(method, OK, `the answer is ${error.message}`);
    }
  };
  const methods = Object.fromEntries(
    Object.keys(METHOD_KINDS).map((method) => [
      method,
      (params?: ClientParams, options?: OrderOptions) => call(method, params, options),
    ]),
  ) as unknown as WalletMethods;
  // The server sends events of the asked types alone.
  const events = <Type extends EventType>(options: EventOptions<Type> = {}) =>
    followEvents({ transport, path: `${prefix}/events` }, options) as AsyncGenerator<
      EventOf<Type>,
      never,
      void
    >;
  return { ...methods, call, events };
}

/** Creates a client, which connects at its first call. @throws TypeError, RangeError for invalid options. */
export function createClient(options: ClientOptions): Client {
  const { auth, wallet, timeout, retries, opening, connections } = { ...DEFAULTS, ...options };
  const url = readUrl(options.url);
  const limits = {
    timeout: readCount('timeout', timeout ?? DEFAULTS.timeout, 0),
    retries: readCount('retries', retries ?? DEFAULTS.retries, 0),
    opening: readCount('opening', opening ?? DEFAULTS.opening, 0),
    connections: readCount('connections', connections ?? DEFAULTS.connections, 1),
  };
  const transport = new HttpTransport(addressOf(url, options), url.host, new Login(auth), limits.connections);
  const caller = new RpcCaller(transport, limits);
  const base = url.pathname.replace(/\/+$/, '');
  const at = (name: string | undefined): WalletClient =>
    walletClient(
      name === undefined ? base : `${base}/wallet/${encodeURIComponent(name)}`,
      ...([caller, transport] as const),
    );
  return {
    ...at(wallet),
    wallet: at,
    close: () => transport.close(),
  };
}
