import { Credential, type Family } from './credential.js';
import type { Spender } from '../../model/spender.js';
import type { Caller } from '../../http/message/caller.js';
import { FULL_LOGIN } from '../../http/login/authentication.js';
import { RpcError } from '../../http/calls/errors.js';
import { FAULTS } from '../faults/fault-table.js';

const TOO_MANY_REQUESTS = 429;

/** Returns the credential of a client; undefined for a client with all rights. */
export function credentialOf(caller: Caller | undefined): Credential | undefined {
  const login = caller?.login;
  if (login === undefined || login === FULL_LOGIN) return undefined;
  if (login instanceof Credential) return login;
  throw new Error('a login without known rights');
}

/** Creates the error for a call that a rule of a credential refuses. */
export const denied = (
  message: string,
  options: { readonly status?: number; readonly retryAfter?: number } = {},
): RpcError => new RpcError(FAULTS.credential_denied.code, message, options);

/**
 * Checks that a credential may still be used.
 * @throws RpcError if the credential was changed or removed, or has expired.
 */
export function assertValid(credential: Credential): void {
  const refusal = credential.refusal();
  if (refusal !== undefined) throw denied(refusal.reason, { status: refusal.status });
}

/**
 * Checks the rate limit of a credential. @param wait time until a call is allowed again [ms].
 * @throws RpcError if the time is not 0.
 */
export function assertRate({ name, rules }: Credential, wait = 0): void {
  if (wait <= 0) return;
  const { requests = 0, seconds = 0 } = rules.rate ?? {};
  throw denied(`credential ${name}: more than ${requests} requests in ${seconds} seconds`, {
    status: TOO_MANY_REQUESTS,
    retryAfter: Math.ceil(wait / 1000),
  });
}

/**
 * Counts a call of a credential, and checks that the credential is still valid: during a long batch it may expire.
 * @throws RpcError
 */
export function countCall(credential: Credential): void {
  assertValid(credential);
  assertRate(credential, credential.rate?.take());
}

/** Checks that a credential allows a method, by its family or its name. @throws RpcError */
export function assertAllowed(
  credential: Credential,
  { name, meta }: { readonly name: string; readonly meta: { readonly family: Family } },
): void {
  if (!credential.allowsMethod(name, meta.family))
    throw denied(`credential ${credential.name}: method ${name} is not allowed`);
}

/** Returns the limits for payments of a credential. */
export const spenderOf = ({ rules, mayLock }: Credential): Spender => ({
  name: rules.name,
  addresses: rules.addresses,
  limits: rules.spend ?? {},
  ...(mayLock ? { mayLock } : {}),
});

/**
 * True if a client may use a page about all wallets of the server. A credential must allow every wallet name, and a
 * method with the same content or effect.
 */
export function mayUsePage(
  caller: Caller | undefined,
  { name, family }: { readonly name: string; readonly family: Family },
): boolean {
  const credential = credentialOf(caller);
  return (
    credential === undefined ||
    (credential.rules.wallets.includes('*') && credential.allowsMethod(name, family))
  );
}
