import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest, test } from '@jest/globals';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { parseUri } from '../../../src/monero/cryptonote/uri.js';
import { PaymentRequests, type RequestSpec } from '../../../src/services/requests/payment-requests.js';
import type { RequestView } from '../../../src/services/requests/request-views.js';
import type { RequestFilter } from '../../../src/store/tables/payment-requests.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import type { WalletSync } from '../../../src/services/sync/wallet-sync.js';
import { amount, ZERO } from '../../../src/util/amount.js';
import { clearChain } from '../../support/chain/cleared-chain.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { withFakeTimeouts } from '../../support/fakes/fake-timeouts.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { faultOf, infoOf, TestWallet } from '../../support/wallets/test-wallet.js';
import { bytes, output, page, received } from '../../store/fixtures.js';

const SCALE = [
  { from: ZERO, confirmations: 1 },
  { from: amount(1000n), confirmations: 10 },
];

let wallet: TestWallet;
let requests: PaymentRequests;
let isSynced: boolean;
let daemonHeight: number;
/** Reported changes of terms: name of the wallet and token. */
let changed: (readonly [name: string, token: Uint8Array])[];

function open(made: TestWallet, payUrl?: string): void {
  wallet = made;
  isSynced = true;
  daemonHeight = 0;
  changed = [];
  const sync = {
    get isComplete() {
      return isSynced;
    },
    get isSynced() {
      return isSynced;
    },
    get daemonHeight() {
      return daemonHeight;
    },
  } as WalletSync;
  requests = new PaymentRequests(
    {
      ...{
        addresses: made.addresses,
        assertOpen: made.assertOpen,
        ...{ clock: made.clock, daemon: {} },
        keystore: made.keystore,
      },
      ...{ log: made.log, rng: seededRng('requests'), store: made.store, daemon: made.daemon, name: 'shop' },
      events: {
        ...{ onIncoming: () => undefined, onProgress: () => undefined, onClosed: () => undefined },
        onRequest: (...change) => changed.push(change),
      },
      requestSettings: { scale: SCALE, ...(payUrl === undefined ? {} : { payUrl }) },
    },
    { accounts: made.accounts, sync },
  );
}

beforeEach(() => open(new TestWallet()));
afterEach(() => {
  requests.close();
  wallet.close();
});

const spec = (more: Partial<RequestSpec> = {}): RequestSpec => ({
  ...{ amount: amount(500n), account: 0, confirmations: 0, tolerance: ZERO, label: '' },
  ...more,
});
const create = (more: Partial<RequestSpec> = {}): Promise<RequestView> => requests.create(spec(more));

const list = async (limit: number, filter: Partial<RequestFilter> = {}): Promise<readonly RequestView[]> => {
  const { requests: listed, viewsOf } = await requests.list({ states: [], ...filter }, 1e9, limit);
  return viewsOf(listed);
};

/** Mines payments to requests in one block, whose time is that of the clock. */
const pay = (...paid: readonly (readonly [RequestView, bigint])[]): void => {
  const height = wallet.store.height();
  wallet.store.write((w) =>
    w.applyPage(
      page(height, 1, {
        received: paid.map((_, i) => ({ ...received(10 * height + i, height), timestamp: wallet.time })),
        outputs: paid.map(([{ request }, value], i) =>
          output(10 * height + i, height, value, {
            ...{ publicKey: bytes(20_000 + 10 * height + i), keyImage: bytes(40_000 + 10 * height + i) },
            subaddress: request.subaddress,
          }),
        ),
      }),
    ),
  );
};
const count = (): number => wallet.accounts.addressCount(0);
const reasonOf = async (task: () => unknown): Promise<string | undefined> => {
  const fault = (await faultOf(task)) as WalletError['fault'] | undefined;
  return fault?.kind === 'bad_payment_request' ? fault.reason : fault?.kind;
};

describe('a new request', () => {
  it('has an address of its own, which is created, labelled and watched with it', async () => {
    const one = await create({ label: 'tea & 100% "milk"' });
    const other = await create({ label: '' });
    expect([one, other].map(({ request }) => request.subaddress)).toEqual([
      { major: 0, minor: 1 },
      { major: 0, minor: 2 },
    ]);
    expect(one.address).toBe(wallet.accounts.address({ major: 0, minor: 1 }));
    expect(wallet.accounts.label({ major: 0, minor: 1 })).toBe('tea & 100% "milk"');
    expect(count()).toBe(3);
    expect(wallet.refresher.callsOf('expand')).toEqual([[{ major: 0, minor: 1 }], [{ major: 0, minor: 2 }]]);
    expect(one).toMatchObject({ status: { state: 'waiting', payments: [] }, isSynced: true });
    expect(one).not.toHaveProperty('payUrl');
  });

  it('has a URI that wallets read, with its amount and label', async () => {
    const { uri, address } = await create({ label: 'tea & 100% "milk"=?' });
    expect(parseUri(uri, 'mainnet')).toMatchObject({
      ...{ address, amount: 500n, description: 'tea & 100% "milk"=?' },
    });
    const { amount: _, ...open } = spec({ label: 'tea' });
    const made = await requests.create(open);
    expect(made.uri).toBe(`monero:${made.address}?tx_description=tea`);
  });

  it('has an id and a token that no other has, and the address of its pay page', async () => {
    open(wallet, 'https://shop.example/pay/');
    const made = await Promise.all(Array.from({ length: 4 }, () => create()));
    expect(new Set(made.map(({ request }) => request.requestId)).size).toBe(4);
    for (const { request, payUrl } of made) {
      expect(request.requestId).toMatch(/^[0-9a-f]{32}$/);
      expect(payUrl).toBe(`https://shop.example/pay/${Buffer.from(request.token).toString('hex')}`);
      expect(requests.byToken(request.token)?.request).toEqual(request);
    }
    expect(requests.byToken(new Uint8Array(16))).toBeUndefined();
  });

  it('is found by its token at once, in a wallet that had no request before', async () => {
    expect(requests.byToken(new Uint8Array(16))).toBeUndefined();
    const { request } = await create();
    expect(requests.byToken(request.token)?.request).toEqual(request);
  });

  it('is found by its token after the wallet is opened again', async () => {
    const { request } = await create();
    open(wallet);
    expect(requests.byToken(request.token)?.request).toEqual(request);
    expect(requests.byToken(new Uint8Array(16))).toBeUndefined();
  });

  test.each([
    [999n, 0, 1],
    [1000n, 0, 10],
    [1000n, 3, 10],
    [1000n, 20, 20],
    [1n, 1, 1],
  ])('over %p that asks for %p confirmations needs %p', async (value, confirmations, needed) => {
    expect((await create({ amount: amount(value), confirmations })).request.confirmations).toBe(needed);
  });

  it.each([0, 1, 7])(
    'without an amount needs the %p confirmations that it asks for',
    async (confirmations) => {
      const { amount: _, ...open } = spec({ confirmations });
      expect((await requests.create(open)).request.confirmations).toBe(confirmations);
    },
  );

  it('says whether the wallet has all blocks', async () => {
    isSynced = false;
    expect((await create()).isSynced).toBe(false);
  });

  it('is made by a view-only wallet too', async () => {
    const { address } = await create();
    wallet.close();
    open(new TestWallet({ viewOnly: true }));
    const made = await create();
    expect(made.address).toBe(address);
    pay([made, 500n]);
    expect(requests.get({ requestId: made.request.requestId }).status.state).toBe('paid');
  });
});

describe('a request of a restored wallet', () => {
  it('counts no payment to its address in blocks far below the daemon, which the wallet scans later', async () => {
    daemonHeight = 100;
    const made = await create();
    wallet.store.addPage(page(0, 39));
    wallet.time -= 86_400;
    pay([made, 200n]);
    const { requestId } = made.request;
    expect(requests.get({ requestId }).status).toMatchObject({ state: 'waiting', payments: [], mined: 0n });
    pay([made, 300n]);
    expect(requests.get({ requestId }).status).toMatchObject({ state: 'partial', mined: 300n });
    expect(await list(1, { states: ['partial'] })).toHaveLength(1);
  });

  it('counts a later payment, however great a height a daemon had claimed', async () => {
    isSynced = false;
    wallet.answers.getInfo = () => Promise.resolve(infoOf({ height: 10 ** 9, hash: bytes<Hash>(1) }));
    const made = await create();
    wallet.store.addPage(page(0, 39));
    wallet.time += 60;
    pay([made, 500n]);
    const { requestId } = made.request;
    expect(requests.get({ requestId }).status).toMatchObject({ state: 'paid', mined: 500n });
    expect(await list(1, { states: ['paid'] })).toHaveLength(1);
  });
});

describe('a request for an address that was paid before it', () => {
  it('has its state and events at once', async () => {
    // Another wallet with the same keys has given out the address.
    const tx = { txHash: bytes<Hash>(7), unlockTime: 0n, fee: amount(1n), doubleSpendSeen: false };
    const paid = { outputIndex: 0, amount: amount(500n), publicKey: bytes<never>(8) };
    wallet.store.write((w) => {
      w.pool.add({
        ...{ ...tx, timestamp: wallet.time - 60 },
        outputs: [{ ...paid, subaddress: { major: 0, minor: 1 } }],
      });
      w.events.poolRead();
    });
    const { request, status } = await create();
    expect(status).toMatchObject({ state: 'seen', unmined: 500n });
    expect(request.state).toBe('seen');
    expect(await list(9, { states: ['seen'] })).toHaveLength(1);
    expect(wallet.store.read((r) => r.events.after(0, 9)).map(({ type }) => type)).toEqual([
      ...['payment.seen', 'request.seen'],
    ]);
  });
});

describe('a request during background sync', () => {
  test.each([
    ['reuse-wallet-password', 'tea', 'o-1', '{"table":7}'],
    ['custom-background-password', '', undefined, undefined],
  ] as const)('of type %s has label %p, reference %p and metadata %p', async (type, ...shown) => {
    wallet.close();
    open(new TestWallet({ backgroundSync: type }));
    const { request } = await create({
      ...{ label: 'tea', reference: 'o-1', metadata: '{"table":7}', returnUrl: 'https://shop.example/' },
    });
    const { requestId } = request;
    const factsOf = ({ request: { reference, metadata }, label }: RequestView) => [
      label,
      reference,
      metadata,
    ];
    const views = async () => [
      ...[requests.get({ requestId }), requests.get({ reference: 'o-1' })],
      ...(await list(9)),
    ];
    for (const view of await views()) expect(factsOf(view)).toEqual(['tea', 'o-1', '{"table":7}']);
    wallet.hide();
    expect(await views()).toHaveLength(3);
    for (const view of await views()) expect(factsOf(view)).toEqual(shown);
    expect(requests.byToken(request.token)?.request.returnUrl).toBe('https://shop.example/');
    expect(factsOf(requests.cancel({ requestId }))).toEqual(shown);
  });
});

describe('a request of a wallet that lacks blocks', () => {
  it('is paid once its confirmations are read, in its event and in the answer, and stays so', async () => {
    const made = await create();
    isSynced = false;
    pay([made, 500n]);
    const last = wallet.store.read((r) => r.events.latest(1, ['request.paid'])).at(-1);
    expect(last).toMatchObject({ type: 'request.paid', data: { state: 'paid' } });
    const view = (): RequestView => requests.get({ requestId: made.request.requestId });
    expect(view()).toMatchObject({ isSynced: false, status: { state: 'paid' } });
    isSynced = true;
    wallet.store.addPage(page(wallet.store.height(), 9));
    expect(view()).toMatchObject({ isSynced: true, status: { state: 'paid' } });
  });

  it('is what it was before while a rescan runs, and its wallet counts as one that lacks blocks', async () => {
    const made = await create();
    pay([made, 500n]);
    wallet.store.addPage(page(wallet.store.height(), 9));
    wallet.store.write((w) => clearChain(w, { hard: false }));
    const view = requests.get({ requestId: made.request.requestId });
    expect(view).toMatchObject({
      isSynced: false,
      status: { state: 'paid', mined: 500n, payments: [{ confirmations: 0 }] },
    });
    wallet.store.addPage(page(0, 1));
    wallet.store.noteCompleteRead(wallet.time);
    const { isSynced: isSyncedNow, status } = requests.get({ requestId: made.request.requestId });
    expect([isSyncedNow, status.state]).toEqual([true, 'waiting']);
  });
});

describe('the first height whose blocks count', () => {
  const firstHeight = async (): Promise<number> => (await create()).request.firstHeight;

  beforeEach(() => {
    isSynced = false;
    wallet.store.addPage(page(0, 70));
  });

  it('lies below the blocks of the daemon, which an unsynchronised wallet asks for, for three seconds', async () => {
    const limits: unknown[] = [];
    wallet.answers.getInfo = (options) => {
      limits.push(options?.deadline);
      return Promise.resolve(infoOf({ height: 499, hash: bytes<Hash>(1) }));
    };
    expect(await firstHeight()).toBe(440);
    expect(limits).toEqual([3000]);
    daemonHeight = 300;
    expect(await firstHeight()).toBe(240);
  });

  it('lies below the own blocks if the wallet is synchronised, or no daemon answers', async () => {
    wallet.answers.getInfo = () => Promise.reject(new DaemonError('unreachable', 'no connection'));
    expect(await firstHeight()).toBe(10);
    isSynced = true;
    wallet.answers.getInfo = () => Promise.reject(new Error('asked'));
    expect(await firstHeight()).toBe(10);
  });

  it('lies below the own blocks without a question, once a refresh has seen a block of the daemon', async () => {
    wallet.answers.getInfo = () => Promise.reject(new Error('asked'));
    daemonHeight = 1;
    expect(await firstHeight()).toBe(10);
    daemonHeight = 0;
    await expect(firstHeight()).rejects.toThrow('asked');
    expect(count()).toBe(2);
  });

  it('is 0 in a chain whose blocks may all be replaced', async () => {
    for (const [height, first] of [
      [59, 0],
      [60, 0],
      [61, 1],
    ] as const) {
      requests.close();
      wallet.close();
      open(new TestWallet());
      wallet.store.addPage(page(0, height));
      expect([height, await firstHeight()]).toEqual([height, first]);
    }
  });
});

describe('bad terms', () => {
  const YEAR = 365 * 86_400;

  test.each<[string, Partial<RequestSpec>, string]>([
    ['an amount of 0', { amount: ZERO }, 'the amount is 0; without an amount the request is open'],
    [
      'an amount above 2^63-1',
      { amount: amount(1n << 63n) },
      'the amount is greater than 9223372036854775807',
    ],
    ['a tolerance of the amount', { tolerance: amount(500n) }, 'the tolerance is not less than the amount'],
    ['an expiry now', { expires: 1_700_000_000 }, 'the expiry is not in the future'],
    ['an expiry in the past', { expires: 0 }, 'the expiry is not in the future'],
    [
      'an expiry beyond ten years',
      { expires: 1_700_000_000 + 10 * YEAR + 1 },
      'the expiry is more than ten years away',
    ],
    ['an account that does not exist', { account: 1 }, 'account_out_of_range'],
  ])('are refused, and leave nothing behind: %s', async (_, more, reason) => {
    const before = wallet.store.read((r) => r.events.last());
    expect(await reasonOf(() => create({ ...more, label: 'left', reference: 'left' }))).toBe(reason);
    expect([count(), await list(9)]).toEqual([1, []]);
    expect(wallet.store.read((r) => r.requests.byReference('left'))).toBeUndefined();
    expect(wallet.store.read((r) => r.events.last())).toBe(before);
  });

  it.each<[string, Partial<RequestSpec>, string]>([
    ['an account that does not exist', { account: 1 }, 'account_out_of_range'],
    ['a taken reference', { reference: 'o-1' }, 'reference_taken'],
  ])(
    'are refused though the daemon, which a new request asks, does not answer: %s',
    async (_, more, fault) => {
      await create({ reference: 'o-1' });
      isSynced = false;
      wallet.answers.getInfo = () => new Promise(() => undefined);
      expect(await reasonOf(() => create(more))).toBe(fault);
    },
  );

  it('are not those at the limits', async () => {
    const most = amount((1n << 63n) - 1n);
    const made = await create({
      amount: most,
      tolerance: amount(most - 1n),
      expires: wallet.time + 10 * YEAR,
    });
    expect(made.request).toMatchObject({ amount: most, expires: wallet.time + 10 * YEAR });
    pay([made, most]);
    expect(requests.get({ address: made.address }).status).toMatchObject({ mined: most });
  });

  it('of an open request include a tolerance', async () => {
    const { amount: _, ...open } = spec({ tolerance: amount(1n) });
    expect(await reasonOf(() => requests.create(open))).toBe('a request without amount has no tolerance');
  });
});

describe('a reference', () => {
  it('names one request: a second call with it is refused, and leaves no address', async () => {
    const { request } = await create({ reference: 'o-1' });
    expect(await faultOf(() => create({ reference: 'o-1' }))).toEqual({
      ...{ kind: 'reference_taken', reference: 'o-1', requestId: request.requestId },
    });
    expect(count()).toBe(2);
    expect(requests.get({ reference: 'o-1' }).request).toEqual(request);
  });

  it('is taken by one of several calls at once', async () => {
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => create({ reference: 'o-1' })));
    const made = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(made).toHaveLength(1);
    const fault = { kind: 'reference_taken', reference: 'o-1', requestId: made[0]?.request.requestId };
    expect(results.filter(({ status }) => status === 'rejected')).toEqual(
      Array(4).fill({ status: 'rejected', reason: expect.objectContaining({ fault }) }),
    );
    expect(count()).toBe(2);
  });
});

describe('an idempotency key', () => {
  const key = (fill: number) => ({
    call: { key: 'k', method: 'create_payment_request', requestHash: bytes<Hash>(fill) },
  });

  it.each([
    ['without', {}],
    ['with', { reference: 'o-1' }],
  ])('creates one request, however often and at once it is used, %s a reference', async (_, more) => {
    const terms = { ...key(1), ...more };
    const made = await Promise.all(Array.from({ length: 5 }, () => create(terms)));
    made.push(await create(terms));
    expect(new Set(made.map(({ request }) => request.requestId)).size).toBe(1);
    expect(count()).toBe(2);
  });

  it('is refused for other parameters', async () => {
    await create(key(1));
    expect(await faultOf(() => create(key(2)))).toEqual({
      ...{ kind: 'order_mismatch', method: 'create_payment_request' },
    });
    expect(count()).toBe(2);
  });

  it('returns its request only once it is on disk, which its first call may still wait for', async () => {
    const flushes: (() => void)[] = [];
    jest
      .spyOn(wallet.store, 'flushToDisk')
      .mockImplementation(() => new Promise((resolve) => flushes.push(resolve)));
    let ended = 0;
    const call = () => create(key(1)).then(() => (ended += 1));
    const calls = [call(), call()];
    await turns(5);
    calls.push(call());
    await turns(5);
    expect([count(), ended, flushes.length]).toEqual([2, 0, 3]);
    for (const flush of flushes) flush();
    await Promise.all(calls);
    expect(ended).toBe(3);
  });

  it('returns no request to a call that fails for another reason, though one at the same time has made it', async () => {
    const fault = { kind: 'wallet_io', file: 'wallet', reason: 'disk full' } as const;
    const write = wallet.store.writeRecoverable.bind(wallet.store);
    jest
      .spyOn(wallet.store, 'writeRecoverable')
      .mockImplementationOnce(write)
      .mockImplementationOnce(() => {
        throw new WalletError(fault);
      });
    const [first, second] = await Promise.allSettled([create(key(1)), create(key(1))]);
    expect(first.status).toBe('fulfilled');
    expect(second).toEqual({ status: 'rejected', reason: expect.objectContaining({ fault }) });
    expect(count()).toBe(2);
  });

  it('still names its request after its expiry and its end', async () => {
    const terms = { ...key(1), expires: wallet.time + 10 };
    const { request } = await create(terms);
    wallet.time += 100;
    expect((await create(terms)).request.requestId).toBe(request.requestId);
    requests.cancel({ requestId: request.requestId });
    expect((await create(terms)).request).toMatchObject({
      requestId: request.requestId,
      cancelled: wallet.time,
    });
  });
});

describe('a request is named', () => {
  it('by its id, address or reference, and missing otherwise', async () => {
    const { request, address } = await create({ reference: 'o-1' });
    for (const name of [{ requestId: request.requestId }, { address }, { reference: 'o-1' }])
      expect(requests.get(name).request).toEqual(request);
    const own = wallet.accounts.address({ major: 0, minor: 0 });
    for (const name of [{ requestId: 'x' }, { requestId: '' }, { address: own }, { reference: 'o-2' }])
      expect(await reasonOf(() => requests.get(name))).toBe('request_missing');
    const other = new TestWallet({ name: 'another wallet' });
    expect(
      await reasonOf(() => requests.get({ address: other.accounts.address({ major: 0, minor: 1 }) })),
    ).toBe('request_missing');
    other.close();
    expect(await reasonOf(() => requests.get({ address: '4abc' }))).toBe('wrong_address');
  });
});

describe('the confirmations of a payment', () => {
  it('are those of the newest block, even if that is not stored yet', async () => {
    const made = await create();
    pay([made, 500n]);
    const { requestId } = made.request;
    expect(requests.get({ requestId }).status.payments).toMatchObject([{ confirmations: 1 }]);
    for (let i = 2; i < 30; i++) {
      wallet.store.addPage(page(wallet.store.height(), 1));
      expect(requests.get({ requestId }).status.payments).toMatchObject([{ confirmations: i }]);
    }
  });
});

describe('a change of terms', () => {
  it('is reported once, with the token of the request', async () => {
    const { request } = await create({ expires: wallet.time + 100 });
    const { requestId, token } = request;
    requests.extend({ requestId }, wallet.time + 200);
    requests.cancel({ requestId });
    requests.cancel({ requestId });
    expect(changed).toEqual(Array(3).fill(['shop', token]));
  });
});

describe('a cancellation', () => {
  it('makes later payments late, and is kept when it is repeated', async () => {
    const made = await create({ expires: wallet.time + 1000 });
    const { requestId } = made.request;
    pay([made, 499n]);
    const { time } = wallet;
    wallet.time += 5;
    expect(requests.cancel({ requestId })).toMatchObject({ status: { state: 'cancelled', mined: 499n } });
    wallet.time += 5;
    pay([made, 1n]);
    expect(requests.cancel({ requestId })).toMatchObject({
      request: { cancelled: time + 5 },
      status: { state: 'cancelled', mined: 499n, late: 1n },
    });
    expect(await reasonOf(() => requests.extend({ requestId }, wallet.time + 2000))).toBe(
      'the payment request is cancelled',
    );
  });

  it('is refused once enough has come', async () => {
    const made = await create({ confirmations: 2 });
    pay([made, 500n]);
    const { requestId } = made.request;
    expect(await reasonOf(() => requests.cancel({ requestId }))).toBe('the payment request is confirming');
    wallet.store.addPage(page(wallet.store.height(), 1));
    expect(await reasonOf(() => requests.cancel({ requestId }))).toBe('the payment request is paid');
    expect(requests.get({ requestId }).request.cancelled).toBeUndefined();
  });
});

describe('an extension', () => {
  it('repeats no event of the payments that came before it', async () => {
    const made = await create({ expires: wallet.time + 10 });
    const { requestId } = made.request;
    for (const [value, state] of [
      [200n, 'partial'],
      [300n, 'paid'],
    ] as const) {
      pay([made, value]);
      const last = wallet.store.read((r) => r.events.last());
      expect(requests.extend({ requestId }, wallet.time + 20).status.state).toBe(state);
      expect(wallet.store.read((r) => r.events.last())).toBe(last);
    }
  });

  it('to the same expiry is accepted, as a repeated call makes it', async () => {
    const expires = wallet.time + 10;
    const { request } = await create({ expires });
    expect(requests.extend({ requestId: request.requestId }, expires).request.expires).toBe(expires);
  });

  it('makes payments count that were late', async () => {
    const made = await create({ expires: wallet.time + 10 });
    const { requestId } = made.request;
    wallet.time += 20;
    pay([made, 500n]);
    expect(requests.get({ requestId }).status).toMatchObject({ late: 500n, mined: 0n });
    expect(requests.extend({ requestId }, wallet.time + 10)).toMatchObject({
      request: { expires: wallet.time + 10 },
      status: { state: 'paid', late: 0n, mined: 500n },
    });
    const types = wallet.store.read((r) => r.events.after(0, 99)).map(({ type }) => type);
    expect(types.filter((type) => type.startsWith('request.'))).toEqual(['request.late', 'request.paid']);
  });

  it('is refused to an earlier expiry, without one, to the past, and beyond ten years', async () => {
    const { request } = await create({ expires: wallet.time + 100 });
    const endless = await create();
    const extend = (seconds: number, { requestId } = request): Promise<string | undefined> =>
      reasonOf(() => requests.extend({ requestId }, wallet.time + seconds));
    expect(await extend(99)).toBe('the expiry is earlier than before');
    expect(await extend(0)).toBe('the expiry is not in the future');
    expect(await extend(10 * 365 * 86_400 + 1)).toBe('the expiry is more than ten years away');
    expect(await extend(200, endless.request)).toBe('the payment request does not expire');
    expect(await reasonOf(() => requests.extend({ requestId: 'x' }, wallet.time + 200))).toBe(
      'request_missing',
    );
    expect(requests.get(request).request.expires).toBe(wallet.time + 100);
  });
});

test('the list shows what each request has received, the latest first', async () => {
  const made = [await create(), await create({ reference: 'o-2' }), await create()];
  pay(...made.map((view, i) => [view, 100n * BigInt(i + 3)] as const));
  expect((await list(2)).map(({ status: { state, mined } }) => [state, mined])).toEqual([
    ['paid', 500n],
    ['partial', 400n],
  ]);
  expect(await list(9, { states: ['partial'] })).toHaveLength(2);
  expect(await list(9, { reference: 'o-2' })).toMatchObject([{ status: { mined: 400n } }]);
});

test('the list by state counts blocks whose transaction is still open', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'requests-'));
  try {
    wallet.close();
    open(new TestWallet({ path: join(directory, 'wallet') }));
    const made = await create({ confirmations: 2 });
    pay([made, 500n]);
    const { store } = wallet;
    store.addPage(page(store.height(), 1), { isFollowed: true });
    expect(await list(9, { states: ['paid'] })).toHaveLength(1);
    expect(await list(9, { states: ['confirming'] })).toHaveLength(0);
    wallet.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('an expiry lies a number of seconds after now', () => {
  expect(requests.expiryAfter(90)).toBe(wallet.time + 90);
});

test('an expiry that has passed is recorded once the first refresh of the wallet has ended', () =>
  withFakeTimeouts(async () => {
    const { request } = await create({ expires: wallet.time + 1 });
    wallet.time += 2;
    requests.close();
    open(wallet);
    isSynced = false;
    requests.start();
    const stateAfterEvents = async (): Promise<string> => {
      requests.onEvents();
      jest.advanceTimersByTime(0);
      await turns(3);
      return requests.get(request).status.state;
    };
    expect(await stateAfterEvents()).toBe('waiting');
    isSynced = true;
    expect(await stateAfterEvents()).toBe('expired');
  }));

test('an expiry that a new request gets is recorded when it passes', () =>
  withFakeTimeouts(async () => {
    requests.start();
    const { request } = await create({ expires: wallet.time + 1 });
    wallet.time += 2;
    jest.advanceTimersByTime(2000);
    await turns(3);
    expect(requests.get(request)).toMatchObject({ request: { ended: true }, status: { state: 'expired' } });
    requests.extend(request, wallet.time + 10);
    expect(requests.get(request).status.state).toBe('waiting');
    wallet.time += 11;
    jest.advanceTimersByTime(11_000);
    await turns(3);
    expect(requests.get(request).status.state).toBe('expired');
  }));

test('a label beyond the limit, from an earlier version, is readable and left out of the URI', async () => {
  const { request } = await create({ label: 'x'.repeat(5000) });
  const [view] = await list(1);
  expect(view).toMatchObject({ request: { requestId: request.requestId }, label: 'x'.repeat(5000) });
  expect(view?.uri).not.toContain('tx_description');
});
