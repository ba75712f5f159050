import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { ExportCipher } from '../../../src/services/context/export-cipher.js';
import type { FailedPayment } from '../../../src/services/payments/failed-payment.js';
import type { OrderEntry } from '../../../src/services/payments/payment-ledger.js';
import { Orders, type OrderMaker, type OrderTerms } from '../../../src/services/payments/orders.js';
import type { MadePayment, MadePayments } from '../../../src/model/made-payment.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import { EventLoopTurns } from '../../support/fakes/event-loop-turns.js';
import { madePayment, madeTx, unsignedPayment } from '../../support/wallets/made-payment.js';
import { TAKEN } from '../../support/wallets/payment-home.js';
import { faultOf, TestWallet } from '../../support/wallets/test-wallet.js';
import { unminedPayment } from '../../support/wallets/unmined-payment.js';
import { bytes, output, page, received } from '../../store/fixtures.js';

let wallet: TestWallet;
let orders: Orders;
let isOpen: boolean;
/** Inputs of each transaction that the daemon was sent. */
let sent: number[];
/** Calls of the makers. */
let calls: string[];

beforeEach(() => {
  wallet = new TestWallet();
  isOpen = true;
  sent = [];
  calls = [];
  wallet.answers = {
    ...wallet.answers,
    sendRawTransaction: (blob) => {
      sent.push(blob.length);
      return Promise.resolve(TAKEN);
    },
    getTransactions: () => Promise.resolve({ transactions: [] }),
  };
  wallet.store.write((w) =>
    w.applyPage(
      page(0, 30, {
        received: [1, 2, 3, 4].map((n) => received(n, n)),
        outputs: [1, 2, 3, 4].map((n) => output(n, n, 50n)),
      }),
    ),
  );
  const { store, clock, relay } = wallet;
  const assertOpen = (): void => {
    if (!isOpen) throw new WalletError({ kind: 'no_wallet' });
  };
  const exports = {} as ExportCipher;
  orders = new Orders({ store, clock, assertOpen, exports, exportFormat: 'current' }, { relay });
});
afterEach(() => wallet.close());

const terms = (key: string, more: Partial<OrderTerms> = {}): OrderTerms => ({
  ...{ key, method: 'transfer', requestHash: bytes<Hash>(7), retryFailed: false, withBlobs: false },
  ...more,
});

/** Transaction whose payment spends the n-th output. */
const made = (n: number, more: Partial<MadePayment> = {}): MadePayment => madePayment(200 + n, [n], more);

/** Writes what a call made, with its payments where they are sent. */
function keep(entry: OrderEntry | undefined, result: MadePayments, isSent: boolean): MadePayments {
  wallet.store.write((w) => {
    entry?.record(w, result, { sent: isSent });
    for (const { signed } of isSent ? result.payments : []) {
      const n = (signed?.txHash[0] ?? 0) - 200;
      w.prepare(unminedPayment(n), [output(n, n, 50n)], []);
    }
  });
  return result;
}

/** Makes the transactions that spend these outputs. */
const paying = (inputs: readonly number[], isSent = true): OrderMaker => ({
  pay: (entry) => {
    calls.push(entry === undefined ? 'pay' : 'pay an order');
    return Promise.resolve(keep(entry, { payments: inputs.map((n) => made(n)) }, isSent));
  },
});

/** Makes the transaction of another output in place of a failed one. */
const retrying = (n: number, onRetry: (failed: FailedPayment) => unknown = () => undefined): OrderMaker => ({
  pay: () => Promise.reject(new Error('it is made already')),
  payAgain: (entry, failed) => {
    calls.push('pay again');
    onRetry(failed);
    return Promise.resolve(keep(entry, { payments: [made(n)] }, true));
  },
});

const place = (key: string, maker: OrderMaker, more: Partial<OrderTerms> = {}) =>
  orders.place(terms(key, more), maker);

const fail = (n: number): void => void wallet.store.write((w) => w.fail(bytes<Hash>(200 + n)));

/** The daemon refused the n-th transaction when it was first sent. */
const refuse = (n: number): void => wallet.store.write((w) => w.refuse(bytes<Hash>(200 + n)));

const hashesOf = ({ payments }: MadePayments): number[] =>
  payments.map(({ signed }) => signed?.txHash[0] ?? 0);

const FAILED = {
  kind: 'order_failed',
  reason: 'its payment failed: call it with retry_failed to pay it anew',
};

describe('a call', () => {
  it('without a key pays each time, and is no order', async () => {
    for (const n of [1, 2]) await orders.place(undefined, paying([n]));
    expect(calls).toEqual(['pay', 'pay']);
    expect(await orders.list({ limit: 9, before: 99 })).toEqual([]);
  });

  it('with a key pays once, at the time of the first call', async () => {
    await place('a', paying([1]));
    wallet.time += 60;
    expect(hashesOf(await place('a', paying([2])))).toEqual([201]);
    expect([calls, orders.get('a').order.created]).toEqual([['pay an order'], 1_700_000_000]);
  });

  it('is refused once the wallet is closed', async () => {
    isOpen = false;
    expect(await faultOf(() => place('a', paying([1])))).toEqual({ kind: 'no_wallet' });
    expect(calls).toEqual([]);
  });

  it('is refused with the key of another request', async () => {
    await place('a', paying([1]));
    for (const more of [{ requestHash: bytes<Hash>(8) }, { method: 'sweep_all' }])
      expect(await faultOf(() => place('a', paying([1]), more))).toEqual({
        ...{ kind: 'order_mismatch', method: 'transfer' },
      });
    expect(await faultOf(() => orders.get('b'))).toEqual({ kind: 'order_missing' });
  });
});

describe('the result of an order', () => {
  const blob = new Uint8Array([1, 2, 3]);
  const signed = made(1, { signed: madeTx(201, { blob, metadata: blob }) });
  const unsigned = { ...unsignedPayment([2], 9), unsigned: madeTx(202, { blob }) };
  const maker: OrderMaker = {
    pay: (entry) => Promise.resolve(keep(entry, { payments: [signed, unsigned], unsignedSet: blob }, false)),
  };

  it('has the blobs that its call returns', async () => {
    await place('a', maker, { withBlobs: true });
    expect(await place('a', maker, { withBlobs: true })).toEqual({
      ...{ payments: [signed, unsigned], unsignedSet: blob },
    });
  });

  it('has no blobs where its call returns none', async () => {
    await place('a', maker);
    const none = new Uint8Array();
    expect(await place('a', maker)).toEqual({
      payments: [
        { ...signed, signed: { ...signed.signed, blob: none } },
        { ...unsigned, unsigned: { ...unsigned.unsigned, blob: none } },
      ],
      unsignedSet: blob,
    });
  });
});

describe('an order that failed', () => {
  it('is made again on request only', async () => {
    await place('a', paying([1]));
    fail(1);
    expect(await faultOf(() => place('a', retrying(2)))).toEqual(FAILED);
    expect(hashesOf(await place('a', retrying(2), { retryFailed: true }))).toEqual([202]);
    expect(calls).toEqual(['pay an order', 'pay again']);
  });

  it('is made again without a request where the daemon refused every transaction of it', async () => {
    await place('a', paying([1, 2]));
    refuse(1);
    expect(await faultOf(() => place('a', retrying(3)))).toEqual(FAILED);
    refuse(2);
    expect(orders.get('a').state).toBe('failed');
    const next = [3, 4];
    const both: OrderMaker = {
      pay: () => Promise.reject(new Error('it is made already')),
      payAgain: (entry) => Promise.resolve(keep(entry, { payments: [made(next.shift() ?? 0)] }, true)),
    };
    expect(hashesOf(await place('a', both))).toEqual([203, 204]);
  });

  it('is made again on request only where one attempt was refused and another failed later', async () => {
    await place('a', paying([1]));
    refuse(1);
    await place('a', retrying(2));
    fail(2);
    expect(await faultOf(() => place('a', retrying(3)))).toEqual(FAILED);
  });

  it('is made again on request only where the refused transaction was seen since', async () => {
    await place('a', paying([1]));
    refuse(1);
    wallet.store.write((w) => w.prepare(unminedPayment(1), [output(1, 1, 50n)], []));
    fail(1);
    expect(await faultOf(() => place('a', retrying(2)))).toEqual(FAILED);
  });

  it('has attempts with rising numbers, each of which must exclude all before it', async () => {
    await place('a', paying([1]));
    fail(1);
    await place('a', retrying(2), { retryFailed: true });
    fail(2);
    const required: (number | undefined)[][] = [];
    const again = retrying(3, (failed) =>
      required.push(failed.requiredInputs().map(({ txHash }) => txHash[0])),
    );
    await place('a', again, { retryFailed: true });
    expect(required).toEqual([[1, 2]]);
    const { transactions } = orders.get('a').order;
    expect(transactions.map(({ attempt, position }) => [attempt, position])).toEqual([
      [1, 0],
      [2, 0],
      [3, 0],
    ]);
  });

  it('is made again in its failed transactions only', async () => {
    await place('a', paying([1, 2]));
    fail(2);
    const { payments } = await place('a', retrying(3), { retryFailed: true });
    expect(hashesOf({ payments })).toEqual([201, 203]);
    expect(calls).toEqual(['pay an order', 'pay again']);
  });

  it('is an error where its new payment fails meanwhile', async () => {
    await place('a', paying([1, 2]));
    fail(2);
    const maker = retrying(3);
    const failing: OrderMaker = {
      ...maker,
      payAgain: async (entry, failed) => {
        const result = await maker.payAgain?.(entry, failed);
        fail(1);
        return result ?? { payments: [] };
      },
    };
    expect(await faultOf(() => place('a', failing, { retryFailed: true }))).toEqual(FAILED);
  });

  it('whose call relays the same transactions is relayed again, without a further attempt', async () => {
    await place('a', paying([1]));
    fail(1);
    await place(
      'a',
      {
        pay: (entry) => {
          calls.push(entry === undefined ? 'pay' : 'pay an order');
          return Promise.resolve(keep(entry, { payments: [made(1)] }, true));
        },
      },
      { retryFailed: true },
    );
    expect(calls).toEqual(['pay an order', 'pay']);
    expect([orders.get('a').state, orders.get('a').order.transactions.length]).toEqual(['relayed', 1]);
  });

  it('keeps the set of the new attempt for its signers', async () => {
    for (const [key, set] of [
      ['a', { unsignedSet: new Uint8Array([1]) }],
      ['b', { multisigSet: new Uint8Array([2]) }],
    ] as const) {
      await place(key, paying([1], false));
      wallet.store.write((w) => w.orders.withdraw(bytes<Hash>(201), 'refused'));
      const maker: OrderMaker = {
        pay: () => Promise.reject(new Error('it is made already')),
        payAgain: (entry) =>
          Promise.resolve(keep(entry, { payments: [unsignedPayment([2], 9)], ...set }, false)),
      };
      await place(key, maker);
      const [, attempt] = orders.get(key).order.transactions;
      expect([attempt?.sent, attempt?.signingSet]).toEqual([false, Object.values(set)[0]]);
    }
  });

  it('is not made again once the wallet is closed', async () => {
    await place('a', paying([1, 2]));
    for (const n of [1, 2]) fail(n);
    const maker = retrying(3, () => void (isOpen = false));
    expect(await faultOf(() => place('a', maker, { retryFailed: true }))).toEqual({ kind: 'no_wallet' });
    expect(calls).toEqual(['pay an order', 'pay again']);
  });
});

describe('a repeated order', () => {
  it('relays its unmined payments, and no mined one', async () => {
    await place('a', paying([1, 2]));
    wallet.store.write((w) => {
      const known = w.outgoing.byHash(bytes<Hash>(201));
      if (known !== undefined) w.outgoing.confirm({ ...known, height: 9 });
    });
    await place('a', paying([]));
    expect(sent).toHaveLength(1);
    await place('a', paying([]));
    expect(sent).toHaveLength(2);
  });

  it('relays none that its caller relays', async () => {
    await place('a', paying([1], false));
    expect(hashesOf(await place('a', paying([])))).toEqual([201]);
    expect(sent).toEqual([]);
  });

  it('sends a payment once for calls that wait for each other', async () => {
    await Promise.all([1, 2, 3].map(() => place('a', paying([1]))));
    expect([calls, sent.length]).toEqual([['pay an order'], 1]);
  });

  it('is an error where the daemon cannot be asked, and where the wallet is closed meanwhile', async () => {
    await place('a', paying([1, 2]));
    const offline = new DaemonError('unreachable', 'no connection', { notTaken: true });
    wallet.answers.sendRawTransaction = () => Promise.reject(offline);
    await expect(place('a', paying([]))).rejects.toBe(offline);
    wallet.answers.sendRawTransaction = () => {
      sent.push(1);
      isOpen = false;
      return Promise.resolve(TAKEN);
    };
    expect(await faultOf(() => place('a', paying([])))).toEqual({ kind: 'no_wallet' });
    expect(sent).toHaveLength(1);
  });

  it('whose payment another wallet relayed needs the daemon to have it', async () => {
    await place('a', paying([1], false));
    const { blob, ...seen } = unminedPayment(1);
    expect(blob).toBeDefined();
    wallet.store.write((w) => w.prepare(seen, [output(1, 1, 50n)], []));
    expect(await faultOf(() => place('a', paying([])))).toEqual({
      kind: 'order_failed',
      reason:
        'the daemon has its transaction in neither pool nor chain, and only the wallet that made it can relay it again',
    });
    wallet.answers.getTransactions = ([hash = bytes<Hash>(0)]) =>
      Promise.resolve({
        transactions: [{ hash, blob: new Uint8Array(), inPool: true, doubleSpendSeen: false }],
      });
    expect(hashesOf(await place('a', paying([])))).toEqual([201]);
    expect(sent).toEqual([]);
  });

  it.each<['confirmed' | 'failed', string]>([
    ['confirmed', 'mined'],
    ['failed', 'failed'],
  ])('does not send a payment that is %s by the time that it would be sent', async (_, state) => {
    await place('a', paying([1]));
    let release = (): void => undefined;
    const blocked = wallet.relay.exclusive(() => new Promise<void>((resolve) => (release = resolve)));
    const repeated = faultOf(() => place('a', paying([])));
    // The call has read the order, and waits to send its payment.
    await new Promise(setImmediate);
    if (state === 'failed') fail(1);
    else
      wallet.store.write((w) => {
        const known = w.outgoing.byHash(bytes<Hash>(201));
        if (known !== undefined) w.outgoing.confirm({ ...known, height: 9 });
      });
    release();
    await blocked;
    expect(await repeated).toEqual(state === 'failed' ? FAILED : undefined);
    expect([orders.get('a').state, sent]).toEqual([state, []]);
  });
});

describe('a list of orders', () => {
  /** Adds orders with numbers from 1 on; every tenth one was relayed. */
  function add(count: number): void {
    wallet.store.write((w) => {
      for (let n = 1; n <= count; n++)
        w.orders.add({
          ...{ key: `k${n}`, method: 'transfer', requestHash: bytes<Hash>(7), created: n },
          ...{ sent: false, made: { payments: n % 10 === 0 ? [made(1)] : [] } },
        });
    });
  }
  const listed = async (filter: Partial<Parameters<Orders['list']>[0]>) =>
    (await orders.list({ limit: 1000, before: 1000, ...filter })).map(({ order: { sequence } }) => sequence);

  it('is read to its end in many pages, and in other turns of the event loop', async () => {
    add(120);
    const turns = new EventLoopTurns();
    const all = await listed({});
    expect(all).toEqual(Array.from({ length: 120 }, (_, i) => 120 - i));
    expect(turns.count).toBeGreaterThanOrEqual(2);
    turns.stop();
  });

  it.each([49, 50, 51, 100])('of %d orders is complete', async (count) => {
    add(count);
    expect(await listed({})).toHaveLength(count);
  });

  it('has those in a state, up to a limit, before a number', async () => {
    add(120);
    expect(await listed({ state: 'prepared' })).toEqual([120, 110, 100, 90, 80, 70, 60, 50, 40, 30, 20, 10]);
    expect(await listed({ state: 'prepared', limit: 2 })).toEqual([120, 110]);
    expect(await listed({ state: 'prepared', before: 20 })).toEqual([10]);
    expect(await listed({ limit: 3, before: 100 })).toEqual([99, 98, 97]);
    expect(await listed({ limit: 0 })).toEqual([]);
  });

  it('ends with the wallet', async () => {
    add(60);
    const listing = faultOf(() => listed({}));
    isOpen = false;
    expect(await listing).toEqual({ kind: 'no_wallet' });
  });
});
