import { describe, expect, it } from '@jest/globals';
import type { PaymentId } from '../../../src/monero/cryptonote/types.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import { paymentsIn } from '../../../src/store/events/payment-events.js';
import { output, page, received } from '../fixtures.js';

const to = (minor: number, major = 0): Partial<OwnedOutput> => ({ subaddress: { major, minor } });

/** Transaction, address and amount of each payment that is read from a page. */
const paymentsOf = (txs: readonly number[], outputs: readonly OwnedOutput[]): unknown =>
  paymentsIn(page(0, 1, { received: txs.map((n) => received(n, n)), outputs }))?.map(
    ({ txHash, subaddress: { major, minor }, amount }) => [txHash[0], major, minor, amount],
  );

describe('the payments of a page', () => {
  it('have the facts of their transactions', () => {
    const paymentId = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) as PaymentId;
    const tx = { ...received(1, 7), unlockTime: 9n, coinbase: true };
    const { txHash, height, timestamp } = tx;
    const outputs = [output(1, 7, 50n, to(2, 3))];
    const facts = {
      ...{ txHash, height, timestamp, unlockTime: 9n, coinbase: true, amount: 50n },
      subaddress: { major: 3, minor: 2 },
    };
    expect(paymentsIn(page(7, 1, { received: [tx], outputs }))).toStrictEqual([facts]);
    expect(paymentsIn(page(7, 1, { received: [{ ...tx, paymentId }], outputs }))).toStrictEqual([
      { ...facts, paymentId },
    ]);
  });

  it('add up the outputs of a transaction to one address, and no others', () => {
    const outputs = [
      output(1, 1, 1n, to(1)),
      output(1, 1, 2n, to(2)),
      output(1, 1, 4n, to(1)),
      output(1, 1, 8n, to(1, 1)),
      output(1, 1, 16n, to(2)),
      output(2, 2, 32n, to(1)),
      output(2, 2, 64n, to(1)),
    ];
    expect(paymentsOf([1, 2], outputs)).toEqual([
      [1, 0, 1, 5n],
      [1, 0, 2, 18n],
      [1, 1, 1, 8n],
      [2, 0, 1, 96n],
    ]);
  });

  it('are of one transaction each, though the next one pays the same address', () => {
    const outputs = [
      output(1, 1, 1n, to(1)),
      output(2, 2, 2n, to(2)),
      output(2, 2, 4n, to(1)),
      output(2, 2, 8n, to(1)),
    ];
    expect(paymentsOf([1, 2], outputs)).toEqual([
      [1, 0, 1, 1n],
      [2, 0, 2, 2n],
      [2, 0, 1, 12n],
    ]);
  });

  it('are without change, and without transactions that pay nothing', () => {
    const change = output(1, 1, 5n, { ...to(0), change: true });
    expect(paymentsOf([3, 1, 2], [change, output(1, 1, 1n, to(0)), output(2, 2, 7n, to(0))])).toEqual([
      [1, 0, 0, 1n],
      [2, 0, 0, 7n],
    ]);
    expect([paymentsOf([1], [change]), paymentsOf([], [])]).toEqual([[], []]);
  });

  it('are read elsewhere where the outputs are in another order than the transactions', () => {
    const outputs = [output(2, 2, 1n, to(0)), output(1, 1, 1n, to(0))];
    expect(paymentsOf([1, 2], outputs)).toBeUndefined();
    expect(paymentsOf([1], [output(1, 1, 1n, to(0)), output(2, 2, 1n, to(0))])).toBeUndefined();
    expect(paymentsOf([1, 2], [output(1, 1, 1n), output(2, 2, 1n), output(1, 1, 1n)])).toBeUndefined();
  });
});
