import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SubaddressIndex } from '../../../src/monero/cryptonote/types.js';
import type { Receipt } from '../../../src/model/payment-request.js';
import type { SqlDatabase } from '../../../src/util/sql-database.js';
import { RequestPayments } from '../../../src/store/tables/request-payments.js';
import { migratedDatabase } from '../../support/wallets/migrated-database.js';
import { bytes } from '../fixtures.js';

let db: SqlDatabase;
let payments: RequestPayments;

beforeEach(() => {
  db = migratedDatabase();
  payments = new RequestPayments(db);
});
afterEach(() => db.close());

const at = (minor: number, major = 0): SubaddressIndex => ({ major, minor });

/** Output to an address. */
interface Paid {
  readonly to: SubaddressIndex;
  readonly amount: number;
  /** Amount that is credited, where it is another one. */
  readonly credited?: number;
  readonly isChange?: boolean;
}

/** Stores a transaction in a block. @param timestamp of the block; absent: later the higher it is. */
function mine(
  tx: number,
  height: number,
  outputs: readonly Paid[],
  unlockTime = '0',
  timestamp = 1000 + height,
): void {
  db.run(
    `INSERT INTO received_tx (tx_hash, height, timestamp, unlock_time, fee, coinbase, tx_public_key, additional_keys)
     VALUES (?, ?, ?, ?, 1, 0, ?, x'')`,
    bytes(tx),
    height,
    timestamp,
    unlockTime,
    bytes(tx),
  );
  const insert = `INSERT INTO owned_output (tx_hash, output_index, global_index, public_key, amount, mask, rct, account, minor,
       derivation_key, height, unlock_time, coinbase, change, credited)
     VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, 0, ?, ?)`;
  for (const [i, { to, amount, credited, isChange = false }] of outputs.entries())
    db.run(
      insert,
      ...[
        bytes<Uint8Array>(tx),
        i,
        10 * tx + i,
        bytes<Uint8Array>(300 + 10 * tx + i),
        amount,
        bytes<Uint8Array>(1),
        to.major,
        to.minor,
        bytes<Uint8Array>(tx),
      ],
      ...[height, unlockTime, Number(isChange), credited ?? null],
    );
}

/** Stores a payment in the mempool. @param key number of its output key. @param goneHeight tip without it. */
function see(
  tx: number,
  { major, minor }: SubaddressIndex,
  amount: number,
  {
    timestamp = 2000,
    key = 900 + tx,
    goneHeight,
    unlockTime = '0',
  }: Partial<Record<'timestamp' | 'key' | 'goneHeight', number>> & { unlockTime?: string } = {},
): void {
  db.run(
    'INSERT OR IGNORE INTO pool_tx VALUES (?, ?, ?, 1, NULL, 0, NULL)',
    bytes(tx),
    timestamp,
    unlockTime,
  );
  db.run(
    'INSERT INTO seen_payment VALUES (?, ?, ?, ?, ?, ?, NULL, ?, ?, 0)',
    ...[bytes<Uint8Array>(tx), major, minor, amount, timestamp, unlockTime, tx, goneHeight ?? null],
  );
  db.run(
    'INSERT INTO seen_output VALUES (?, ?, ?, ?, ?, ?)',
    bytes(tx),
    minor,
    major,
    minor,
    bytes(key),
    amount,
  );
}

/** Stores a payment that a rescan has not found again. */
const report = (tx: number, { major, minor }: SubaddressIndex, height: number, amount: number): void =>
  void db.run(
    "INSERT INTO reported_payment VALUES (?, ?, ?, ?, ?, ?, '7', 0, NULL)",
    bytes(tx),
    major,
    minor,
    height,
    amount,
    1000 + height,
  );

const arrive = (
  tx: number,
  { major, minor }: SubaddressIndex,
  time: number,
  { contested = 0, since }: { readonly contested?: number; readonly since?: number } = {},
): void =>
  void db.run(
    'INSERT INTO arrival (tx_hash, account, minor, time, since, contested) VALUES (?, ?, ?, ?, ?, ?)',
    bytes(tx),
    major,
    minor,
    time,
    since ?? null,
    contested,
  );

/** A fact of each payment to an address, after the number of its transaction. */
const paid = (to: SubaddressIndex, fact: (receipt: Receipt) => unknown): unknown[] =>
  payments
    .to([to])(to)
    .map((payment) => [payment.txHash[0], fact(payment)]);

const amounts = (to: SubaddressIndex): unknown[] => paid(to, ({ amount }) => amount);

describe('the payments to an address', () => {
  it('are one for each transaction, in the order of the blocks, unmined ones last', () => {
    mine(9, 5, [
      { to: at(1), amount: 1 },
      { to: at(2), amount: 2 },
      { to: at(1), amount: 4 },
    ]);
    mine(3, 5, [{ to: at(1), amount: 8 }]);
    mine(7, 2, [{ to: at(1), amount: 16 }]);
    see(4, at(1), 32, { timestamp: 2050 });
    see(2, at(1), 64, { timestamp: 2040 });
    see(5, at(1), 128, { timestamp: 2050 });
    report(8, at(1), 3, 256);
    expect(amounts(at(1))).toEqual([
      [7, 16n],
      [8, 256n],
      [3, 8n],
      [9, 5n],
      [2, 64n],
      [4, 32n],
      [5, 128n],
    ]);
    expect(amounts(at(2))).toEqual([[9, 2n]]);
  });

  it('of one block are in the order of their hashes, wherever they are stored', () => {
    for (const tx of [9, 3, 6]) mine(tx, 5, [{ to: at(1), amount: 1 }]);
    for (const tx of [8, 2, 5]) report(tx, at(1), 5, 1);
    expect(amounts(at(1))).toEqual([2, 3, 5, 6, 8, 9].map((tx) => [tx, 1n]));
  });

  it('are in the order of the blocks whatever these are dated, and unmined ones in that of their arrival', () => {
    see(4, at(1), 1, { timestamp: 50 });
    see(3, at(1), 1, { timestamp: 60 });
    see(8, at(1), 1, { timestamp: 40 });
    mine(1, 7, [{ to: at(1), amount: 1 }], '0', 100);
    mine(2, 5, [{ to: at(1), amount: 1 }], '0', 300);
    mine(5, 6, [{ to: at(1), amount: 1 }], '0', 200);
    expect(paid(at(1), ({ unlockTime }) => unlockTime)).toEqual([2, 5, 1, 8, 4, 3].map((tx) => [tx, 0n]));
  });

  it('have their facts', () => {
    mine(1, 5, [{ to: at(1), amount: 1 }], '77');
    see(2, at(1), 2, { unlockTime: '12' });
    report(3, at(1), 6, 4);
    const facts = { isContested: false, earliestArrival: undefined, confirmedTo: undefined };
    expect(payments.to([at(1)])(at(1))).toStrictEqual([
      { ...facts, txHash: bytes(1), amount: 1n, arrival: 1005, height: 5, unlockTime: 77n },
      { ...facts, txHash: bytes(3), amount: 4n, arrival: 1006, height: 6, unlockTime: 7n },
      { ...facts, txHash: bytes(2), amount: 2n, arrival: 2000, height: undefined, unlockTime: 12n },
    ]);
  });

  it('are none to another address or account, and no change', () => {
    mine(1, 5, [
      { to: at(1), amount: 1 },
      { to: at(1, 3), amount: 2 },
      { to: at(3, 1), amount: 4 },
      { to: at(1), amount: 8, isChange: true },
    ]);
    see(2, at(1, 3), 16);
    see(4, at(3), 32);
    report(3, at(1, 3), 4, 64);
    report(5, at(3), 4, 128);
    expect([at(1), at(1, 3), at(3), at(3, 1), at(9)].map(amounts)).toEqual([
      [[1, 1n]],
      [
        [3, 64n],
        [1, 2n],
        [2, 16n],
      ],
      [
        [5, 128n],
        [4, 32n],
      ],
      [[1, 4n]],
      [],
    ]);
  });

  it('count with the amounts that are credited', () => {
    mine(1, 5, [{ to: at(1), amount: 10, credited: 0 }]);
    mine(2, 6, [
      { to: at(1), amount: 10, credited: 3 },
      { to: at(1), amount: 7, credited: 0 },
    ]);
    expect(amounts(at(1))).toEqual([[2, 3n]]);
  });

  it('count once where unmined ones share an output key', () => {
    see(1, at(1), 10, { key: 50 });
    see(2, at(1), 25, { key: 50 });
    see(3, at(1), 20, { key: 50 });
    mine(4, 5, [{ to: at(1), amount: 1 }]);
    expect(amounts(at(1))).toEqual([
      [4, 1n],
      [1, 10n],
      [2, 15n],
    ]);
  });

  it('count as their events have reported them where the outputs are not known', () => {
    see(1, at(1), 10);
    db.exec('DELETE FROM seen_output');
    expect(amounts(at(1))).toEqual([[1, 10n]]);
  });

  it('that a rescan has found again are in its block alone', () => {
    report(1, at(1), 5, 10);
    report(2, at(1), 6, 20);
    mine(1, 7, [{ to: at(1), amount: 11 }]);
    expect(amounts(at(1))).toEqual([
      [2, 20n],
      [1, 11n],
    ]);
  });
});

describe('the arrival of a payment', () => {
  it('is the recorded one, whatever its block is dated; without one the date of the block', () => {
    mine(1, 50, [{ to: at(1), amount: 1 }]);
    mine(3, 50, [{ to: at(1), amount: 1 }]);
    mine(4, 50, [{ to: at(1), amount: 1 }]);
    arrive(1, at(1), 1049);
    arrive(3, at(1), 1051);
    see(5, at(1), 1, { timestamp: 2000 });
    arrive(5, at(1), 1999);
    report(6, at(1), 60, 1);
    arrive(6, at(1), 1001);
    expect(paid(at(1), ({ arrival }) => arrival)).toEqual([
      [1, 1049],
      [3, 1051],
      [4, 1050],
      [6, 1001],
      [5, 1999],
    ]);
  });

  it('is open while the mempool alone was seen to have it', () => {
    see(1, at(1), 1);
    see(2, at(1), 1);
    mine(3, 50, [{ to: at(1), amount: 1 }]);
    arrive(1, at(1), 1999);
    for (const tx of [2, 3]) arrive(tx, at(1), 1999, { since: 1900 });
    expect(paid(at(1), ({ earliestArrival }) => earliestArrival)).toEqual([
      [3, undefined],
      [1, undefined],
      [2, 1900],
    ]);
  });

  it('is that at its address', () => {
    mine(1, 50, [{ to: at(1), amount: 1 }]);
    mine(2, 50, [{ to: at(1), amount: 1 }]);
    arrive(1, at(2), 7);
    arrive(1, at(1, 1), 8);
    arrive(2, at(1), 9);
    expect(paid(at(1), ({ arrival }) => arrival)).toEqual([
      [1, 1050],
      [2, 9],
    ]);
  });
});

describe('the tip that has confirmed a payment before a rescan', () => {
  const tips = (): unknown[] => paid(at(1), ({ confirmedTo }) => confirmedTo);

  it('is that before the rescan, except of a payment that is new since, and of one in the mempool', () => {
    mine(1, 5, [{ to: at(1), amount: 1 }]);
    mine(2, 6, [{ to: at(1), amount: 1 }]);
    report(3, at(1), 7, 1);
    see(4, at(1), 1);
    db.run('INSERT INTO fresh_payment VALUES (?, 0, 1, ?)', bytes(2), -1);
    db.run('INSERT INTO fresh_payment VALUES (?, 1, 1, ?)', bytes(1), -1);
    const all = (before: number | undefined, fresh: number | undefined): unknown[] => [
      [1, before],
      [2, fresh],
      [3, before],
      [4, undefined],
    ];
    expect(tips()).toEqual(all(undefined, undefined));
    db.exec("INSERT INTO meta VALUES ('rescan_to', '90')");
    expect(tips()).toEqual(all(90, -1));
    expect(
      payments
        .receiptsAt([at(1)])(at(1))
        .map(({ confirmedTo }) => confirmedTo),
    ).toEqual([...[90, -1, 90, undefined]]);
  });
});

describe('a payment is contested', () => {
  it('while the mempool has another spend of its inputs, or lacks it', () => {
    see(1, at(1), 1);
    see(2, at(1), 1);
    arrive(2, at(1), 1, { contested: 1 });
    see(3, at(1), 1, { goneHeight: 0 });
    arrive(3, at(1), 1);
    see(4, at(1), 1);
    arrive(4, at(1), 1);
    see(5, at(1), 1, { goneHeight: 4 });
    expect(paid(at(1), ({ isContested }) => isContested)).toEqual([
      [1, false],
      [2, true],
      [3, true],
      [4, false],
      [5, true],
    ]);
  });

  it('no longer once it is mined, or was before a rescan', () => {
    mine(1, 5, [{ to: at(1), amount: 1 }]);
    report(2, at(1), 6, 1);
    for (const tx of [1, 2]) arrive(tx, at(1), 1, { contested: 1 });
    expect(paid(at(1), ({ isContested }) => isContested)).toEqual([
      [1, false],
      [2, false],
    ]);
  });
});

describe('the receipts of addresses', () => {
  const asked = [at(1), at(2), at(1, 1), at(9), at(9, 9)];
  const places = (read: (to: SubaddressIndex) => readonly Receipt[]): unknown[] =>
    asked.map((to) => {
      const sums = new Map<number | undefined, bigint>();
      for (const { height, amount } of read(to)) sums.set(height, (sums.get(height) ?? 0n) + amount);
      return Object.fromEntries(sums);
    });

  it('have the sums of the payments', () => {
    mine(1, 5, [
      { to: at(1), amount: 1 },
      { to: at(2), amount: 2 },
      { to: at(1), amount: 4 },
    ]);
    mine(2, 6, [
      { to: at(1, 1), amount: 8 },
      { to: at(1), amount: 16, credited: 0 },
    ]);
    see(3, at(1), 32);
    see(4, at(2), 64, { key: 50 });
    see(5, at(2), 64, { key: 50 });
    report(6, at(1, 1), 7, 128);
    const sums = [{ 5: 5n, undefined: 32n }, { 5: 2n, undefined: 64n }, { 6: 8n, 7: 128n }, {}, {}];
    expect([places(payments.receiptsAt(asked)), places(payments.to(asked))]).toEqual([sums, sums]);
    expect(
      payments
        .receiptsAt([at(1)])(at(1))
        .every(({ amount }) => amount > 0n),
    ).toBe(true);
    expect([payments.to([])(at(1)), payments.receiptsAt([at(1)])(at(1, 1))]).toEqual([[], []]);
  });

  it('have the facts of the payments', () => {
    mine(1, 5, [{ to: at(1), amount: 1 }], '77');
    arrive(1, at(1), 9);
    expect(payments.receiptsAt([at(1)])(at(1))).toStrictEqual([
      {
        ...{ amount: 1n, arrival: 9, height: 5, unlockTime: 77n, isContested: false },
        ...{ earliestArrival: undefined, confirmedTo: undefined },
      },
    ]);
  });
});
