import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Payout } from '../../../src/model/payout.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import type { WalletReader } from '../../../src/store/wallet-reader.js';
import { DurationCounts, PayoutMeter, STAGE_BOUNDS } from '../../../src/watch/metrics/payout-meter.js';
import { movePayout, newPayout, recordBatch } from '../../support/wallets/payouts.js';
import { TestWallet } from '../../support/wallets/test-wallet.js';

describe('a distribution of durations', () => {
  it('counts each duration below every bound that it does not exceed', () => {
    const counts = new DurationCounts();
    for (const seconds of [0, 1, 1.5, 60, 7200, 7201]) counts.add(seconds);
    const upTo = new Map(STAGE_BOUNDS.map((bound, i) => [bound, counts.upTo[i]]));
    expect([1, 5, 15, 60, 120, 3600, 7200].map((bound) => upTo.get(bound as 1))).toEqual([
      2, 3, 3, 4, 4, 4, 5,
    ]);
    expect(counts.total).toEqual({ count: 6, sum: 14463.5 });
  });

  it('has bounds from a second to two hours, in order', () => {
    expect([...STAGE_BOUNDS].sort((a, b) => a - b)).toEqual(STAGE_BOUNDS);
    expect([STAGE_BOUNDS[0], STAGE_BOUNDS.at(-1)]).toEqual([1, 7200]);
  });
});

describe('the meter of payouts', () => {
  let wallet: TestWallet;
  let meter: PayoutMeter;
  let batches: number;

  beforeEach(() => {
    wallet = new TestWallet();
    meter = new PayoutMeter();
    batches = 0;
  });
  afterEach(() => wallet.close());

  /** Adds a queued payout. */
  const add = (id: string): Payout =>
    wallet.store.write((w) =>
      w.payouts.at(w.payouts.add(newPayout(id, { created: Math.floor(Date.now() / 1000) - 100 }))),
    );

  /** Records a batch with a payout. A batch without an order is not followed. */
  const pay = (...payouts: readonly Payout[]): void =>
    wallet.store.write((w) => {
      recordBatch(
        w.payouts,
        (batches += 1),
        0,
        payouts.map(({ sequence }) => sequence),
      );
      w.payouts.settleBatch(batches, { height: undefined, dueHeight: undefined });
    });

  /** Records and reports a state. */
  const move = (payout: Payout, ...states: readonly Payout['state'][]): void =>
    wallet.store.write((w) => {
      for (const state of states) movePayout(w, w.payouts.at(payout.sequence), state);
    });

  it('counts batches and stages from its first reading on, each once', async () => {
    const old = add('old');
    pay(old);
    move(old, 'sending', 'sent');
    const first = await meter.read(wallet);
    expect(first).toMatchObject({ batches: 0, payees: 0, fees: 0n });
    const [a, b] = [add('a'), add('b')];
    pay(a, b);
    move(a, 'sending', 'sent', 'mined', 'confirmed');
    move(b, 'sending', 'sent');
    move(old, 'mined', 'confirmed');
    for (let i = 0; i < 2; i++) {
      const tally = await meter.read(wallet);
      expect(tally).toMatchObject({ batches: 1, payees: 2 });
      expect(tally?.sent.total.count).toBe(2);
      expect(tally?.confirmed.total.count).toBe(2);
      expect(tally?.sent.total.sum).toBeGreaterThanOrEqual(200);
    }
  });

  it('counts what happens after its beginning before a reading', async () => {
    meter.begin(wallet);
    pay(add('a'));
    meter.begin(wallet);
    expect(await meter.read(wallet)).toMatchObject({ batches: 1, payees: 1 });
  });

  it('reads a store again only after it has changed, and all of many rows', async () => {
    await meter.read(wallet);
    let reads = 0;
    const counting = {
      get version() {
        return wallet.store.version;
      },
      read: <T>(task: (r: WalletReader) => T): T => {
        reads += 1;
        return wallet.store.read(task);
      },
    };
    const watched = { store: counting } as unknown as TestWallet;
    meter.begin(watched);
    wallet.store.write((w) => {
      for (let i = 0; i < 4500; i++) {
        const payout = w.payouts.at(w.payouts.add(newPayout(`p${i}`)));
        movePayout(w, payout, 'sending');
        movePayout(w, { ...payout, state: 'sending' }, 'sent');
      }
    });
    expect((await meter.read(watched))?.sent.total.count).toBe(4500);
    expect(reads).toBeGreaterThan(4);
    const before = reads;
    await meter.read(watched);
    expect(reads).toBe(before);
  });

  it('keeps its counts while the store cannot be read', async () => {
    await meter.read(wallet);
    pay(add('a'));
    await meter.read(wallet);
    let version = wallet.store.version;
    const { store } = wallet;
    const read = store.read.bind(store);
    Object.defineProperty(store, 'version', { get: () => version });
    Object.defineProperty(store, 'read', {
      configurable: true,
      value: () => {
        throw new WalletError({ kind: 'wallet_corrupt', name: 'w', reason: 'damaged' });
      },
    });
    version += 1;
    expect(await meter.read(wallet)).toMatchObject({ batches: 1 });
    expect(await new PayoutMeter().read(wallet)).toBeUndefined();
    Object.defineProperty(store, 'read', { value: read });
  });
});
