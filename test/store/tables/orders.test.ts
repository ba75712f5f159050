import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash } from '../../../src/monero/crypto/types.js';
import type { MadePayment, MadePayments } from '../../../src/model/made-payment.js';
import type { OrderTx } from '../../../src/model/order.js';
import type { SqlDatabase } from '../../../src/util/sql-database.js';
import { OrderWriter, type NewAttempt } from '../../../src/store/tables/orders.js';
import { madePayment, madeTx, unsignedPayment } from '../../support/wallets/made-payment.js';
import { migratedDatabase } from '../../support/wallets/migrated-database.js';
import { bytes } from '../fixtures.js';

let db: SqlDatabase;
let orders: OrderWriter;

beforeEach(() => {
  db = migratedDatabase();
  orders = new OrderWriter(db);
});
afterEach(() => db.close());

const REQUEST = { method: 'transfer', requestHash: bytes<Hash>(7), created: 1_700_000_000 };

/** Adds an order. @returns its number. */
function add(
  key: string,
  payments: readonly MadePayment[],
  more: Partial<MadePayments> = {},
  sent = true,
): number {
  orders.add({ key, ...REQUEST, sent, made: { payments, ...more } });
  return orders.byKey(key)?.sequence ?? 0;
}

const attempt = (sequence: number, position: number, number: number, more: Partial<NewAttempt> = {}): void =>
  orders.addAttempt({
    ...{ sequence, position, attempt: number, sent: true },
    made: madePayment(100 * sequence + 10 * position + number, [1]),
    ...more,
  });

/** Attempts of an order, each as its position, number and a fact. */
const attemptsOf = (key: string, fact: (tx: OrderTx) => unknown): unknown[] =>
  (orders.byKey(key)?.transactions ?? []).map((tx) => [tx.position, tx.attempt, fact(tx)]);

const rows = (sql: string): unknown[] => db.values(sql);

describe('an order', () => {
  it('comes back as it was recorded', () => {
    const blob = new Uint8Array([1, 2, 3]);
    const metadata = new Uint8Array([4, 5]);
    const payments = [
      madePayment(1, [1, 2], { signed: madeTx(1, { blob, metadata }) }),
      madePayment(2, [3], { keyImages: [] }),
      { ...unsignedPayment([4], 9), unsigned: madeTx(3, { blob, metadata }) },
      { ...unsignedPayment([5], 8), unsigned: madeTx(4) },
    ];
    const sets = { unsignedSet: new Uint8Array([6]), multisigSet: new Uint8Array([7, 8]) };
    const sequence = add('a', payments, sets);
    expect(orders.byKey('a')).toStrictEqual({
      ...{ sequence, key: 'a', ...REQUEST, ...sets },
      transactions: payments.map((made, position) => ({ sequence, position, attempt: 1, sent: true, made })),
    });
  });

  it('has no set where its call made none, and is not sent where the caller relays it', () => {
    const { signed, ...made } = madePayment(1, [1]);
    expect(signed).toBeDefined();
    const sequence = add('a', [made], {}, false);
    expect(orders.byKey('a')).toStrictEqual({
      ...{ sequence, key: 'a', ...REQUEST },
      transactions: [{ sequence, position: 0, attempt: 1, sent: false, made }],
    });
  });

  it('keeps the set of a repeated attempt', () => {
    const sequence = add('a', [unsignedPayment([1], 9)]);
    const signingSet = new Uint8Array([1, 2]);
    attempt(sequence, 0, 2, { signingSet, made: unsignedPayment([1], 8) });
    expect(attemptsOf('a', (tx) => tx.signingSet)).toStrictEqual([
      [0, 1, undefined],
      [0, 2, signingSet],
    ]);
  });

  it('has a key of its own', () => {
    add('a', [madePayment(1, [1])]);
    add('b', [madePayment(2, [2])]);
    expect(['a', 'b', 'c'].map((key) => orders.byKey(key)?.transactions[0]?.made.signed?.txHash)).toEqual([
      bytes(1),
      bytes(2),
      undefined,
    ]);
    expect(() => add('a', [])).toThrow('UNIQUE');
    expect(attemptsOf('a', () => 0)).toHaveLength(1);
  });

  it('lists its attempts by transaction, then by number', () => {
    const sequence = add('a', [madePayment(1, [1]), madePayment(2, [2])]);
    attempt(sequence, 1, 3);
    attempt(sequence, 0, 2);
    attempt(sequence, 1, 2);
    expect(attemptsOf('a', () => 0)).toEqual([
      [0, 1, 0],
      [0, 2, 0],
      [1, 1, 0],
      [1, 2, 0],
      [1, 3, 0],
    ]);
  });

  it('stores no empty blob', () => {
    add('a', [
      madePayment(1, [1]),
      madePayment(2, [2], { signed: madeTx(2, { blob: new Uint8Array([5]) }) }),
    ]);
    expect(rows('SELECT length(blob) FROM order_tx ORDER BY position')).toEqual([null, 1]);
  });

  it('that an earlier version recorded lacks the output keys of its inputs', () => {
    add('a', [madePayment(1, [1])]);
    db.exec("UPDATE order_tx SET made = json_remove(made, '$.inputs')");
    expect(attemptsOf('a', ({ made }) => [made.inputKeys, made.keyImages])).toEqual([
      [0, 1, [[], [bytes(101)]]],
    ]);
  });
});

describe('the list of orders', () => {
  it('has those before an order, latest first, up to a limit', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((key) => add(key, []));
    const listed = (before: number | undefined, limit: number): number[] =>
      orders.before(before ?? 0, limit).map(({ sequence }) => sequence);
    expect(listed(Number.MAX_SAFE_INTEGER, 10)).toEqual([c, b, a]);
    expect([listed(c, 10), listed(a, 10), listed(c, 1)]).toEqual([[b, a], [], [b]]);
  });
});

describe('a transaction before a rescan', () => {
  it('was mined at a height, unmined or unknown', () => {
    const insert = 'INSERT INTO reported_transfer VALUES (?, ?, 0, 50, 8, 2)';
    db.run(insert, bytes(1), 33);
    db.run(insert, bytes(2), null);
    expect([1, 2, 3].map((n) => orders.beforeRescan(bytes<Hash>(n)))).toStrictEqual([
      { height: 33 },
      {},
      undefined,
    ]);
  });
});

describe('a set that other wallets sign', () => {
  const unsettled = (): number[][] =>
    orders
      .unsettled()
      .map(({ sequence, position }) => [sequence, position])
      .sort(([, p = 0], [, q = 0]) => p - q);

  it('gets its hash in each attempt with its rings that is not settled', () => {
    const a = add('a', [unsignedPayment([1], 9), unsignedPayment([2], 8)]);
    const b = add('b', [unsignedPayment([1], 9)]);
    const c = add('c', [unsignedPayment([1], 9)]);
    orders.settle({ sequence: c, position: 0, attempt: 1 });
    expect(
      orders.sign(bytes<Hash>(9), bytes<Hash>(50)).map(({ sequence, position }) => [sequence, position]),
    ).toEqual([
      [a, 0],
      [b, 0],
    ]);
    const hashes = ['a', 'b', 'c'].map((key) => attemptsOf(key, ({ made }) => made.signed?.txHash));
    expect(hashes).toEqual([
      [
        [0, 1, bytes(50)],
        [1, 1, undefined],
      ],
      [[0, 1, bytes(50)]],
      [[0, 1, undefined]],
    ]);
  });

  it('is unsettled until it is settled, and a transaction that this wallet signed never is', () => {
    const a = add('a', [unsignedPayment([1], 9), madePayment(2, [2]), unsignedPayment([3], 8)]);
    const b = add('b', [madePayment(3, [3])]);
    expect(unsettled()).toEqual([
      [a, 0],
      [a, 2],
    ]);
    orders.settle({ sequence: b, position: 0, attempt: 1 });
    orders.settle({ sequence: a, position: 2, attempt: 1 });
    expect(unsettled()).toEqual([[a, 0]]);
  });

  it('has the rival of one attempt', () => {
    const keys = ['a', 'b'];
    for (const key of keys) {
      const sequence = add(key, [unsignedPayment([1], 9), unsignedPayment([2], 8)]);
      for (const position of [0, 1]) attempt(sequence, position, 2, { made: unsignedPayment([1], 7) });
    }
    orders.setRival({ sequence: orders.byKey('a')?.sequence ?? 0, position: 1, attempt: 2 }, bytes<Hash>(77));
    const rivals = (key: string) => attemptsOf(key, ({ rival }) => rival);
    expect(rivals('a')).toEqual([
      [0, 1, undefined],
      [0, 2, undefined],
      [1, 1, undefined],
      [1, 2, bytes(77)],
    ]);
    expect(rivals('b')).toEqual([
      [0, 1, undefined],
      [0, 2, undefined],
      [1, 1, undefined],
      [1, 2, undefined],
    ]);
  });
});

describe('a transaction that was not relayed', () => {
  const withdrawals = (key: string) => attemptsOf(key, ({ withdrawn }) => withdrawn);

  it('keeps its key for its order where the daemon refused it', () => {
    add('a', [madePayment(1, [1])]);
    add('b', [madePayment(2, [2])]);
    orders.withdraw(bytes<Hash>(1), 'refused');
    expect(['a', 'b'].map(withdrawals)).toEqual([[[0, 1, 'refused']], [[0, 1, undefined]]]);
  });

  it('leaves its key free where it was never sent', () => {
    add('a', [madePayment(1, [1])]);
    add('b', [madePayment(2, [2])]);
    orders.withdraw(bytes<Hash>(1), 'unsent');
    expect([orders.byKey('a'), withdrawals('b')]).toEqual([undefined, [[0, 1, undefined]]]);
    expect(rows('SELECT count(*) FROM order_tx')).toEqual([1]);
    orders.withdraw(bytes<Hash>(3), 'unsent');
    expect(withdrawals('b')).toEqual([[0, 1, undefined]]);
  });

  it('keeps the order of others, until none of these was sent', () => {
    add('a', [madePayment(1, [1]), madePayment(2, [2])]);
    orders.withdraw(bytes<Hash>(1), 'unsent');
    expect(withdrawals('a')).toEqual([
      [0, 1, 'unsent'],
      [1, 1, undefined],
    ]);
    orders.withdraw(bytes<Hash>(2), 'unsent');
    expect(orders.byKey('a')).toBeUndefined();
  });

  it('keeps the order of others that the daemon refused', () => {
    add('a', [madePayment(1, [1]), madePayment(2, [2])]);
    orders.withdraw(bytes<Hash>(2), 'refused');
    orders.withdraw(bytes<Hash>(1), 'unsent');
    expect(withdrawals('a')).toEqual([
      [0, 1, 'unsent'],
      [1, 1, 'refused'],
    ]);
  });

  it('stays refused where a later sending never left', () => {
    add('a', [madePayment(1, [1])]);
    orders.withdraw(bytes<Hash>(1), 'refused');
    orders.withdraw(bytes<Hash>(1), 'unsent');
    expect(withdrawals('a')).toEqual([[0, 1, 'refused']]);
  });

  it('stays as it is where the caller has it, but not where the daemon refused it', () => {
    add('a', [madePayment(1, [1])], {}, false);
    orders.withdraw(bytes<Hash>(1), 'unsent');
    expect(withdrawals('a')).toEqual([[0, 1, undefined]]);
    orders.withdraw(bytes<Hash>(1), 'refused');
    expect(withdrawals('a')).toEqual([[0, 1, 'refused']]);
  });

  it('is deleted where it repeats an earlier one and was never sent, and kept where the daemon refused it', () => {
    const sequence = add('a', [madePayment(1, [1])]);
    attempt(sequence, 0, 2, { made: madePayment(2, [1]) });
    attempt(sequence, 0, 3, { made: madePayment(3, [1]) });
    orders.withdraw(bytes<Hash>(2), 'refused');
    orders.withdraw(bytes<Hash>(3), 'unsent');
    expect(withdrawals('a')).toEqual([
      [0, 1, undefined],
      [0, 2, 'refused'],
    ]);
  });

  it('is deleted as the second attempt, too, and leaves the first one', () => {
    const sequence = add('a', [madePayment(1, [1])]);
    attempt(sequence, 0, 2, { made: madePayment(2, [1]) });
    orders.withdraw(bytes<Hash>(2), 'unsent');
    expect(withdrawals('a')).toEqual([[0, 1, undefined]]);
  });

  it('is so in every order that has it', () => {
    for (const key of ['a', 'b']) add(key, [madePayment(1, [1])]);
    orders.withdraw(bytes<Hash>(1), 'refused');
    expect(['a', 'b'].map(withdrawals)).toEqual([[[0, 1, 'refused']], [[0, 1, 'refused']]]);
  });

  it('has the numbers of earlier versions', () => {
    add('a', [madePayment(1, [1]), madePayment(2, [2]), madePayment(3, [3])]);
    orders.withdraw(bytes<Hash>(1), 'refused');
    orders.withdraw(bytes<Hash>(2), 'unsent');
    expect(rows('SELECT withdrawn FROM order_tx ORDER BY position')).toEqual([1, 2, 0]);
    expect(rows('SELECT sent FROM order_tx ORDER BY position')).toEqual([1, 1, 1]);
  });
});

describe('the figures of orders', () => {
  /** Sets the state of the payment with the hash of an attempt. */
  const payment = (n: number, state: string): void =>
    void db.run(
      `INSERT INTO outgoing_tx (tx_hash, state, account, from_indices, amount_in, fee, change, unlock_time, timestamp, height)
       VALUES (?, ?, 0, '[0]', 9, 1, 0, '0', 1, ?)`,
      bytes<Hash>(n),
      state,
      state === 'confirmed' ? 7 : null,
    );

  it('are absent without orders', () => {
    expect(orders.figures()).toBeUndefined();
  });

  it('count orders that wait, and those whose latest attempt failed', () => {
    add('waits', [madePayment(1, [1]), madePayment(2, [2])]);
    payment(1, 'pending');
    payment(2, 'prepared');
    add('mined', [madePayment(3, [3])]);
    payment(3, 'confirmed');
    add('failed', [madePayment(4, [4])]);
    payment(4, 'failed');
    const again = add('paid anew', [madePayment(5, [5])]);
    payment(5, 'failed');
    attempt(again, 0, 2, { made: madePayment(6, [6]) });
    payment(6, 'pending');
    // A payment without a key is no order.
    payment(7, 'pending');
    expect(orders.figures()).toEqual({ waiting: 2, failed: 1 });
  });
});
