import type * as z from 'zod';
import { parseJson, type Json } from '../../util/json.js';
import { writeJson } from '../../util/json-writer.js';

/** JSON-RPC server of the demo. */
export interface DemoServer {
  /** Calls a method. @param result schema of the result. @throws Error with the server's error message. */
  call<T>(method: string, params: Readonly<Record<string, Json>>, result: z.ZodType<T>): Promise<T>;
}

/** Returns a client of a JSON-RPC server on a port of this machine. */
export const serverAt = (port: number): DemoServer => ({
  async call(method, params, result) {
    const response = await fetch(`http://127.0.0.1:${port}/json_rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
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
