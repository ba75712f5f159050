import type { AuditLog } from '../access/audit-log.js';
import type { Call, CallOrigin } from '../jsonrpc/dispatcher.js';
import { RpcError } from '../jsonrpc/errors.js';
import { StreamedJson } from '../jsonrpc/json-rows.js';
import { observed, type CallObserver } from '../jsonrpc/observed-call.js';
import type { WalletManager } from '../services/manager/wallet-manager.js';
import type { Json } from '../util/json.js';
import { credentialOf } from './access.js';
import { registry } from './registry.js';

/** Longest name that is recorded [characters]: clients choose them. */
const MAX_NAME = 200;
const INTERNAL_ERROR = -32603;
const UNAVAILABLE = 503;

const isHash = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) && !/^0+$/.test(value);

/** Transaction hashes in a result. */
function hashesIn(result: unknown): string[] {
  if (typeof result !== 'object' || result === null || result instanceof StreamedJson) return [];
  const { tx_hash: one, tx_hash_list: list } = result as { tx_hash?: unknown; tx_hash_list?: unknown };
  return [one, ...(Array.isArray(list) ? (list as readonly unknown[]) : [])].filter(isHash);
}

/** Hashes of the payments that were relayed before a later one of the same call failed. */
const hashesInError = ({ message }: RpcError): string[] =>
  (/relayed before it: ([0-9a-f, ]+)/.exec(message)?.[1] ?? '').split(', ').filter(isHash);

/** Wallet that a call concerns: of its path, of the file that it names, or the current one. */
function walletOf(
  server: WalletManager,
  isAboutFiles: boolean,
  params: Json | undefined,
  { target, caller }: CallOrigin,
): string | undefined {
  if (target !== undefined) return target;
  if (isAboutFiles && typeof params === 'object' && params !== null && !Array.isArray(params)) {
    const { filename } = params as { readonly filename?: unknown };
    if (typeof filename === 'string') return filename;
  }
  return server.scope(undefined, credentialOf(caller)).find()?.name;
}

/** Records each call after it ended. */
const recorder =
  (server: WalletManager, log: AuditLog): CallObserver =>
  (name, params, origin) => {
    const meta = registry.find(name)?.meta;
    const wallet = walletOf(server, meta?.needs === 'directory', params, origin);
    const record = (outcome: 'ok' | number, transactions: readonly string[]): void =>
      log.record({
        credential: origin.caller?.login?.name ?? 'none',
        client: origin.caller?.address ?? '',
        method: name.slice(0, MAX_NAME),
        ...(wallet === undefined ? {} : { wallet: wallet.slice(0, MAX_NAME) }),
        outcome,
        ...(transactions.length === 0 ? {} : { transactions }),
      });
    return (outcome) => {
      if ('result' in outcome) record('ok', hashesIn(outcome.result));
      else if (outcome.error instanceof RpcError) record(outcome.error.code, hashesInError(outcome.error));
      else record(INTERNAL_ERROR, []);
    };
  };

/** Refuses methods of the families spend and admin before they begin, while the log cannot be written. */
const refusingUnrecorded =
  (call: Call, log: AuditLog): Call =>
  async (name, params, origin) => {
    const family = registry.find(name)?.meta.family;
    if ((family === 'spend' || family === 'admin') && !log.isWritable())
      throw new RpcError(-1, 'the audit log cannot be written: spending and administration are refused', {
        status: UNAVAILABLE,
      });
    return call(name, params, origin);
  };

/**
 * Records each call after it ended. While the log cannot be written, methods of the families spend and admin are
 * refused before they begin.
 */
export const audited = (
  call: Call,
  server: WalletManager,
  log: AuditLog,
  onBug: (error: unknown, method: string) => void,
): Call => observed(refusingUnrecorded(call, log), recorder(server, log), onBug);
