import * as z from 'zod';
import type { AuditLog, AuditRecord } from './access/audit-log.js';
import type { Call, CallOrigin } from '../http/dispatcher.js';
import { RpcError } from '../http/errors.js';
import { StreamedJson } from '../http/json-rows.js';
import { observed, type CallObserver } from '../http/observed-call.js';
import { walletNameOf } from '../services/context/wallet-directory.js';
import type { WalletManager } from '../services/manager/wallet-manager.js';
import type { Json } from '../util/json.js';
import { credentialOf } from './permission.js';
import type { WalletMethod } from './method.js';
import { registry } from './registry.js';

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

/** Text of a parameter that a method has. */
function textParam(
  method: WalletMethod | undefined,
  params: Json | undefined,
  name: string,
): string | undefined {
  if (!(method?.params instanceof z.ZodObject) || !(name in method.params.shape)) return undefined;
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return undefined;
  const { [name]: value } = params as { readonly [name: string]: Json | undefined };
  return typeof value === 'string' ? value : undefined;
}

/** Wallet whose name or keys file the parameter `filename` gives. */
function fileIn(method: WalletMethod, params: Json | undefined): string | undefined {
  const given = textParam(method, params, 'filename');
  return given && walletNameOf(given);
}

/** Wallet that a call concerns: that its parameter names, of its path, of the file that it names, or the current one. */
const walletOf = (
  server: WalletManager,
  method: WalletMethod | undefined,
  params: Json | undefined,
  { target, caller }: CallOrigin,
): string | undefined =>
  textParam(method, params, 'wallet') ??
  target ??
  (method?.meta.needs === 'directory' ? fileIn(method, params) : undefined) ??
  server.scope(undefined, credentialOf(caller)).find()?.name;

const clientOf = ({ caller }: CallOrigin): Pick<AuditRecord, 'credential' | 'client'> => ({
  credential: caller?.login?.name ?? 'none',
  client: caller?.address ?? '',
});

/** Records each call after it ended. */
const recorder =
  (server: WalletManager, log: AuditLog): CallObserver =>
  (name, params, origin) => {
    const wallet = walletOf(server, registry.find(name), params, origin);
    const record = (outcome: 'ok' | number, transactions: readonly string[]): void =>
      log.record({
        ...clientOf(origin),
        method: name,
        ...(wallet === undefined ? {} : { wallet }),
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

/** Checks a large request before it is read to its end. @throws RpcError */
type Admission = (method: string | undefined, origin: CallOrigin) => void;

/** Records refusals of an admission: no call of these requests begins. */
export const auditedAdmission =
  (admit: Admission, log: AuditLog): Admission =>
  (method, origin) => {
    try {
      admit(method, origin);
    } catch (error) {
      if (error instanceof RpcError)
        log.record({
          ...clientOf(origin),
          method: method ?? 'unknown',
          ...(origin.target === undefined ? {} : { wallet: origin.target }),
          outcome: error.code,
        });
      throw error;
    }
  };
