import type { CallOrigin } from '../jsonrpc/dispatcher.js';
import { assertAllowed, assertRate, assertValid, credentialOf, denied } from './access.js';
import { registry } from './registry.js';

/**
 * Refuses a large request before it is read to its end, by the rules that will hold for its call, which is counted later.
 * @param name of its method; undefined until it was read. @throws RpcError
 */
export function admitLarge(name: string | undefined, { caller }: CallOrigin): void {
  const credential = credentialOf(caller);
  if (credential === undefined) return;
  assertValid(credential);
  assertRate(credential, credential.rate?.wait());
  const method = name === undefined ? undefined : registry.find(name);
  if (method !== undefined) return assertAllowed(credential, method);
  const long = registry.methods.filter(({ requestSize = 'ordinary' }) => requestSize !== 'ordinary');
  if (!long.some(({ name: one, meta }) => credential.allowsMethod(one, meta.family)))
    throw denied(`credential ${credential.name}: methods with requests of this size are not allowed`);
}
