import type * as z from 'zod';
import { formatCoins } from '../../monero/cryptonote/coins.js';
import { amount } from '../../util/amount.js';
import { parseJson, type Json } from '../../util/json.js';
import { writeJson } from '../../util/json-writer.js';

/** JSON-RPC server of a demo. */
export interface DemoServer {
  /** Calls a method. @param result schema of the result. @throws Error with the server's error message. */
  call<T>(method: string, params: Readonly<Record<string, Json>>, result: z.ZodType<T>): Promise<T>;
}

/** Wallet that calls act on, and token of their credential. */
interface Access {
  /** Name of the wallet; absent: the current one. */
  readonly wallet?: string;
  readonly token?: string;
}

/** Returns a client of a JSON-RPC server on a port of this machine. */
export const serverAt = (port: number, { wallet, token }: Access = {}): DemoServer => ({
  async call(method, params, result) {
    const path = wallet === undefined ? '' : `/wallet/${encodeURIComponent(wallet)}`;
    const response = await fetch(`http://127.0.0.1:${port}${path}/json_rpc`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: writeJson({ jsonrpc: '2.0', id: '0', method, params }),
    });
    const reply = parseJson(await response.text()) as Readonly<Record<string, Json>>;
    if (reply['error'] !== undefined)
      throw new Error(
        `${method}: ${String((reply['error'] as { readonly message?: Json }).message ?? 'refused')}`,
      );
    return result.parse(reply['result']);
  },
});

/** Writes an amount for people. */
export const coins = (value: bigint): string => `${formatCoins(amount(value)).replace(/\.?0+$/, '')} XMR`;

/** Shortens an address or a hash for people. */
export const short = (text: string): string => `${text.slice(0, 12)}…${text.slice(-6)}`;
