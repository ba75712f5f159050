import { z } from 'zod';
import { resultSchema } from '../src/rpc/api-version.js';
import type { WalletMethod } from '../src/rpc/method.js';
import { eitherMembers, membersOf, type Member } from './client-schema.js';

/** First line of the files that are written. */
export const HEAD =
  '// Written by `npm run docs` from the method registry, `src/rpc/registry.ts`: edit that.';

/** Method as the client calls it. */
export interface ClientMethod {
  readonly name: string;
  readonly summary: string;
  /** Whether a call may be sent again: always, with an idempotency key, or never. */
  readonly kind: 'read' | 'order' | 'act';
  readonly params: readonly Member[];
  /** Members of the result in any API version. */
  readonly result: readonly Member[];
}

function kindOf({ meta }: WalletMethod, params: readonly Member[]): ClientMethod['kind'] {
  if (meta.family === 'view') return 'read';
  return params.some(({ name }) => name === 'idempotency_key') ? 'order' : 'act';
}

function clientMethod(method: WalletMethod): ClientMethod {
  const { name, summary } = method;
  if (!(method.params instanceof z.ZodObject)) throw new Error(`${name}: parameters are no object`);
  const params = membersOf(method.params, 'params');
  const [first, second] = (['1.3', '1.32'] as const).map((version) =>
    membersOf(resultSchema(version, method), 'result'),
  );
  const result = eitherMembers(first ?? [], second ?? []);
  return { name, summary, kind: kindOf(method, params), params, result };
}

/** Methods of the client, sorted by name. */
export const clientMethods = (methods: readonly WalletMethod[]): ClientMethod[] =>
  [...methods].sort((a, b) => (a.name < b.name ? -1 : 1)).map(clientMethod);
