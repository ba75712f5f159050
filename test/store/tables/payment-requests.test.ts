import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { amount } from '../../../src/util/amount.js';
import { CREATED, idOf, newRequest, openRequest, StoredRequests } from '../../support/stored-requests.js';
import { bytes } from '../fixtures.js';

let wallet: StoredRequests;
beforeEach(() => {
  wallet = new StoredRequests();
});
afterEach(() => wallet.close());

const listed = (filter: { readonly state?: never } | object = {}, limit = 100, before = 1e9): string[] =>
  wallet.store.read((r) => r.requests.list({ ...filter, limit, before })).map(({ requestId }) => requestId);

describe('a request', () => {
  it('is found by its id, address, reference and token, with every term', () => {
    const request = newRequest(7, {
      ...{ tolerance: amount(3n), confirmations: 12, expires: CREATED + 9, reference: 'o-1' },
      ...{ metadata: '{"n":18446744073709551615}', returnUrl: 'https://shop.example/' },
    });
    wallet.add(newRequest(6), request);
    const found = wallet.request(7);
    expect(found).toMatchObject({ ...request, sequence: 2, ended: false, state: 'waiting' });
    wallet.store.read(({ requests }) => {
      expect(requests.byAddress({ major: 0, minor: 7 })).toEqual(found);
      expect(requests.byReference('o-1')).toEqual(found);
      expect(requests.byToken(request.token)).toEqual(found);
      expect(requests.byId(idOf(5))).toBeUndefined();
      expect(requests.byAddress({ major: 1, minor: 7 })).toBeUndefined();
      expect(requests.byReference('o')).toBeUndefined();
      expect(requests.byToken(new Uint8Array(16))).toBeUndefined();
    });
  });

  it('without an amount, an expiry and a reference has none of them', () => {
    wallet.add(openRequest(1));
    expect(Object.keys(wallet.request(1))).not.toEqual(
      expect.arrayContaining(['amount', 'expires', 'reference', 'metadata', 'returnUrl', 'cancelled']),
    );
  });

  it('is found by the key of the call that created it, with the hash of its parameters', () => {
    const paramsHash = bytes<Hash>(9);
    wallet.add(newRequest(1, { idempotency: { key: 'k', paramsHash } }));
    expect(wallet.store.read((r) => r.requests.byKey('k'))).toEqual({
      request: wallet.request(1),
      paramsHash,
    });
    expect(wallet.store.read((r) => r.requests.byKey('K'))).toBeUndefined();
  });

  it.each([
    ['id', { requestId: idOf(1) }],
    ['address', { subaddress: { major: 0, minor: 1 } }],
    ['reference', { reference: 'r' }],
    ['token', { token: new Uint8Array(16).fill(1) }],
    ['key', { idempotency: { key: 'k', paramsHash: bytes<Hash>(1) } }],
  ])('shares its %s with no other', (_, same) => {
    wallet.add(newRequest(1, { reference: 'r', idempotency: { key: 'k', paramsHash: bytes<Hash>(2) } }));
    expect(() => wallet.add(newRequest(2, same))).toThrow(/UNIQUE/);
    expect(listed()).toEqual([idOf(1)]);
  });

  it('has one address although another account has the same minor index', () => {
    wallet.add(newRequest(1), newRequest(2, { subaddress: { major: 1, minor: 1 } }));
    wallet.mine([[1, 1, 100n]]);
    expect(wallet.request(1).state).toBe('confirming');
    expect(wallet.request(2).state).toBe('waiting');
  });
});

describe('the list of requests', () => {
  beforeEach(() => {
    wallet.add(...Array.from({ length: 9 }, (_, i) => newRequest(i + 1, { reference: `r${i + 1}` })));
    wallet.mine([
      [1, 3, 100n],
      [2, 5, 50n],
      [3, 8, 100n],
    ]);
  });

  it('has the latest first, page by page', () => {
    expect(listed({}, 4)).toEqual([9, 8, 7, 6].map(idOf));
    expect(listed({}, 4, 6)).toEqual([5, 4, 3, 2].map(idOf));
    expect(listed({}, 4, 2)).toEqual([1].map(idOf));
    expect(listed({}, 4, 1)).toEqual([]);
  });

  it('has the requests in one state, page by page', () => {
    expect(listed({ state: 'confirming' })).toEqual([8, 3].map(idOf));
    expect(listed({ state: 'confirming' }, 1)).toEqual([8].map(idOf));
    expect(listed({ state: 'confirming' }, 1, 8)).toEqual([3].map(idOf));
    expect(listed({ state: 'partial' })).toEqual([5].map(idOf));
    expect(listed({ state: 'paid' })).toEqual([]);
  });

  it('has the one with a reference, unless its state or the cursor leaves it out', () => {
    expect(listed({ reference: 'r5' })).toEqual([idOf(5)]);
    expect(listed({ reference: 'r5', state: 'partial' })).toEqual([idOf(5)]);
    expect(listed({ reference: 'r5', state: 'paid' })).toEqual([]);
    expect(listed({ reference: 'r5' }, 1, 5)).toEqual([]);
    expect(listed({ reference: 'r50' })).toEqual([]);
  });
});

describe('expiries', () => {
  it('that have passed are listed once, the earliest first, some at a time', () => {
    wallet.add(
      newRequest(1, { expires: CREATED + 30 }),
      newRequest(2, { expires: CREATED + 10 }),
      newRequest(3),
      newRequest(4, { expires: CREATED + 20 }),
      newRequest(5, { expires: CREATED + 10 }),
    );
    const passed = (now: number, limit = 9): string[] =>
      wallet.store.read((r) => r.requests.expiring(now, limit)).map(({ requestId }) => requestId);
    const next = (): number | undefined => wallet.store.read((r) => r.requests.nextExpiry());
    expect(next()).toBe(CREATED + 10);
    expect(passed(CREATED + 10)).toEqual([]);
    expect(passed(CREATED + 21)).toEqual([2, 5, 4].map(idOf));
    expect(passed(CREATED + 21, 2)).toEqual([2, 5].map(idOf));
    wallet.time = CREATED + 21;
    wallet.expire();
    expect(passed(CREATED + 21)).toEqual([]);
    expect(next()).toBe(CREATED + 30);
    wallet.time = CREATED + 31;
    wallet.expire();
    expect(next()).toBeUndefined();
  });
});

describe('the payments to an address', () => {
  const amounts = (minor: number): bigint[] =>
    wallet.store
      .read((r) => r.requests.paymentsTo([{ major: 0, minor }])({ major: 0, minor }))
      .map((payment) => payment.amount);

  beforeEach(() => wallet.add(newRequest(1), newRequest(2)));

  it('are one for each transaction, in the order of blocks, with the mempool last', () => {
    wallet.see(9, 1, 9n);
    wallet.mine([
      [1, 1, 5n],
      [1, 1, 6n],
      [1, 2, 70n],
    ]);
    wallet.mine([[2, 1, 3n]]);
    expect(amounts(1)).toEqual([11n, 3n, 9n]);
    expect(amounts(2)).toEqual([70n]);
  });

  it('leave out change and burnt outputs', () => {
    wallet.mine([
      [1, 1, 5n, { change: true }],
      [2, 1, 6n, { publicKey: bytes(77) }],
      [3, 1, 6n, { publicKey: bytes(77) }],
    ]);
    expect(amounts(1)).toEqual([6n]);
  });

  it('credit only the difference when a one-time key is paid twice', () => {
    wallet.mine([[2, 1, 60n, { publicKey: bytes(77) }]]);
    wallet.mine([[3, 1, 100n, { publicKey: bytes(77) }]]);
    expect(amounts(1)).toEqual([60n, 40n]);
    expect(wallet.request(1).state).toBe('confirming');
  });

  it('are those that were reported until a rescan has found them again or passed their blocks', () => {
    wallet.mine([
      [1, 1, 60n],
      [2, 1, 5n],
    ]);
    wallet.clear();
    expect(amounts(1)).toEqual([60n, 5n]);
    for (let height = 0; height < 10; height++) wallet.mine([], height);
    expect(amounts(1)).toEqual([60n, 5n]);
    wallet.mine([[1, 1, 60n]], 10);
    expect(amounts(1)).toEqual([60n]);
  });
});
