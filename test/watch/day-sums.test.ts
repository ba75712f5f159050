import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { Hash, KeyImage, PublicKey } from '../../src/monero/crypto/types.js';
import { WalletError } from '../../src/model/wallet-error.js';
import { amount } from '../../src/util/amount.js';
import { totalSums } from '../../src/services/history/payment-sums.js';
import { DaySumReader } from '../../src/watch/wallet-facts.js';
import { bytes, output, page, received } from '../store/fixtures.js';
import { EventLoopTurns } from '../support/fakes/event-loop-turns.js';
import { TestWallet } from '../support/wallets/test-wallet.js';
import { unminedPayment } from '../support/wallets/unmined-payment.js';

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
let wallet: TestWallet;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'day-sums-'));
});
afterEach(() => {
  wallet.close();
  rmSync(directory, { recursive: true, force: true });
});

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
        wallet = stored(made);
        try {
          const today = made.filter(({ time }) => time >= MIDNIGHT);
          const sumOf = (keep: (paid: Paid) => boolean): bigint =>
            today.filter(keep).reduce((sum, { value }) => sum + value, 0n);
          expect(await new DaySumReader(wallet.clock).read(wallet)).toEqual({
            received: sumOf(({ kind }) => kind === 'in'),
            requested: sumOf(({ kind, minor }) => kind === 'in' && minor === REQUESTED),
            sent: sumOf(({ kind }) => kind === 'out' || kind === 'pending'),
          });
        } finally {
          wallet.close();
        }
      }),
      { numRuns: 30 },
    );
  });

  const paid = (time: number, value: bigint): Paid => ({ kind: 'in', time, minor: 0, value });

  it('are read again after the store has changed, and when a day has begun', async () => {
    wallet = stored([paid(MIDNIGHT, 5n), paid(MIDNIGHT + HOUR, 6n)]);
    const sums = new DaySumReader(wallet.clock);
    const first = await sums.read(wallet);
    expect(first.received).toBe(11n);
    expect(await sums.read(wallet)).toBe(first);
    wallet.store.write((w) => w.detach(1));
    expect((await sums.read(wallet)).received).toBe(5n);
    wallet.time += 24 * HOUR;
    expect((await sums.read(wallet)).received).toBe(0n);
  });

  it('stay known while the store cannot be read', async () => {
    wallet = stored([paid(MIDNIGHT, 5n)]);
    const sums = new DaySumReader(wallet.clock);
    let version = 1;
    const failing = {
      ...{ height: () => 1, isDamaged: true, fileSizes: () => ({ main: 0, log: 0 }) },
      get version() {
        return version;
      },
      read: wallet.store.read.bind(wallet.store),
    };
    const watched = { store: failing };
    expect((await sums.read(watched)).received).toBe(5n);
    version = 2;
    failing.read = () => {
      throw new WalletError({ kind: 'wallet_corrupt', name: 'w', reason: 'damaged' });
    };
    expect((await sums.read(watched)).received).toBe(5n);
    wallet.time += 24 * HOUR;
    expect((await sums.read(watched)).received).toBe(0n);
  });

  it('of many payments leave the event loop free', async () => {
    wallet = stored(Array.from({ length: 6000 }, (_, i) => paid(MIDNIGHT + i, 1n)));
    const turns = new EventLoopTurns();
    expect((await new DaySumReader(wallet.clock).read(wallet)).received).toBe(6000n);
    expect(turns.stop()).toBeGreaterThan(4);
  });

  it('of several wallets are added up', () => {
    const sums = { received: 3n, requested: 2n, sent: 1n };
    expect(totalSums([sums, sums])).toEqual({ received: 6n, requested: 4n, sent: 2n });
    expect(totalSums([])).toEqual({ received: 0n, requested: 0n, sent: 0n });
  });
});
