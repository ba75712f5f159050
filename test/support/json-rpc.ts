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
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Loose = any;

export async function post(
  port: number,
  path: string,
  body: unknown,
): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

/** Makes a call; the reply may be an error. */
export async function call(port: number, method: string, params: unknown = {}): Promise<Reply> {
  const { text } = await post(port, '/json_rpc', { jsonrpc: '2.0', id: '0', method, params });
  return JSON.parse(text) as Reply;
}

/** Makes a call that must succeed. @throws Error with the server's message. */
export async function result(port: number, method: string, params: unknown = {}): Promise<Loose> {
  const reply = await call(port, method, params);
  if (reply.error !== undefined) throw new Error(`${method}: ${reply.error.code} ${reply.error.message}`);
  return reply.result;
}

export type Rpc = (method: string, params?: unknown) => Promise<Loose>;
