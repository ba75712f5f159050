import { z } from 'zod';
import { resultSchema } from '../src/rpc/api-version.js';
import type { WalletMethod } from '../src/rpc/method.js';
import { eitherMembers, membersOf, type Member } from './client-schema.js';

/** First line of the generated files. */
export const HEAD =
  '// Written by `npm run docs` from the method registry, `src/rpc/registry.ts`: edit that.';

/** Method in the form in which the client calls it. */
export interface ClientMethod {
  readonly name: string;
  readonly summary: string;
  /** Rule for repetitions. `read`: a call may always be sent again; `order`: with an idempotency key; `act`: never. */
  readonly kind: 'read' | 'order' | 'act';
  readonly params: readonly Member[];
  /** Members of the result, in all API versions. */
  readonly result: readonly Member[];
}

/** True for a method that changes nothing: restricted mode serves no method of the family `receive` that does. */
const isRead = ({ family, restricted }: WalletMethod['meta']): boolean =>
  family === 'view' || (family === 'receive' && !restricted);

function kindOf({ meta }: WalletMethod, params: readonly Member[]): ClientMethod['kind'] {
  if (isRead(meta)) return 'read';
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

/** Returns the methods of the client, sorted by name. */
export const clientMethods = (methods: readonly WalletMethod[]): ClientMethod[] =>
  [...methods].sort((a, b) => (a.name < b.name ? -1 : 1)).map(clientMethod);
