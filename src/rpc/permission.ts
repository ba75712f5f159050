import { Credential } from './access/credential.js';
import type { Family } from './access/family.js';
import type { Caller } from '../http/caller.js';
import { FULL_LOGIN } from '../http/digest-auth.js';
import { RpcError } from '../http/errors.js';
import type { Spender } from '../monero/wallet/model/spender.js';
import { FAULTS } from './faults/fault-table.js';
import type { WalletMethod } from './method.js';

const TOO_MANY_REQUESTS = 429;

/** Returns the credential of a client; undefined for a client with all rights. */
export function credentialOf(caller: Caller | undefined): Credential | undefined {
  const login = caller?.login;
  if (login === undefined || login === FULL_LOGIN) return undefined;
  if (login instanceof Credential) return login;
  throw new Error('a login without known rights');
}

/** Refusal by a rule of a credential. */
export const denied = (
  message: string,
  options: { readonly status?: number; readonly retryAfter?: number } = {},
): RpcError => new RpcError(FAULTS.credential_denied.code, message, options);

/** @throws RpcError for a credential that was changed or removed, or has expired. */
export function assertValid(credential: Credential): void {
  const refusal = credential.refusal(Date.now());
  if (refusal !== undefined) throw denied(refusal.reason, { status: refusal.status });
}

/** @param wait time until a call is allowed again [ms]. @throws RpcError if there is any. */
export function assertRate({ name, rules }: Credential, wait = 0): void {
  if (wait <= 0) return;
  const { requests = 0, seconds = 0 } = rules.rate ?? {};
  throw denied(`credential ${name}: more than ${requests} requests in ${seconds} seconds`, {
    status: TOO_MANY_REQUESTS,
    retryAfter: Math.ceil(wait / 1000),
  });
}

/**
 * Counts a call of a credential, which must be valid still: the calls of a batch take time.
 * @throws RpcError
 */
export function countCall(credential: Credential): void {
  assertValid(credential);
  assertRate(credential, credential.rate?.take());
}

/** @throws RpcError for a method that neither its family nor its name allows. */
export function assertAllowed(
  credential: Credential,
  { name, meta }: Pick<WalletMethod, 'name' | 'meta'>,
): void {
  if (!credential.allowsMethod(name, meta.family))
    throw denied(`credential ${credential.name}: method ${name} is not allowed`);
}

/** Limits of the payments of a credential. */
export const spenderOf = ({ rules, mayLock }: Credential): Spender => ({
  name: rules.name,
  addresses: rules.addresses,
  limits: rules.spend ?? {},
  ...(mayLock ? { mayLock } : {}),
});

/**
 * Whether a client may use a page about all wallets of the server. A credential must be valid for every wallet name, and
 * for a method that shows or does the same.
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
