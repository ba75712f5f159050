import type { Credential } from '../access/credential.js';
import type { CallOrigin } from '../../http/calls/dispatcher.js';
import type { WalletManager } from '../../services/manager/wallet-manager.js';
import { assertAllowed, assertRate, assertValid, credentialOf, denied } from '../access/permission.js';
import { passRestriction } from './gate.js';
import { registry } from '../registry.js';
import * as z from 'zod';

/** Checks that a credential allows at least one method whose requests may be large. @throws RpcError */
function assertAnyLarge(credential: Credential): void {
  const large = registry.methods.filter(({ requestSize = 'ordinary' }) => requestSize !== 'ordinary');
  if (!large.some(({ name, meta }) => credential.allowsMethod(name, meta.family)))
    throw denied(`credential ${credential.name}: methods with requests of this size are not allowed`);
}

/**
 * Returns a check of large requests that runs before their body is read completely, by the same rules as their calls
 * except the rate limit. The method is undefined until its name was read; the check throws an RpcError.
 */
export const admission =
  (server: Pick<WalletManager, 'settings'>) =>
  (name: string | undefined, { caller }: CallOrigin): void => {
    const credential = credentialOf(caller);
    const method = name === undefined ? undefined : registry.find(name);
    if (credential !== undefined) {
      assertValid(credential);
      assertRate(credential, credential.rate?.wait());
      if (method === undefined) assertAnyLarge(credential);
      else assertAllowed(credential, method);
    }
    if (method !== undefined) passRestriction(method.meta, server);
  };

/**
 * True for a method whose second run changes nothing beyond its first: a method that only reads, or a method whose call
 * has an idempotency key. @param hasKey true if the call has an idempotency key.
 */
export function isRepeatable(name: string, hasKey: boolean): boolean {
  const method = registry.find(name);
  if (method === undefined) return true;
  if (method.meta.family === 'view') return true;
  const { params } = method;
  return hasKey && params instanceof z.ZodObject && 'idempotency_key' in params.shape;
}
