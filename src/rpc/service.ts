import type { Logger } from 'pino';
import { methodNotFound, type Call } from '../http/calls/dispatcher.js';
import { writeRows } from '../http/calls/json-rows.js';
import { readParams, readParamsObject } from '../http/methods/params.js';
import { misspeltParams } from '../http/methods/unknown-params.js';
import type { Credential } from './access/credential.js';
import type { WalletManager } from '../services/manager/wallet-manager.js';
import { faultOf } from '../model/wallet-error.js';
import { assertAllowed, assertValid, countCall, credentialOf, spenderOf } from './access/permission.js';
import { adaptFault, adaptReply, adaptRequest, type ApiVersion } from './api-version.js';
import { toRpcError } from './faults/client-error.js';
import { withHeaderKey, withMismatchStatus } from './wire/order-params.js';
import { passGate, passRestriction } from './calls/gate.js';
import { holdCall } from './calls/hold.js';
import { ADDITION, type WalletMethod } from './method.js';
import { registry } from './registry.js';
import { settling } from './calls/settling.js';

/** Lists the methods that restricted mode and a credential allow. */
const callable = ({ settings }: WalletManager, credential: Credential | undefined): readonly WalletMethod[] =>
  registry.methods.filter(
    ({ name, meta }) =>
      !(meta.restricted && settings.restricted) && (credential?.allowsMethod(name, meta.family) ?? true),
  );

/** Largest number of misspelt parameters that the log names, each once. */
const MOST_NOTED = 100;

/**
 * Creates a function that explains which ignored parameters of a call are misspelt; the log has each explanation once.
 * Methods of the reference ignore unknown parameters, as in the reference: a payment with a misspelt `priority` has
 * another fee than its client asks for.
 */
function misspeltNotes(log: Logger): (method: WalletMethod, given: unknown) => string | undefined {
  const noted = new Set<string>();
  return ({ name, params, source }, given) => {
    if (source === ADDITION) return undefined;
    const misspelt = misspeltParams(params, readParamsObject(given));
    if (misspelt === undefined) return undefined;
    const line = `Ignored a parameter of ${name}: ${misspelt}`;
    if (noted.size < MOST_NOTED && !noted.has(line)) {
      noted.add(line);
      log.warn(line);
    }
    return misspelt;
  };
}

/**
 * Creates the call function of a server. It checks credential, restricted mode, parameters and gate, runs the handler,
 * and adapts result and errors to the version.
 */
export function createCall(server: WalletManager, version: ApiVersion, log: Logger): Call {
  const noteMisspelt = misspeltNotes(log);
  return async (name, rawParams, origin) => {
    const credential = credentialOf(origin.caller);
    if (credential !== undefined) countCall(credential);
    const scope = server.scope(origin.target, credential);
    const method = registry.find(name);
    if (method === undefined) throw methodNotFound(name, registry.names);
    if (credential !== undefined) assertAllowed(credential, method);
    log.debug({ method: method.name }, 'request');
    passRestriction(method.meta, server);
    const withKey = withHeaderKey(method.params, rawParams, origin);
    const parsed = (await readParams(method.params, withKey, {
      isOwn: method.source === ADDITION,
      others: method.others,
    })) as Readonly<Record<string, unknown>>;
    const misspelt = noteMisspelt(method, withKey);
    const toClientError = (error: unknown): unknown => {
      const known = toRpcError(error, method, { daemonAddress: server.daemonAddress ?? '' });
      const shown = (misspelt === undefined ? known : known?.withNote(misspelt)) ?? error;
      return origin.idempotencyKey !== undefined ? withMismatchStatus(error, shown) : shown;
    };
    const run = async (): ReturnType<Call> => {
      const context = passGate(method.meta, server, scope, version, {
        credential,
        methods: () => callable(server, credential),
        spender: credential && spenderOf(credential),
        client: { credential: credential?.name, address: origin.caller?.address },
      });
      const params = adaptRequest(version, method.name, parsed);
      const reply = await method.handle(context, params);
      // Answers of our own methods have all lists; only answers of methods of the reference leave out empty lists.
      const rules = { emptyLists: method.source === ADDITION };
      return writeRows(adaptReply(version, method.name, reply), toClientError, rules);
    };
    try {
      const { arrived } = origin;
      const hasWaited = await holdCall(server, scope, { method, params: rawParams, arrived });
      if (hasWaited && credential !== undefined) assertValid(credential);
      return await settling(server, scope, method, run);
    } catch (error) {
      const fault = faultOf(error);
      const answer = fault && adaptFault(version, method.name, fault);
      if (answer !== undefined) return writeRows(answer);
      throw toClientError(error);
    }
  };
}
