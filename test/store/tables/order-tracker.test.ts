import { describe, expect, it } from '@jest/globals';
import type { Hash, PublicKey } from '../../../src/monero/crypto/types.js';
import { exclusions, trackOrder } from '../../../src/store/tables/order-tracker.js';
import { UNKNOWN_TX } from '../../../src/store/tables/output-row.js';
import type { WalletReader } from '../../../src/store/wallet-reader.js';
import { equalBytes } from '../../../src/util/bytes.js';
import type { OrderTx } from '../../../src/model/order.js';
import type { OutgoingState } from '../../../src/monero/wallet/build/outgoing-tx.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import { madePayment, unsignedPayment } from '../../support/wallets/made-payment.js';
import { bytes, output } from '../../store/fixtures.js';

/** Records of a wallet. */
interface Records {
  /** Outputs, by their output keys. */
  readonly outputs?: readonly OwnedOutput[];
  /** Payments by the number of their hash. */
  readonly outgoing?: Readonly<Record<number, { readonly state: OutgoingState; readonly height?: number }>>;
  /** Transactions before a rescan, by the number of their hash. */
  readonly before?: Readonly<Record<number, { readonly height?: number }>>;
}

const readerOf = ({ outputs = [], outgoing = {}, before = {} }: Records) =>
  ({
    outputs: {
      byPublicKey: (key: PublicKey) => outputs.find(({ publicKey }) => equalBytes(publicKey, key)),
    },
    outgoing: { byHash: ([n = 0]: Hash) => outgoing[n] },
    orders: { beforeRescan: ([n = 0]: Hash) => before[n] },
  }) as unknown as WalletReader;

/** Attempt with the n-th hash, which spends outputs 1 and 2. */
const attempt = (n: number, more: Partial<OrderTx> = {}): OrderTx => ({
  ...{ sequence: 1, position: 0, attempt: 1, sent: false },
  made: madePayment(n, [1, 2]),
  ...more,
});

/** Output that a transaction spends, in a block unless it is unmined. */
const spent = (n: number, by: number, height?: number): OwnedOutput =>
  output(n, 2, 50n, { spentBy: bytes<Hash>(by), ...(height === undefined ? {} : { spentHeight: height }) });

const tracked = (tx: OrderTx, records: Records) => {
  const { order, state, positions } = trackOrder(readerOf(records), {
    ...{ sequence: 1, key: 'a', method: 'transfer', requestHash: bytes<Hash>(7), created: 1 },
    transactions: [tx],
  });
  expect(order.transactions).toEqual([tx]);
  const [{ current } = { current: undefined }] = positions;
  expect(current).toMatchObject({ ...tx, state });
  return { state, isRecorded: current?.isRecorded, ...(current?.height && { height: current.height }) };
};

describe('an attempt that is recorded as a payment', () => {
  it.each([
    ['prepared', 'prepared'],
    ['pending', 'relayed'],
    ['failed', 'failed'],
  ] as const)('has the state of the payment: %s is %s', (state, expected) => {
    const records = { outgoing: { 9: { state } }, before: { 9: {} }, outputs: [spent(1, 8, 3)] };
    for (const sent of [true, false])
      expect(tracked(attempt(9, { sent }), records)).toEqual({ state: expected, isRecorded: true });
    expect(tracked(attempt(9, { withdrawn: 'refused' }), records).state).toBe(expected);
  });

  it('is mined until a rescan has passed its block, although the rescan keeps its payment as a pending one', () => {
    const of = (state: OutgoingState) =>
      tracked(attempt(9), { outgoing: { 9: { state } }, before: { 9: { height: 4 } } });
    expect(of('pending')).toEqual({ state: 'mined', isRecorded: true, height: 4 });
    for (const state of ['prepared', 'failed'] as const)
      expect(of(state)).toEqual({ state, isRecorded: true });
  });

  it('is mined at a height', () => {
    const records = { outgoing: { 9: { state: 'confirmed' as const, height: 44 } } };
    expect(tracked(attempt(9), records)).toEqual({ state: 'mined', isRecorded: true, height: 44 });
  });
});

describe('an attempt without a record', () => {
  it('is where it was before a rescan, until the rescan has passed its height', () => {
    const of = (height?: number) =>
      tracked(attempt(9, { sent: true }), { before: { 9: height ? { height } : {} } });
    expect(of(44)).toEqual({ state: 'mined', isRecorded: false, height: 44 });
    expect(of()).toEqual({ state: 'relayed', isRecorded: false });
  });

  it.each<[string, Partial<OrderTx>, Records, string]>([
    ['waits for its caller', {}, {}, 'prepared'],
    [
      'waits for its caller where it is what spends its inputs',
      {},
      { outputs: [spent(1, 9, 3)] },
      'prepared',
    ],
    ['failed where it was sent', { sent: true }, {}, 'failed'],
    ['failed where the daemon refused it', { withdrawn: 'refused' }, {}, 'failed'],
    ['failed where it was never sent', { withdrawn: 'unsent' }, {}, 'failed'],
    ['failed where another transaction spends an input', {}, { outputs: [spent(2, 8, 3)] }, 'failed'],
    ['failed where another transaction reserves an input', {}, { outputs: [spent(2, 8)] }, 'failed'],
    [
      'waits for its signers where an input is spent',
      { made: unsignedPayment([1, 2], 6) },
      { outputs: [spent(1, 8, 3)] },
      'prepared',
    ],
    [
      'failed where a transaction with other rings spends an input',
      { made: unsignedPayment([1, 2], 6), rival: bytes<Hash>(8) },
      { outputs: [spent(1, 8, 3)] },
      'failed',
    ],
  ])('%s', (_, facts, records, state) => {
    expect(tracked(attempt(9, facts), records)).toEqual({ state, isRecorded: false });
  });
});

describe('a spend that excludes an attempt', () => {
  const excluding = (tx: OrderTx, ...outputs: OwnedOutput[]) =>
    exclusions(readerOf({ outputs }), tx).map(({ txHash, height }) => [txHash[0], height]);

  it('is one by another transaction, with its height once it is mined', () => {
    const tx = attempt(9);
    expect(excluding(tx, spent(1, 8, 3), spent(2, 7))).toEqual([
      [8, 3],
      [7, undefined],
    ]);
    expect(excluding(tx, spent(1, 9, 3), output(2, 2, 50n))).toEqual([]);
    expect(excluding(tx, output(1, 2, 50n, { spentBy: UNKNOWN_TX, spentHeight: 3 }))).toEqual([]);
  });

  it('is the one with other rings where other wallets sign the attempt', () => {
    const made = unsignedPayment([1, 2], 6);
    const [first, second] = [spent(1, 8, 3), spent(2, 7, 4)];
    expect(excluding(attempt(9, { made }), first, second)).toEqual([]);
    expect(excluding(attempt(9, { made, rival: bytes<Hash>(7) }), first, second)).toEqual([[7, 4]]);
  });

  it('is unknown for a set of an earlier version, which has neither hash nor rings', () => {
    const { signed, ...made } = madePayment(9, [1, 2]);
    expect(signed).toBeDefined();
    expect(excluding(attempt(9, { made }), spent(1, 8, 3))).toEqual([]);
  });
});
