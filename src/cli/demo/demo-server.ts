import type * as z from 'zod';
import { formatCoins } from '../../monero/cryptonote/coins.js';
import { amount } from '../../util/amount.js';
import { parseJson, type Json } from '../../util/json.js';
import { writeJson } from '../../util/json-writer.js';

type Params = Readonly<Record<string, Json>>;

/** Error of a JSON-RPC answer. */
export interface Refusal {
  readonly code: bigint;
  readonly message: string;
}

/** JSON-RPC server of a demo. */
export interface DemoServer {
  /** Calls a method. @param result schema of the result. @throws Error with the server's error message. */
  call<T>(method: string, params: Params, result: z.ZodType<T>): Promise<T>;
  /** Calls a method that must be refused. @throws Error if it is answered. */
  fails(method: string, params: Params): Promise<Refusal>;
}

/** Node of a demo, with the paths that are no methods of JSON-RPC. */
export interface DemoNode extends DemoServer {
  /** Asks a path of the node. @param result schema of the answer. */
  plain<T>(path: string, params: Params, result: z.ZodType<T>): Promise<T>;
}

/** Wallet that calls act on, and token of their credential. */
interface Access {
  /** Name of the wallet; absent: the current one. */
  readonly wallet?: string;
  readonly token?: string;
}

/** Posts JSON to a path on a port of this machine, and reads JSON. */
async function post(port: number, path: string, body: Json, token?: string): Promise<Params> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: writeJson(body),
  });
  return parseJson(await response.text()) as Params;
}

/** Returns a client of a JSON-RPC server on a port of this machine. */
export function serverAt(port: number, { wallet, token }: Access = {}): DemoServer {
  const path = wallet === undefined ? '' : `/wallet/${encodeURIComponent(wallet)}`;
  const ask = (method: string, params: Params): Promise<Params> =>
    post(port, `${path}/json_rpc`, { jsonrpc: '2.0', id: '0', method, params }, token);
  return {
    async call(method, params, result) {
      const reply = await ask(method, params);
      if (reply['error'] !== undefined)
        throw new Error(
          `${method}: ${String((reply['error'] as { readonly message?: Json }).message ?? 'refused')}`,
        );
      return result.parse(reply['result']);
    },
    async fails(method, params) {
      const { error } = await ask(method, params);
      if (error === undefined) throw new Error(`${method} was answered`);
      return error as Params & Refusal;
    },
  };
}

/** Returns a client of a node on a port of this machine. */
export const nodeAt = (port: number): DemoNode => ({
  ...serverAt(port),
  plain: async (path, params, result) => result.parse(await post(port, path, params)),
});

/** Time between two looks at a state, and number of looks until a demo fails. */
const LOOK = { ms: 100, most: 600 };

/** Looks at a state until a value is present. @throws Error after a minute. */
export async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (let looks = 0; looks < LOOK.most; looks++) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK.ms));
  }
  throw new Error(`${what} did not come`);
}

/** Writes an amount for people. */
export const coins = (value: bigint): string => `${formatCoins(amount(value)).replace(/\.?0+$/, '')} XMR`;

/** Shortens an address or a hash for people. */
export const short = (text: string): string => `${text.slice(0, 12)}…${text.slice(-6)}`;
