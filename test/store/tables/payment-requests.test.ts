import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash } from '../../../src/monero/crypto/types.js';
import type { RequestState } from '../../../src/model/payment-request.js';
import type { RequestFilter } from '../../../src/store/tables/payment-requests.js';
import type { ReportedRequest } from '../../../src/store/tables/request-row.js';
import { amount } from '../../../src/util/amount.js';
import {
  CREATED,
  idOf,
  newRequest,
  openRequest,
  StoredRequests,
} from '../../support/wallets/stored-requests.js';
import { bytes } from '../fixtures.js';

let wallet: StoredRequests;
beforeEach(() => {
  wallet = new StoredRequests();
});
afterEach(() => wallet.close());

const listed = (states: readonly RequestState[] = [], limit = 100, before = 1e9): string[] =>
  wallet.store.read((r) => r.requests.inStates(states, before, limit)).map(({ requestId }) => requestId);

const callWith = (key: string, fill: number) => ({
  ...{ key, method: 'create_payment_request' },
  requestHash: bytes<Hash>(fill),
});

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
    const found = wallet.request(1);
    expect([found.amount, found.expires, found.cancelled]).toEqual([undefined, undefined, undefined]);
    for (const name of ['reference', 'metadata', 'returnUrl']) expect(found).not.toHaveProperty(name);
  });

  it('is identified by its address, with the amount and the reference that it has', () => {
    wallet.add(newRequest(1, { reference: 'o-1' }), openRequest(2));
    wallet.store.read(({ requests }) => {
      const identity = { requestId: idOf(1), reference: 'o-1', amount: 100n };
      expect(requests.identityOf({ major: 0, minor: 1 })).toStrictEqual(identity);
      expect(requests.identityOf({ major: 0, minor: 2 })).toStrictEqual({ requestId: idOf(2) });
      expect(requests.identityOf({ major: 1, minor: 1 })).toBeUndefined();
      expect(requests.identityOf({ major: 0, minor: 3 })).toBeUndefined();
    });
  });

  it('is found by the key of the call that created it, with the hash of its parameters', () => {
    const call = callWith('k', 9);
    wallet.add(newRequest(1, { call }));
    expect(wallet.store.read((r) => r.requests.byKey('k'))).toEqual({
      request: wallet.request(1),
      call: { ...call, sequence: 1 },
    });
    expect(wallet.store.read((r) => r.requests.byKey('K'))).toBeUndefined();
  });

  it.each([
    ['id', { requestId: idOf(1) }],
    ['address', { subaddress: { major: 0, minor: 1 } }],
    ['reference', { reference: 'r' }],
    ['token', { token: new Uint8Array(16).fill(1) }],
    ['key', { call: callWith('k', 1) }],
  ])('shares its %s with no other', (_, same) => {
    wallet.add(newRequest(1, { reference: 'r', call: callWith('k', 2) }));
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
    expect(listed([], 4)).toEqual([9, 8, 7, 6].map(idOf));
    expect(listed([], 4, 6)).toEqual([5, 4, 3, 2].map(idOf));
    expect(listed([], 4, 2)).toEqual([1].map(idOf));
    expect(listed([], 4, 1)).toEqual([]);
  });

  it('has the requests in one state, page by page', () => {
    expect(listed(['confirming'])).toEqual([8, 3].map(idOf));
    expect(listed(['confirming'], 1)).toEqual([8].map(idOf));
    expect(listed(['confirming'], 1, 8)).toEqual([3].map(idOf));
    expect(listed(['partial'])).toEqual([5].map(idOf));
    expect(listed(['paid'])).toEqual([]);
    expect(listed(['partial', 'confirming', 'partial'])).toEqual([8, 5, 3].map(idOf));
    expect(listed(['partial', 'confirming'], 2)).toEqual([8, 5].map(idOf));
    expect(listed(['partial', 'confirming'], 2, 5)).toEqual([3].map(idOf));
  });

  it.each<[string, RequestFilter, readonly number[]]>([
    ['a reference', { states: [], reference: 'r5' }, [5]],
    ['a reference and states', { states: ['partial', 'paid'], reference: 'r5' }, [5]],
    ['a reference, and other states', { states: ['paid'], reference: 'r5' }, []],
    ['a text of the reference', { states: [], text: 'r5' }, [5]],
    ['a text of the id', { states: [], text: idOf(4).slice(3) }, [4]],
    ['a text of the label', { states: [], text: 'ord' }, [7]],
    ['a text of the metadata', { states: [], text: '"table":4' }, [10]],
    ['a text, without notes', { states: [], text: 'r5', byNotes: false }, []],
    ['a text that is a pattern of SQL', { states: [], text: '%' }, []],
    ['states, and a bound of the amount', { states: ['confirming', 'partial'], minAmount: 100n }, [8, 5, 3]],
    ['a range of the amount', { states: [], minAmount: 101n, maxAmount: (1n << 64n) - 1n }, [10]],
    ['a range of the received amount', { states: [], minReceived: 1n, maxReceived: 99n }, [5]],
    ['the time of creation', { states: [], createdSince: CREATED + 1 }, [11]],
    ['the time of the latest change', { states: ['waiting'], changedSince: CREATED + 1 }, [11]],
    ['an account', { states: [], account: 1 }, []],
  ])('has the ones with %s', (_, filter, expected) => {
    wallet.store.write((w) => {
      w.subaddresses.setLabel({ major: 0, minor: 7 }, 'an order');
      w.requests.add(newRequest(10, { metadata: '{"table":4}', amount: amount(101n) }));
      w.requests.add(newRequest(11, { created: CREATED + 1 }));
    });
    const found = wallet.store.read((r) => r.requests.matching(filter, { from: 1, to: 1e9 }, 100));
    expect(found.map(({ requestId }) => requestId)).toEqual(expected.map(idOf));
  });
});

describe('the state that events have reported', () => {
  const other: ReportedRequest = {
    ...{ state: 'partial', received: amount(1n), paid: amount(2n), locked: amount(3n), late: amount(4n) },
    ...{ isExpiryReported: true, dueHeight: 1000 },
  };

  it.each(Object.keys(other) as (keyof ReportedRequest)[])(
    'is recorded where %s alone changes, to another value and back',
    (fact) => {
      wallet.add(newRequest(1), newRequest(2));
      const untouched = wallet.request(2);
      const { sequence, reported: first } = wallet.request(1);
      const changed: ReportedRequest = { ...first, [fact]: other[fact] };
      wallet.store.write((w) => w.requests.report(sequence, changed, CREATED, first));
      expect(wallet.request(1).reported).toEqual(changed);
      wallet.store.write((w) => w.requests.report(sequence, first, CREATED, changed));
      expect(wallet.request(1).reported).toEqual(first);
      wallet.store.write((w) => w.requests.report(sequence, changed, CREATED));
      expect(wallet.request(1).reported).toEqual(changed);
      expect(wallet.request(2)).toEqual(untouched);
    },
  );

  it('is counted over the requests', () => {
    const counts = (): object =>
      Object.fromEntries(wallet.store.read((r) => r.requests.counts()) as ReadonlyMap<string, number>);
    expect(counts()).toEqual({});
    wallet.add(newRequest(1), newRequest(2), newRequest(3));
    wallet.mine([[1, 3, 100n]]);
    expect(counts()).toEqual({ waiting: 2, confirming: 1 });
    wallet.grow(2);
    expect(counts()).toEqual({ waiting: 2, paid: 1 });
  });
});

describe('the uncontested transactions', () => {
  const uncontested = (): unknown[] =>
    wallet.store.read((r) => r.requests.uncontested()).map((txHash) => txHash[0]);

  it('are the unmined ones that pay requests without confirmations, each once', () => {
    wallet.add(
      newRequest(1, { confirmations: 0 }),
      newRequest(2, { confirmations: 1 }),
      newRequest(3, { confirmations: 0 }),
    );
    wallet.see(11, 1, 100n);
    wallet.see(12, 2, 100n);
    wallet.see(13, 3, 100n);
    wallet.see(14, 4, 100n);
    expect(uncontested()).toEqual([11, 13]);
    wallet.mine([[11, 1, 100n]]);
    expect(uncontested()).toEqual([13]);
  });

  it('stay so while the mempool contests another one', () => {
    wallet.add(newRequest(1, { confirmations: 0 }), newRequest(2, { confirmations: 0 }));
    wallet.see(11, 1, 100n);
    wallet.see(12, 2, 100n, { doubleSpendSeen: true });
    expect(uncontested()).toEqual([11]);
    wallet.mine();
    wallet.readPool();
    expect([uncontested(), wallet.request(1).state, wallet.request(2).state]).toEqual([[11], 'paid', 'seen']);
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

  it('that are moved or removed before they pass are listed for the new time or never', () => {
    wallet.add(newRequest(1, { expires: CREATED + 10 }), newRequest(2, { expires: CREATED + 10 }));
    wallet.store.write(({ requests }) => {
      requests.extend(wallet.request(1).sequence, CREATED + 30);
      requests.extend(wallet.request(2).sequence, undefined);
    });
    expect([wallet.request(1).expires, wallet.request(2).expires]).toEqual([CREATED + 30, undefined]);
    wallet.store.read(({ requests }) => {
      expect(requests.nextExpiry()).toBe(CREATED + 30);
      expect(requests.expiring(CREATED + 30, 9)).toEqual([]);
      expect(requests.expiring(CREATED + 31, 9).map(({ requestId }) => requestId)).toEqual([idOf(1)]);
    });
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
