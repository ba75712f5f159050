import { beforeEach, describe, expect, it } from '@jest/globals';
import { WalletError } from '../../src/model/wallet-error.js';
import { WalletFactReader, type WatchedWallet } from '../../src/watch/wallet-facts.js';

let reads: number;
let version: number;
let isDamaged: boolean;
let wallet: WatchedWallet;

beforeEach(() => {
  reads = 0;
  version = 1;
  isDamaged = false;
  wallet = {
    name: 'w',
    store: {
      height: () => 90,
      get isDamaged() {
        return isDamaged;
      },
      get version() {
        return version;
      },
      read: (() => {
        reads += 1;
        if (isDamaged) throw new WalletError({ kind: 'wallet_corrupt', name: 'w', reason: 'damaged' });
        return { unmined: { pending: 1, failed: 2 }, requests: new Map([['waiting', 8]]) };
      }) as WatchedWallet['store']['read'],
      fileSizes: () => ({ main: 4096, log: 32 }),
    },
    sync: {
      ...{ daemonHeight: 95, catchUp: { from: 5, next: 60, height: 90 } },
      ...{ newerBlock: { height: 90, version: 17 }, unreadableInPool: 3 },
    },
    paymentRoutes: { held: 6 },
    eventLog: { lastId: 9 },
    webhooks: { backlog: () => ({ events: 3, retries: 4 }) },
  };
});

const STORED = {
  ...{ pendingPayments: 1, failedPayments: 2, webhookEvents: 3, webhookRetries: 4, lastEvent: 9 },
  requests: new Map([['waiting', 8]]),
};

describe('the figures of a wallet', () => {
  it('are those of its store, its files and the daemon', () => {
    expect(new WalletFactReader().read(wallet, 100)).toEqual({
      ...{ name: 'w', height: 90, daemonHeight: 100, blocks: 10, isDamaged: false },
      ...{ heldPayments: 6, blocksAgain: 30, storeBytes: 4096, logBytes: 32, unreadableInPool: 3 },
      newerBlock: { height: 90, version: 17 },
      ...STORED,
    });
  });

  it('use the height of the last refresh while the daemon was not asked', () => {
    expect(new WalletFactReader().read(wallet)).toMatchObject({ daemonHeight: 95, blocks: 5 });
  });

  it('are read from the store only after it has changed', () => {
    const reader = new WalletFactReader();
    reader.read(wallet);
    reader.read(wallet);
    expect(reads).toBe(1);
    version += 1;
    reader.read(wallet);
    expect(reads).toBe(2);
  });

  it('stay known when the store is damaged', () => {
    const reader = new WalletFactReader();
    reader.read(wallet);
    version += 1;
    isDamaged = true;
    expect(reader.read(wallet)).toMatchObject({ isDamaged: true, ...STORED });
  });
});
