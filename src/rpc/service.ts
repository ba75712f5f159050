import type { Logger } from 'pino';
import { methodNotFound, type Call } from '../jsonrpc/dispatcher.js';
import { INVALID_PARAMS, RpcError } from '../jsonrpc/errors.js';
import type { WalletServer } from '../services/wallet-server.js';
import { WalletError } from '../wallet/fault.js';
import { adaptFault, adaptReply, adaptRequest, type ApiVersion } from './api-version.js';
import { toRpcError } from './error-map.js';
import { passGate } from './gate.js';
import { registry } from './registry.js';

/** Names what does not fit, never its value. */
const complaint = (
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): string =>
  issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`))
    .join('; ');

/** Ties the methods to a server: parameters, gate, version, handler, errors. */
export function createCall(server: WalletServer, version: ApiVersion, log: Logger): Call {
  return async (name, given) => {
    const method = registry.find(name);
    if (method === undefined) throw methodNotFound();
    log.debug({ method: method.name }, 'request');
    const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
    const parsed = method.params.safeParse(
      isObject ? dropNulls(given as Readonly<Record<string, unknown>>) : {},
    );
    if (!parsed.success)
      throw new RpcError(INVALID_PARAMS, `Invalid params: ${complaint(parsed.error.issues)}`);
    try {
      const context = passGate(method.meta, server);
      const params = adaptRequest(version, method.name, parsed.data as Readonly<Record<string, unknown>>);
      return adaptReply(version, method.name, await method.handle(context, params));
    } catch (error) {
      const answer = error instanceof WalletError ? adaptFault(version, method.name, error.fault) : undefined;
      if (answer !== undefined) return answer;
      throw toRpcError(error, method.meta) ?? error;
    }
  };
}

/** A parameter that is null counts as absent. */
const dropNulls = (params: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
