import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, PublicKey } from '../../../src/monero/crypto/types.js';
import type { WalletEvent } from '../../../src/model/events.js';
import type { OutgoingTx } from '../../../src/monero/wallet/build/outgoing-tx.js';
import type { PoolTx } from '../../../src/monero/wallet/scan/findings.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import type { WalletWriter } from '../../../src/store/wallet-writer.js';
import { amount } from '../../../src/util/amount.js';
import { clearChain } from '../../support/chain/cleared-chain.js';
import { bytes, output, page, received } from '../fixtures.js';

const KEY = new Uint8Array(32);
const OUTPUT = output(1, 2, 50n);

const transfer: OutgoingTx = {
  ...{ txHash: bytes<Hash>(9), state: 'prepared', account: 0, fromIndices: [0], unlockTime: 0n },
  ...{ amountIn: amount(50n), change: amount(20n), fee: amount(1n), timestamp: 1, blob: Uint8Array.of(1) },
  destinations: [],
};

const pooled: PoolTx = {
  ...{ txHash: bytes<Hash>(3), timestamp: 1, unlockTime: 0n, fee: amount(1n), doubleSpendSeen: false },
  outputs: [
    {
      ...{ outputIndex: 0, amount: amount(5n), subaddress: { major: 0, minor: 0 } },
      publicKey: bytes<PublicKey>(103),
    },
  ],
};

let store: WalletStore;

/** Makes a store with a payment and a prepared transfer, without events as an earlier version wrote it. */
beforeEach(() => {
  store = WalletStore.create(':memory:', KEY);
  store.write((w) => w.meta.remove('events'));
  store.write((w) => w.applyPage(page(0, 5, { received: [received(1, 2)], outputs: [OUTPUT] })));
});

afterEach(() => store.close());

const events = (): WalletEvent[] => store.read((r) => r.events.after(0, 100));
const types = (): string[] => events().map(({ type }) => type);

const reserve = (w: WalletWriter): void => w.prepare(transfer, [OUTPUT], []);

describe('a store whose contents are not reported yet', () => {
  it.each<[string, readonly ((w: WalletWriter) => void)[], readonly string[]]>([
    [
      'a payment that is scanned out of order',
      [(w) => w.addFound({ ...page(0, 0), received: [received(2, 3)], outputs: [output(2, 3, 7n)] })],
      ['payment.mined', 'payment.confirmed'],
    ],
    [
      'a spend by a transaction that the wallet has not seen',
      [(w) => w.outputs.markSpentByUnknown(OUTPUT, true)],
      ['output.spent'],
    ],
    ['a transfer that is relayed', [reserve, (w) => w.markPending(transfer.txHash)], ['transfer.relayed']],
    ['a transfer that fails', [reserve, (w) => w.fail(transfer.txHash)], []],
    [
      'a payment that is added to the mempool',
      [
        (w) => {
          w.pool.add(pooled);
          w.events.poolChanged();
        },
      ],
      ['payment.seen'],
    ],
    [
      'a payment in a mempool that is read',
      [
        (w) => {
          w.pool.add(pooled);
          w.events.poolRead();
        },
      ],
      ['payment.seen'],
    ],
    ['that the wallet has reached the tip', [(w) => w.events.synced(5)], []],
  ])('does not report %s, but the state that follows from it at the end', (_, steps, reported) => {
    for (const step of steps) store.write(step);
    expect(events()).toEqual([]);
    expect(store.write((w) => w.events.beginNext())).toBe(true);
    expect(types()).toEqual(['payment.mined', 'payment.confirmed', ...reported]);
  });

  it('has nothing to take back after a rescan', () => {
    store.write(reserve);
    store.write((w) => w.markPending(transfer.txHash));
    store.write((w) => clearChain(w, { hard: true }));
    expect(store.write((w) => w.events.beginNext())).toBe(true);
    store.write((w) => w.applyPage(page(0, 5)));
    store.write((w) => w.events.poolRead());
    expect(events()).toEqual([]);
  });
});
