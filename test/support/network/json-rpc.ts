import { untilReady, type RunningProcess } from '../processes/process.js';

/** Reply to a call. Integers beyond 2^53 lose digits; tests that need them read the text. */
export interface Reply {
  readonly result?: Record<string, unknown>;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly explanation: string };
  };
}

/** Untyped JSON of test servers. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Loose = any;

export async function post(
  port: number,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

/**
 * One call, errors included, with explanations where our server has them.
 * @param path of a wallet, where it is not that of the current one. @param token of a credential, where one is required.
 */
export async function call(
  port: number,
  method: string,
  params: unknown = {},
  path = '/json_rpc',
  token?: string,
): Promise<Reply> {
  const asked = { jsonrpc: '2.0', id: '0', method, params };
  const { text } = await post(port, path, asked, { 'error-details': 'yes', ...bearer(token) });
  return JSON.parse(text) as Reply;
}

/** Headers of the login with a token; none without one. */
export const bearer = (token: string | undefined): Readonly<Record<string, string>> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

/** Path of one wallet. */
export const walletPath = (name: string): string => `/wallet/${encodeURIComponent(name)}/json_rpc`;

/** Calls of one wallet by its path. */
export interface WalletCalls {
  /** A call that must succeed. */
  rpc(method: string, params?: unknown): Promise<Loose>;
  /** A call, errors included. */
  call(method: string, params?: unknown): Promise<Reply>;
}

export const walletCalls = (port: number, name: string, token?: string): WalletCalls => ({
  rpc: (method, params) => result(port, method, params, walletPath(name), token),
  call: (method, params) => call(port, method, params, walletPath(name), token),
});

/** Code and message of an error, with the explanation that only our server gives. */
const textOf = ({ code, message, data }: NonNullable<Reply['error']>): string =>
  `${code} ${message}${data === undefined ? '' : ` (${data.explanation})`}`;

/** One call that must succeed. @throws Error with the server's words. */
export async function result(
  port: number,
  method: string,
  params: unknown = {},
  path = '/json_rpc',
  token?: string,
): Promise<Loose> {
  const reply = await call(port, method, params, path, token);
  if (reply.error !== undefined) throw new Error(`${method}: ${textOf(reply.error)}`);
  return reply.result;
}

export type Rpc = (method: string, params?: unknown) => Promise<Loose>;

/**
 * Polls until a server answers a request. One that requires a login answers 401.
 * @throws Error as {@link untilReady} does.
 */
export const untilAnswers = (
  program: RunningProcess,
  what: string,
  port: number,
  { path, body }: { readonly path: string; readonly body: unknown },
): Promise<void> =>
  untilReady(
    program,
    what,
    async () => [200, 401].includes((await post(port, path, body)).status) || undefined,
  );
