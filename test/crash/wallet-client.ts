import type { Loose } from '../support/network/json-rpc.js';
import type { WalletRpc } from '../support/processes/wallet-rpc.js';

/** Server, or the path of a wallet, that answers calls. */
export type Callable = Pick<WalletRpc, 'call'>;

/** Error answer of the server, as opposed to a broken connection. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: number;

  constructor(method: string, code: number, message: string) {
    super(`${method}: ${code} ${message}`);
    this.code = code;
  }
}

/** Calls a server that may be killed meanwhile. @throws Refusal, or the error of a broken connection. */
export async function ask(server: Callable, method: string, params: object = {}): Promise<Loose> {
  const { result, error } = await server.call(method, params);
  if (error !== undefined) throw new Refusal(method, error.code, error.message);
  return result;
}
