import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { amount } from '../../../src/util/amount.js';
import type { OutgoingState } from '../../../src/monero/wallet/build/outgoing-tx.js';
import type { SqlDatabase } from '../../../src/util/sql-database.js';
import { CredentialSpendWriter } from '../../../src/store/tables/credential-spends.js';
import { migratedDatabase } from '../../support/wallets/migrated-database.js';
import { bytes } from '../fixtures.js';

let db: SqlDatabase;
let spends: CredentialSpendWriter;

beforeEach(() => {
  db = migratedDatabase();
  spends = new CredentialSpendWriter(db);
});
afterEach(() => db.close());

/** Counts the n-th payment at a time. */
const spend = (n: number, time: number, value = 10n, credential = 'shop', txHash?: Hash): void =>
  spends.add({
    ...{ credential, signingHash: bytes<Hash>(n), time, amount: amount(value) },
    ...(txHash === undefined ? {} : { txHash }),
  });

/** Records the n-th transaction as a payment of the wallet. */
const record = (n: number, state: OutgoingState): void =>
  void db.run(
    `INSERT INTO outgoing_tx (tx_hash, state, height, account, from_indices, amount_in, fee, change, unlock_time, timestamp)
       VALUES (?, ?, ?, 0, '0', 50, 2, 8, '0', 1)`,
    bytes(n),
    state,
    state === 'confirmed' ? 5 : null,
  );

const sum = (credential = 'shop', after = 0): bigint => spends.sumAfter(credential, after);

describe('the sum of a credential', () => {
  it('has its payments after a time, not those at that time, and none of another credential', () => {
    spend(1, 100, 1n);
    spend(2, 101, 2n);
    spend(3, 102, 4n, 'till');
    expect([99, 100, 101].map((time) => sum('shop', time))).toEqual([3n, 2n, 0n]);
    expect([sum('till'), sum('nobody')]).toEqual([4n, 0n]);
    expect(['shop', 'till', 'nobody'].map((name) => spends.latest(name))).toEqual([101, 102, undefined]);
  });

  it('is exact beyond 32 and 64 bits', () => {
    const values = [(1n << 32n) - 1n, 1n << 32n, (1n << 63n) - 1n, (1n << 63n) - 2n];
    for (const [i, value] of values.entries()) spend(i, 100, value);
    expect(sum()).toBe(values.reduce((total, value) => total + value, 0n));
  });

  it('has a payment once, with its last amount and time', () => {
    spend(1, 100, 5n);
    spend(1, 200, 7n);
    expect([sum(), sum('shop', 150), spends.latest('shop')]).toEqual([7n, 7n, 200]);
    spend(1, 100, 5n, 'till');
    expect([sum(), sum('till')]).toEqual([7n, 5n]);
  });
});

describe('a withdrawn payment', () => {
  it('does not count for its credential, and others do', () => {
    spend(1, 100, 1n);
    spend(2, 100, 2n);
    spend(1, 100, 4n, 'till');
    spends.withdraw('shop', bytes<Hash>(1));
    expect([sum(), sum('till')]).toEqual([2n, 4n]);
    const counted = [1, 2].map((n) =>
      ['shop', 'till', 'nobody'].map((name) => spends.has(name, bytes<Hash>(n))),
    );
    expect(counted).toEqual([
      [false, true, false],
      [true, false, false],
    ]);
  });

  it('counts again once it is made again', () => {
    spend(1, 100, 1n);
    spends.withdraw('shop', bytes<Hash>(1));
    spend(1, 200, 3n);
    expect([sum('shop', 150), spends.has('shop', bytes<Hash>(1))]).toEqual([3n, true]);
  });

  it.each<[OutgoingState, bigint]>([
    ['prepared', 10n],
    ['pending', 10n],
    ['confirmed', 10n],
    ['failed', 0n],
  ])('whose transaction is %s counts as %s', (state, counted) => {
    spend(1, 100, 10n, 'shop', bytes<Hash>(51));
    spends.withdraw('shop', bytes<Hash>(1));
    record(52, 'confirmed');
    expect([sum(), spends.has('shop', bytes<Hash>(1))]).toEqual([0n, false]);
    record(51, state);
    expect([sum(), spends.has('shop', bytes<Hash>(1))]).toEqual([counted, counted > 0n]);
  });

  it('keeps the hash of its transaction where it is made again without one', () => {
    spend(1, 100, 10n, 'shop', bytes<Hash>(51));
    spend(1, 100, 10n);
    spends.withdraw('shop', bytes<Hash>(1));
    record(51, 'pending');
    expect(sum()).toBe(10n);
    spend(1, 100, 10n, 'shop', bytes<Hash>(52));
    spends.withdraw('shop', bytes<Hash>(1));
    expect(sum()).toBe(0n);
  });
});

describe('payments that are dated again', () => {
  it('are those of one credential after a time', () => {
    spend(1, 100, 1n);
    spend(2, 300, 2n);
    spend(3, 400, 4n);
    spend(4, 400, 8n, 'till');
    spends.redate('shop', 200);
    expect([sum('shop', 199), sum('shop', 200), sum(), sum('till', 399)]).toEqual([6n, 0n, 7n, 8n]);
  });
});
