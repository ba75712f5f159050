import { beforeEach, describe, expect, it, afterEach } from '@jest/globals';
import { carrotWalletKeys } from '../../src/monero/wallet/keys.js';
import { SECRETS } from '../support/wallets/carrot-accounts.js';
import { WalletError } from '../../src/model/wallet-error.js';
import { NO_PAYOUTS, type PayoutFigures } from '../../src/services/payouts/payout-figures.js';
import { WalletFactReader, type WatchedWallet, DaySumReader } from '../../src/watch/wallet-facts.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import type { Hash, KeyImage, PublicKey } from '../../src/monero/crypto/types.js';
import { amount } from '../../src/util/amount.js';
import { totalSums } from '../../src/services/history/payment-sums.js';
import { bytes, output, page, received } from '../store/fixtures.js';
import { EventLoopTurns } from '../support/fakes/event-loop-turns.js';
import { TestWallet } from '../support/wallets/test-wallet.js';
import { unminedPayment } from '../support/wallets/unmined-payment.js';

let reads: number;
let version: number;
let isDamaged: boolean;
let payouts: PayoutFigures;
let wallet: WatchedWallet;

beforeEach(() => {
  reads = 0;
  version = 1;
  isDamaged = false;
  payouts = NO_PAYOUTS;
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
        return {
          unmined: { pending: 1, failed: 2 },
          oldestPending: 77,
          orders: { waiting: 1, failed: 0 },
          requests: new Map([['waiting', 8]]),
          payouts,
          lowAccounts: 2,
        };
      }) as WatchedWallet['store']['read'],
      fileSizes: () => ({ main: 4096, log: 32 }),
    },
    sync: {
      ...{ daemonHeight: 95, catchUp: { from: 5, next: 60, height: 90 } },
      ...{ newerBlock: { height: 90, version: 17 }, unreadableInPool: 3 },
    },
    paymentRoutes: { held: 6 },
    eventLog: { lastId: 9 },
    webhooks: { backlog: () => ({ events: 3, retries: 4 }), counts: () => ({ enabled: 2, disabled: 1 }) },
    payouts: { obstacleCounts: () => new Map([['fee', 2]]) },
  };
});

/** Figures of queued payouts, the oldest of which waits since 1000 [Unix s]. */
const QUEUED: PayoutFigures = {
  ...{ counts: new Map([['queued', 7]]), oldest: new Map([['queue', 1000]]) },
  ...{ accounts: [{ account: 0, isPaused: false }], pauses: [] },
};

const STORED = {
  ...{ pendingPayments: 1, failedPayments: 2, webhookEvents: 3, webhookRetries: 4, lastEvent: 9 },
  ...{ oldestPending: 77, orders: { waiting: 1, failed: 0 }, enabledWebhooks: 2, disabledWebhooks: 1 },
  ...{ requests: new Map([['waiting', 8]]), payouts: NO_PAYOUTS, lowAccounts: 2 },
};

describe('the figures of a wallet', () => {
  it('are those of its store, its files and the daemon', () => {
    expect(new WalletFactReader({ now: () => 100_000 }).read(wallet, 100)).toEqual({
      pendingAge: 23,
      ...{ name: 'w', height: 90, daemonHeight: 100, blocks: 10, isDamaged: false },
      ...{ heldPayments: 6, blocksAgain: 30, storeBytes: 4096, logBytes: 32, unreadableInPool: 3 },
      newerBlock: { height: 90, version: 17 },
      ...{ payoutAges: new Map(), payoutObstacles: new Map() },
      ...STORED,
    });
  });

  it('have the age of the oldest payout by the present time, although the store is the same', () => {
    payouts = QUEUED;
    let now = 999_000;
    const reader = new WalletFactReader({ now: () => now });
    expect(reader.read(wallet).payoutAges).toEqual(new Map([['queue', 0]]));
    now = 1_060_000;
    expect(reader.read(wallet).payoutAges).toEqual(new Map([['queue', 60]]));
    expect(reads).toBe(1);
  });

  it('ask for the reasons that keep payouts back while some are queued', () => {
    expect(new WalletFactReader().read(wallet).payoutObstacles).toEqual(new Map());
    payouts = QUEUED;
    expect(new WalletFactReader().read(wallet).payoutObstacles).toEqual(new Map([['fee', 2]]));
  });

  it('use the height of the last refresh while the daemon was not asked', () => {
    expect(new WalletFactReader().read(wallet)).toMatchObject({ daemonHeight: 95, blocks: 5 });
  });

  it('show no lack of blocks where the wallet makes addresses alone, and reads none', () => {
    const keys = carrotWalletKeys(SECRETS['generate-address'], 'mainnet');
    const facts = new WalletFactReader().read({ ...wallet, keys }, 100);
    expect(facts).toMatchObject({ daemonHeight: undefined, blocks: 0 });
    const master = carrotWalletKeys(SECRETS.master, 'mainnet');
    expect(new WalletFactReader().read({ ...wallet, keys: master }, 100)).toMatchObject({ blocks: 10 });
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

const MIDNIGHT = 1_767_225_600;
const HOUR = 3600;
/** Address with a payment request. */
const REQUESTED = 1;

/** An incoming payment, or an own one. */
interface Paid {
  readonly kind: 'in' | 'change' | 'out' | 'pending' | 'failed';
  readonly time: number;
  readonly minor: number;
  readonly value: bigint;
}

let directory: string;
let chainWallet: TestWallet;

let wallets = 0;

/** Creates a wallet with payments in one block each, except for pending and failed ones. */
function stored(payments: readonly Paid[]): TestWallet {
  const made = new TestWallet({ path: join(directory, `w${(wallets += 1)}`) });
  made.time = MIDNIGHT + 12 * HOUR;
  const at = payments.map((paid, height) => ({ ...paid, height, n: 1000 + height }));
  made.store.write((w) => {
    w.requests.add({
      ...{ requestId: 'r', token: new Uint8Array(16), subaddress: { major: 0, minor: REQUESTED } },
      ...{ tolerance: amount(0n), confirmations: 1, created: 1, firstHeight: 0 },
    });
    const incoming = at.filter(({ kind }) => kind === 'in' || kind === 'change');
    w.applyPage(
      page(0, payments.length, {
        received: incoming.map(({ n, height, time }) => ({ ...received(n, height), timestamp: time })),
        outputs: incoming.map(({ n, height, minor, value, kind }) =>
          output(n, height, value, {
            ...{ publicKey: bytes<PublicKey>(n), keyImage: bytes<KeyImage>(n), change: kind === 'change' },
            subaddress: { major: 0, minor },
          }),
        ),
        outgoing: at
          .filter(({ kind }) => kind === 'out')
          .map(({ n, height, time, value }) => ({
            ...{
              txHash: bytes<Hash>(n),
              account: 0,
              fromIndices: [0],
              amountIn: amount(value + 8n),
              fee: amount(0n),
            },
            ...{ change: amount(8n), unlockTime: 0n, timestamp: time, height },
          })),
      }),
    );
    for (const { kind, n, time, value } of at)
      if (kind === 'pending' || kind === 'failed')
        w.outgoing.insert(
          unminedPayment(n, {
            ...{ txHash: bytes<Hash>(n), state: kind, timestamp: time },
            ...{ amountIn: amount(value + 8n), change: amount(8n) },
          }),
        );
  });
  return made;
}

describe('the sums of the day', () => {
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'day-sums-'));
  });
  afterEach(() => {
    chainWallet.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('are those of a plain sum over all payments from 00:00 UTC on', async () => {
    // Blocks ascend in time, and a block may have a time of up to two hours before the one below.
    const payments = fc.array(
      fc.record({
        kind: fc.constantFrom<Paid['kind'][]>('in', 'in', 'change', 'out', 'pending', 'failed'),
        step: fc.integer({ min: 0, max: 4 * HOUR }),
        back: fc.integer({ min: 0, max: 2 * HOUR }),
        minor: fc.nat(2),
        value: fc.bigInt(1n, 1n << 58n),
      }),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(payments, async (steps) => {
        let clock = MIDNIGHT - 30 * HOUR;
        const made = steps.map(({ step, back, ...paid }): Paid => ({
          ...paid,
          time: (clock += step) - back,
        }));
        chainWallet = stored(made);
        try {
          const today = made.filter(({ time }) => time >= MIDNIGHT);
          const sumOf = (keep: (paid: Paid) => boolean): bigint =>
            today.filter(keep).reduce((sum, { value }) => sum + value, 0n);
          expect(await new DaySumReader(chainWallet.clock).read(chainWallet)).toEqual({
            received: sumOf(({ kind }) => kind === 'in'),
            requested: sumOf(({ kind, minor }) => kind === 'in' && minor === REQUESTED),
            sent: sumOf(({ kind }) => kind === 'out' || kind === 'pending'),
          });
        } finally {
          chainWallet.close();
        }
      }),
      { numRuns: 30 },
    );
  });

  const paid = (time: number, value: bigint): Paid => ({ kind: 'in', time, minor: 0, value });

  it('are read again after the store has changed, and when a day has begun', async () => {
    chainWallet = stored([paid(MIDNIGHT, 5n), paid(MIDNIGHT + HOUR, 6n)]);
    const sums = new DaySumReader(chainWallet.clock);
    const first = await sums.read(chainWallet);
    expect(first.received).toBe(11n);
    expect(await sums.read(chainWallet)).toBe(first);
    chainWallet.store.write((w) => w.detach(1));
    expect((await sums.read(chainWallet)).received).toBe(5n);
    chainWallet.time += 24 * HOUR;
    expect((await sums.read(chainWallet)).received).toBe(0n);
  });

  it('stay known while the store cannot be read', async () => {
    chainWallet = stored([paid(MIDNIGHT, 5n)]);
    const sums = new DaySumReader(chainWallet.clock);
    let version = 1;
    const failing = {
      ...{ height: () => 1, isDamaged: true, fileSizes: () => ({ main: 0, log: 0 }) },
      get version() {
        return version;
      },
      read: chainWallet.store.read.bind(chainWallet.store),
    };
    const watched = { store: failing };
    expect((await sums.read(watched)).received).toBe(5n);
    version = 2;
    failing.read = () => {
      throw new WalletError({ kind: 'wallet_corrupt', name: 'w', reason: 'damaged' });
    };
    expect((await sums.read(watched)).received).toBe(5n);
    chainWallet.time += 24 * HOUR;
    expect((await sums.read(watched)).received).toBe(0n);
  });

  it('of many payments leave the event loop free', async () => {
    chainWallet = stored(Array.from({ length: 6000 }, (_, i) => paid(MIDNIGHT + i, 1n)));
    const turns = new EventLoopTurns();
    expect((await new DaySumReader(chainWallet.clock).read(chainWallet)).received).toBe(6000n);
    expect(turns.stop()).toBeGreaterThan(4);
  });

  it('of several wallets are added up', () => {
    const sums = { received: 3n, requested: 2n, sent: 1n };
    expect(totalSums([sums, sums])).toEqual({ received: 6n, requested: 4n, sent: 2n });
    expect(totalSums([])).toEqual({ received: 0n, requested: 0n, sent: 0n });
  });
});
