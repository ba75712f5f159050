import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, PublicKey } from '../../../src/monero/crypto/types.js';
import type { SubaddressIndex } from '../../../src/monero/cryptonote/types.js';
import type { PoolTx } from '../../../src/monero/wallet/scan/findings.js';
import type { EventType, WalletEvent } from '../../../src/model/events.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { amount } from '../../../src/util/amount.js';
import { bytes, output, page, received } from '../fixtures.js';

const HOME: SubaddressIndex = { major: 0, minor: 0 };
const SHOP: SubaddressIndex = { major: 0, minor: 3 };
const PAYMENT_ID = new Uint8Array(8).fill(7);

let file: WalletStore;
let last: number;

beforeEach(() => {
  last = 0;
  file = WalletStore.create(':memory:', new Uint8Array(32), (w) => w.applyPage(page(0, 5)));
});

/** Transaction in the mempool: its number and the amounts of its outputs. */
type Pooled = readonly [
  tx: number,
  outputs: readonly (readonly [SubaddressIndex, bigint])[],
  paymentId?: Uint8Array,
];

const toPoolTx = ([tx, outputs, paymentId]: Pooled): PoolTx => ({
  ...{ txHash: bytes<Hash>(tx), timestamp: 77, unlockTime: 9n, fee: amount(1n), doubleSpendSeen: false },
  ...(paymentId === undefined ? {} : { paymentId }),
  outputs: outputs.map(([subaddress, value], outputIndex) => ({
    ...{ outputIndex, subaddress, amount: amount(value) },
    publicKey: bytes<PublicKey>(100 + 10 * tx + outputIndex),
  })),
});

/** Reads the whole mempool, which has these transactions. */
const readPool = (...txs: readonly Pooled[]): void =>
  file.write((w) => {
    for (const txHash of w.pool.hashes()) w.pool.remove(txHash);
    for (const tx of txs) w.pool.add(toPoolTx(tx));
    w.events.poolRead();
  });

const mineBlock = (): void => file.write((w) => w.applyPage(page(file.height(), 1)));

/** Events since the last call. */
function fresh(): WalletEvent[] {
  const events = file.read((r) => r.events.after(last, 1000));
  last = events.at(-1)?.id ?? last;
  return events;
}

const types = (): string[] => fresh().map(({ type }) => type);

const payment: Pooled = [1, [[HOME, 50n]]];

describe('a payment in the mempool', () => {
  it('is reported once for each address, with the sum of its outputs and its payment id', () => {
    const paid: Pooled = [
      1,
      [
        [HOME, 5n],
        [SHOP, 7n],
        [HOME, 11n],
      ],
      PAYMENT_ID,
    ];
    readPool(paid);
    readPool(paid);
    const facts = { txHash: bytes<Hash>(1), timestamp: 77, unlockTime: 9n, coinbase: false };
    expect(fresh().map(({ type, data }) => ({ type, data }))).toStrictEqual([
      {
        type: 'payment.seen',
        data: { ...facts, subaddress: HOME, amount: 16n, paymentId: PAYMENT_ID },
      },
      { type: 'payment.seen', data: { ...facts, subaddress: SHOP, amount: 7n, paymentId: PAYMENT_ID } },
    ]);
  });

  it('is reported without a read of the whole mempool, which alone can miss another one', () => {
    readPool(payment);
    fresh();
    file.write((w) => {
      w.pool.remove(bytes<Hash>(1));
      w.pool.add(toPoolTx([2, [[SHOP, 7n]]]));
      w.events.poolChanged();
    });
    expect(fresh()).toMatchObject([{ type: 'payment.seen', data: { txHash: bytes<Hash>(2), amount: 7n } }]);
    readPool();
    for (let block = 0; block < 2; block++) {
      mineBlock();
      readPool();
    }
    expect(types()).toEqual(['payment.reversed', 'payment.reversed']);
  });

  it('is reported without a payment id where it has none', () => {
    readPool(payment);
    expect(fresh().map(({ data }) => 'paymentId' in data)).toEqual([false]);
  });

  it('is named by the event of its block', () => {
    readPool(payment);
    const [seen] = fresh();
    file.write((w) => w.applyPage(page(5, 1, { received: [received(1, 5)], outputs: [output(1, 5, 50n)] })));
    expect(fresh()[0]).toMatchObject({ type: 'payment.mined', data: { seen: seen?.id, amount: 50n } });
  });

  it('is not reversed before two later reads above the height at which it was first missing', () => {
    readPool(payment);
    const [seen] = fresh();
    for (let read = 0; read < 5; read++) readPool();
    mineBlock();
    expect(types()).toEqual([]);
    readPool();
    expect(types()).toEqual([]);
    readPool();
    expect(fresh()).toMatchObject([
      { type: 'payment.reversed', data: { amount: 50n, reverses: seen?.id, reason: 'dropped' } },
    ]);
    // A reversal has no height here, so it belongs to no block of the wallet's history.
    const reversals = (names?: readonly EventType[]): number =>
      file
        .read((r) => r.events.after(seen?.id ?? 0, 1000, names, { live: true }))
        .filter(({ type }) => type === 'payment.reversed').length;
    file.write((w) => w.meta.set('arrival_height', '3'));
    expect([reversals(), reversals(['payment.reversed'])]).toEqual([1, 1]);
    readPool();
    expect(types()).toEqual([]);
  });

  it('is reversed after the first block of a wallet as after any other', () => {
    file = WalletStore.create(':memory:', new Uint8Array(32));
    readPool(payment);
    readPool();
    mineBlock();
    readPool();
    expect(types()).toEqual(['payment.seen']);
    readPool();
    expect(types()).toEqual(['payment.reversed']);
  });

  it('is reported if it adds at least the smallest unit to an output with its one-time key', () => {
    const found = { received: [received(2, 5)], outputs: [output(2, 5, 50n, { publicKey: bytes(110) })] };
    file.write((w) => w.applyPage(page(5, 1, found)));
    fresh();
    readPool(payment);
    expect(types()).toEqual([]);
    readPool([1, [[HOME, 51n]]]);
    expect(fresh()).toMatchObject([{ type: 'payment.seen', data: { amount: 1n } }]);
  });

  it('is kept if a block that is scanned later contains it', () => {
    readPool(payment);
    fresh();
    readPool();
    mineBlock();
    readPool();
    file.write((w) => w.applyPage(page(6, 1, { received: [received(1, 6)], outputs: [output(1, 6, 50n)] })));
    readPool();
    readPool();
    expect(types()).toEqual(['payment.mined', 'payment.confirmed']);
  });

  it('stays reported while it is missing and comes back, and may be missing anew', () => {
    readPool(payment);
    fresh();
    for (let time = 0; time < 3; time++) {
      readPool();
      mineBlock();
      readPool();
      readPool(payment);
    }
    expect(types()).toEqual([]);
    readPool();
    mineBlock();
    readPool();
    expect(types()).toEqual([]);
    readPool();
    expect(types()).toEqual(['payment.reversed']);
  });

  it('is reversed and reported anew when another amount of it is credited', () => {
    readPool(payment);
    fresh();
    readPool([1, [[HOME, 20n]]]);
    expect(fresh()).toMatchObject([
      { type: 'payment.reversed', data: { amount: 50n, reason: 'dropped' } },
      { type: 'payment.seen', data: { amount: 20n } },
    ]);
  });

  it('is reversed at once when its block credits nothing to its address', () => {
    readPool([
      1,
      [
        [HOME, 50n],
        [SHOP, 4n],
      ],
    ]);
    fresh();
    file.write((w) => w.applyPage(page(5, 1, { received: [received(1, 5)], outputs: [output(1, 5, 50n)] })));
    readPool();
    expect(fresh().filter(({ type }) => type !== 'payment.confirmed')).toMatchObject([
      { type: 'payment.mined', data: { subaddress: HOME } },
      { type: 'payment.reversed', data: { subaddress: SHOP, amount: 4n } },
    ]);
  });

  it('is reversed if its transaction is mined but pays nothing other than change', () => {
    readPool(payment);
    const [seen] = fresh();
    const found = { received: [received(1, 5)], outputs: [output(1, 5, 50n, { change: true })] };
    file.write((w) => w.applyPage(page(5, 1, found)));
    readPool();
    expect(fresh()).toMatchObject([{ type: 'payment.reversed', data: { reverses: seen?.id } }]);
  });

  it('is reversed at once if it turns out to be an own transfer', () => {
    readPool(payment);
    const [seen] = fresh();
    file.write((w) => w.removeIncoming(bytes<Hash>(1)));
    expect(fresh()).toMatchObject([{ type: 'payment.reversed', data: { reverses: seen?.id } }]);
  });
});
