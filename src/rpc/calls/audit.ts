import type { Family } from '../access/credential.js';
import type { AuditLog, AuditRecord } from '../access/audit-log.js';
import { type Call, type CallOrigin, observed, type CallObserver } from '../../http/calls/dispatcher.js';
import { RpcError } from '../../http/calls/errors.js';
import { StreamedJson } from '../../http/calls/json-rows.js';
import type { ForwardingRecords } from '../../http/forward/forwarder.js';
import type { WalletManager } from '../../services/manager/wallet-manager.js';
import type { Json } from '../../util/json.js';
import { credentialOf } from '../access/permission.js';
import type { WalletMethod } from '../method.js';
import { namedWallet } from './hold.js';
import { registry } from '../registry.js';

const INTERNAL_ERROR = -32603;
const UNAVAILABLE = 503;

const isHash = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) && !/^0+$/.test(value);

/** Lists the transaction hashes in a result. */
function hashesIn(result: unknown): string[] {
  if (typeof result !== 'object' || result === null || result instanceof StreamedJson) return [];
  const { tx_hash: one, tx_hash_list: list } = result as { tx_hash?: unknown; tx_hash_list?: unknown };
  return [one, ...(Array.isArray(list) ? (list as readonly unknown[]) : [])].filter(isHash);
}

/** Lists the hashes in the error of a call that failed after it had relayed payments. */
const hashesInError = ({ message }: RpcError): string[] =>
  (/relayed before it: ([0-9a-f, ]+)/.exec(message)?.[1] ?? '').split(', ').filter(isHash);

/**
 * Returns the wallet that a call concerns: the wallet that a parameter names, the wallet of the path, the wallet of the
 * named file, or the current wallet.
 */
const walletOf = (
  server: WalletManager,
  method: WalletMethod | undefined,
  params: Json | undefined,
  { target, caller }: CallOrigin,
): string | undefined =>
  namedWallet(method, params, target) ?? server.scope(undefined, credentialOf(caller)).find()?.name;

const senderFacts = ({
  caller,
  trace,
}: CallOrigin): Pick<AuditRecord, 'credential' | 'client' | 'traceparent'> => ({
  credential: caller?.login?.name ?? 'none',
  client: caller?.address ?? '',
  ...(trace === undefined ? {} : { traceparent: trace.traceparent }),
});

/** Creates a function that records a call after it ended. */
const recorder =
  (server: WalletManager, log: AuditLog): CallObserver =>
  (name, params, origin) => {
    const wallet = walletOf(server, registry.find(name), params, origin);
    const record = (outcome: 'ok' | number, transactions: readonly string[]): void =>
      log.record({
        ...senderFacts(origin),
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

/** Families of methods that run although the log cannot be written. */
const UNRECORDED: ReadonlySet<Family> = new Set(['view', 'receive']);

/**
 * Wraps a call function: while the log cannot be written, refuses methods that spend, administer or act on payouts before
 * they begin.
 */
const refusingUnrecorded =
  (call: Call, log: AuditLog): Call =>
  async (name, params, origin) => {
    const family = registry.find(name)?.meta.family;
    if (family !== undefined && !UNRECORDED.has(family) && !log.isWritable())
      throw new RpcError(-1, 'the audit log cannot be written: spending and administration are refused', {
        status: UNAVAILABLE,
      });
    return call(name, params, origin);
  };

/** Wraps a call function: records each call after it ended. */
export const recorded = (
  call: Call,
  server: WalletManager,
  log: AuditLog,
  onBug: (error: unknown, method: string) => void,
): Call => observed(call, recorder(server, log), onBug);

/**
 * Wraps a call function: records each call after it ended. While the log cannot be written, refuses methods of the
 * families spend and admin before they begin.
 */
export const audited = (
  call: Call,
  server: WalletManager,
  log: AuditLog,
  onBug: (error: unknown, method: string) => void,
): Call => recorded(refusingUnrecorded(call, log), server, log, onBug);

/** Records an event stream. @param outcome `ok`, or the HTTP status of the stream's refusal. */
export const recordStream = (log: AuditLog, origin: CallOrigin, outcome: 'ok' | number): void =>
  log.record({
    ...senderFacts(origin),
    method: 'events',
    ...(origin.target === undefined ? {} : { wallet: origin.target }),
    outcome,
  });

/**
 * Records requests that a process of a cluster can neither serve nor pass on, since no other process has a line for
 * such requests.
 */
export const forwardingRecords = (
  server: WalletManager,
  log: AuditLog,
  onBug: (error: unknown, method: string) => void,
): ForwardingRecords => ({
  calls: (call) => recorded(call, server, log, onBug),
  stream: (origin, status) => recordStream(log, origin, status),
});

/** Checks a large request before its body is read completely. @throws RpcError */
type Admission = (method: string | undefined, origin: CallOrigin) => void;

/** Wraps an admission check: records its refusals, after which no call begins. */
export const auditedAdmission =
  (admit: Admission, log: AuditLog): Admission =>
  (method, origin) => {
    try {
      admit(method, origin);
    } catch (error) {
      if (error instanceof RpcError)
        log.record({
          ...senderFacts(origin),
          method: method ?? 'unknown',
          ...(origin.target === undefined ? {} : { wallet: origin.target }),
          outcome: error.code,
        });
      throw error;
    }
  };
