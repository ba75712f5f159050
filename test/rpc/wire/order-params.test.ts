import { describe, expect, it, test } from '@jest/globals';
import { params, text, u32, listOf } from '../../../src/http/methods/params.js';
import { RpcError } from '../../../src/http/calls/errors.js';
import {
  orderParams,
  orderTerms,
  withHeaderKey,
  withMismatchStatus,
} from '../../../src/rpc/wire/order-params.js';
import { registry } from '../../../src/rpc/registry.js';
import { toHex } from '../../../src/util/bytes.js';
import type { Json } from '../../../src/util/json.js';
import { WalletError } from '../../../src/model/wallet-error.js';

const earlier = params({ ...orderParams, address: text.default(''), indices: listOf(u32) });
const later = params({
  ...orderParams,
  address: text.default(''),
  indices: listOf(u32),
  parts: u32.default(1),
});

const hashOf = (schema: typeof earlier, args: object, method = 'transfer'): string => {
  const terms = orderTerms(method, schema, schema.parse({ idempotency_key: 'k', ...args }));
  return toHex(terms?.requestHash ?? new Uint8Array());
};

describe('the hash of a request', () => {
  it('does not depend on the order of its members, on defaults that are written out, or on the key', () => {
    const hash = hashOf(earlier, { address: 'a' });
    expect(hashOf(earlier, { indices: [], address: 'a', retry_failed: true })).toBe(hash);
    expect(hashOf(earlier, { address: 'a', idempotency_key: 'another' })).toBe(hash);
    expect(hashOf(earlier, { address: 'a', unknown: 1 })).toBe(hash);
  });

  it('is the same in a version with more parameters', () => {
    expect(hashOf(later, { address: 'a' })).toBe(hashOf(earlier, { address: 'a' }));
    expect(hashOf(later, { address: 'a', parts: 2n })).not.toBe(hashOf(earlier, { address: 'a' }));
  });

  test.each<[string, object, string?]>([
    ['a value', { address: 'b' }],
    ['an item of a list', { address: 'a', indices: [1n] }],
    ['its method', { address: 'a' }, 'transfer_split'],
  ])('differs by %s', (_, args, method = 'transfer') => {
    expect(hashOf(earlier, args, method)).not.toBe(hashOf(earlier, { address: 'a' }));
  });
});

describe('terms of an order', () => {
  it('are absent without a key, which retry_failed needs', () => {
    expect(orderTerms('transfer', earlier, earlier.parse({}))).toBeUndefined();
    expect(() => orderTerms('transfer', earlier, earlier.parse({ retry_failed: true }))).toThrow(RpcError);
  });

  test.each(['', 'k'.repeat(256), 'ä'.repeat(128)])('refuse the key %j', (key) => {
    expect(earlier.safeParse({ idempotency_key: key }).success).toBe(false);
  });
});

describe('a key in the header', () => {
  it('counts as the parameter of methods that take one, and is ignored by others', () => {
    const origin = { idempotencyKey: 'k' };
    expect(withHeaderKey(earlier, { address: 'a' }, origin)).toEqual({ address: 'a', idempotency_key: 'k' });
    expect(withHeaderKey(earlier, undefined, origin)).toEqual({ idempotency_key: 'k' });
    expect(withHeaderKey(params({ address: text }), { address: 'a' }, origin)).toEqual({ address: 'a' });
    expect(withHeaderKey(earlier, { address: 'a' }, {})).toEqual({ address: 'a' });
  });

  it('must equal the parameter', () => {
    expect(withHeaderKey(earlier, { idempotency_key: 'k' }, { idempotencyKey: 'k' })).toEqual({
      idempotency_key: 'k',
    });
    expect(() => withHeaderKey(earlier, { idempotency_key: 'j' }, { idempotencyKey: 'k' })).toThrow(RpcError);
  });

  it.each([[[{ address: 'a' }]], ['a'], [5n], [false]])(
    'does not make an object of parameters that are none (%#)',
    (given) => {
      expect(() => withHeaderKey(earlier, given as Json, { idempotencyKey: 'k' })).toThrow(
        expect.objectContaining({ code: -32602 }),
      );
    },
  );

  it('of another request is answered with HTTP 422', () => {
    const shown = new RpcError(-54, 'no', { explanation: 'why' });
    const mismatch = new WalletError({ kind: 'order_mismatch', method: 'transfer' });
    expect(withMismatchStatus(mismatch, shown)).toMatchObject({
      ...{ code: -54, message: 'no', data: { explanation: 'why' }, status: 422 },
    });
    expect(withMismatchStatus(new WalletError({ kind: 'order_missing' }), shown)).toBe(shown);
  });
});

test('every method that pays takes a key', () => {
  const keyed = ['transfer', 'transfer_split', 'sweep_all', 'sweep_single', 'sweep_dust'];
  for (const name of [...keyed, 'sweep_unmixable', 'submit_transfer', 'submit_multisig'])
    expect([
      name,
      withHeaderKey(registry.find(name)?.params ?? earlier, {}, { idempotencyKey: 'k' }),
    ]).toEqual([name, { idempotency_key: 'k' }]);
});
