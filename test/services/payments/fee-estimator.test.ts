import { beforeEach, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { feeOfWeight, feePerByte } from '../../../src/monero/wallet/select/fees.js';
import type { BacklogEntry, Daemon } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { FeeEstimator } from '../../../src/services/payments/fee-estimator.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import { FEES } from '../../support/wallets/paid-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { fault, ownKeys, ServiceWallet } from '../../support/wallets/service-wallet.js';
import { faultOf } from '../../support/wallets/test-wallet.js';
import { holder } from '../../monero/wallet/fixtures.js';

const owner = holder(seededRng('fees'));
const LIMIT = 600_000;
/** Fee at the slow rate of a transaction that fills a block. */
const SLOW_FEE = (FEES.perByte[0] ?? 0n) * BigInt(LIMIT / 2);

let wallet: ServiceWallet;
let fees: FeeEstimator;
/** Headers that the daemon was asked for. */
let asked: [number, number][];

/** A daemon with these weights of recent blocks and this pool. */
const daemonWith = (weight: number, pool: readonly BacklogEntry[] = [], limit = LIMIT): Partial<Daemon> => ({
  getFeeEstimate: () => Promise.resolve(FEES),
  getPoolBacklog: () => Promise.resolve(pool),
  getInfo: () =>
    Promise.resolve({
      ...{ height: 100, targetHeight: 0, topBlockHash: new Uint8Array(32) as Hash, network: 'mainnet' },
      ...{ synchronized: true, blockWeightLimit: limit },
    }),
  getBlockHeaders: (start, count) => {
    asked.push([start, count]);
    const hash = new Uint8Array(32) as Hash;
    return Promise.resolve(
      Array.from({ length: count }, (_, i) => ({
        height: start + i,
        hash,
        timestamp: 0,
        reward: 0n,
        weight,
      })),
    );
  },
});

beforeEach(() => {
  asked = [];
  wallet = new ServiceWallet(ownKeys(owner));
  wallet.receive([], 100);
  wallet.answers = daemonWith(0);
  fees = new FeeEstimator(wallet);
});

describe('the prices of a payment', () => {
  test.each([1, 2, 3, 4])('have the priority %i of the request', async (priority) => {
    expect(await fees.prices(priority)).toEqual({ rates: FEES, priority });
    expect(asked).toEqual([]);
  });

  test.each<[string, number, BacklogEntry[], number]>([
    ['slow while blocks are empty and nothing waits', 0, [], 1],
    ['slow while blocks are filled to 80 per cent', (LIMIT / 2) * 0.8, [], 1],
    ['normal above 80 per cent', (LIMIT / 2) * 0.82, [], 2],
    ['normal while a block of payments waits', 0, [{ weight: LIMIT / 2, fee: 10n ** 12n }], 2],
    ['slow while less than a block of payments waits', 0, [{ weight: LIMIT / 2 - 1, fee: 10n ** 12n }], 1],
    ['slow while only payments wait that pay less', 0, [{ weight: LIMIT / 2, fee: 1n }], 1],
    ['normal while payments wait that pay the slow rate', 0, [{ weight: LIMIT / 2, fee: SLOW_FEE }], 2],
    ['slow while those that wait pay a little less', 0, [{ weight: LIMIT / 2, fee: SLOW_FEE - 1n }], 1],
  ])('without a priority are %s', async (_, weight, pool, priority) => {
    wallet.answers = daemonWith(weight, pool);
    expect(await fees.prices(0)).toMatchObject({ priority });
    expect(await fees.defaultPriority()).toBe(priority);
    expect(asked[0]).toEqual([90, 10]);
  });

  it('are normal for a wallet that knows fewer blocks than are looked at, which asks for none', async () => {
    const young = new ServiceWallet(ownKeys(owner));
    young.receive([], 9);
    young.answers = daemonWith(0);
    expect(await new FeeEstimator(young).prices(0)).toMatchObject({ priority: 2 });
    expect(asked).toEqual([]);
  });

  it('follow the blocks of a wallet that knows just as many as are looked at', async () => {
    const young = new ServiceWallet(ownKeys(owner));
    young.receive([], 10);
    young.answers = daemonWith(0);
    expect(await new FeeEstimator(young).prices(0)).toMatchObject({ priority: 1 });
    expect(asked).toEqual([[0, 10]]);
  });

  it('are slow where the daemon tells its rates and nothing else', async () => {
    wallet.answers = { getFeeEstimate: () => Promise.resolve(FEES) };
    expect(await fees.prices(0)).toMatchObject({ priority: 1 });
  });

  it('fail with the error of a closed wallet, and do not become slow', async () => {
    const closed = new WalletError({ kind: 'no_wallet' });
    wallet.answers = { ...daemonWith(0), getInfo: () => Promise.reject(closed) };
    await expect(fees.prices(0)).rejects.toBe(closed);
    await expect(fees.defaultPriority()).rejects.toBe(closed);
  });
});

describe('the prices of payouts', () => {
  const rateOf = (priority: number): bigint => FEES.perByte[priority - 1] ?? 0n;
  /** A block of transactions that pay the rate of a priority. */
  const block = (priority: number): BacklogEntry => ({
    weight: LIMIT / 2,
    fee: rateOf(priority) * BigInt(LIMIT / 2),
  });

  it.each<[string, BacklogEntry[], bigint | undefined, number]>([
    ['slow while nothing waits', [], undefined, 1],
    ['normal while a block waits that pays the slow rate', [block(1)], undefined, 2],
    ['fast while a block waits that pays the normal rate', [block(2)], undefined, 3],
    ['fastest while a block waits that pays the fast rate', [block(3)], undefined, 4],
    ['fastest at most', [block(4)], undefined, 4],
    ['no higher than the highest rate', [block(3)], rateOf(3), 3],
    ['normal below the rate of the next priority', [block(3)], rateOf(3) - 1n, 2],
  ])('without a priority are %s', async (_, pool, maxRate, priority) => {
    wallet.answers = daemonWith(0, pool);
    const pricesFor = await fees.payoutPrices(maxRate);
    expect(pricesFor(0)).toEqual({ rates: FEES, priority });
    expect(pricesFor(2)).toEqual({ rates: FEES, priority: 2 });
  });
});

describe('rates that cannot be had', () => {
  test.each(['unreachable', 'timeout', 'unauthorized', 'tls'] as const)(
    'are unknown where the daemon fails with %s',
    async (kind) => {
      wallet.answers = { getFeeEstimate: () => Promise.reject(new DaemonError(kind, 'no way')) };
      await expect(fees.prices(1)).rejects.toMatchObject(
        fault({ kind: 'fee_rates_unknown', reason: 'no way' }),
      );
    },
  );

  test.each(['busy', 'malformed', 'rejected'] as const)(
    "are the daemon's own error where it answers %s",
    async (kind) => {
      const error = new DaemonError(kind, 'no rates');
      wallet.answers = { getFeeEstimate: () => Promise.reject(error) };
      await expect(fees.prices(1)).rejects.toBe(error);
    },
  );

  it('leave the default priority unknown', async () => {
    wallet.answers = {};
    await expect(fees.defaultPriority()).rejects.toMatchObject(fault({ kind: 'priority_unknown' }));
  });
});

describe('rates that are not believed', () => {
  const TAIL = 600_000_000_000n;
  /** A thousandfold the least rate that the reward of a block implies, for 2000 bytes. */
  const ceilingOf = (reward: bigint): bigint =>
    2000n * ((1000n * 3000n * (reward > TAIL ? reward : TAIL)) / (300_000n * 300_000n));

  it('make a fee above the ceiling, which follows from the last block reward', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt({ min: 0n, max: 20n * TAIL }),
        fc.bigInt({ min: 1n, max: 500_000_000n }),
        fc.integer({ min: 1, max: 4 }),
        async (reward, rate, priority) => {
          const rates = { perByte: [1n, 1n, 1n, 1n].with(priority - 1, rate), quantizationMask: 10_000n };
          wallet.store.write((w) => w.meta.set('last_block_reward', String(reward)));
          wallet.answers = { getFeeEstimate: () => Promise.resolve(rates) };
          const fee = feeOfWeight(2000, feePerByte(rates, priority), rates);
          const ceiling = ceilingOf(reward);
          const prices = fees.prices(priority);
          if (fee > ceiling)
            await expect(prices).rejects.toMatchObject(fault({ kind: 'fee_too_high', fee, ceiling }));
          else expect(await prices).toEqual({ rates, priority });
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('the ceiling of the fee', () => {
  it.each([
    [20_000_000n, undefined],
    [20_000_001n, { kind: 'fee_too_high', fee: 40_000_002_000n, ceiling: 40_000_000_000n }],
  ])('is the highest fee that is paid: a rate of %i', async (rate, refusal) => {
    const perByte = [rate, rate, rate, rate];
    wallet.answers = { getFeeEstimate: () => Promise.resolve({ perByte, quantizationMask: 1n }) };
    expect(await faultOf(() => fees.prices(1))).toEqual(refusal);
  });

  it.each([
    [2_641_622, undefined],
    [2_641_623, { kind: 'fee_too_high', fee: 80_000_000_000n, ceiling: 40_000_000_000n }],
  ])(
    'at height %i does not follow block rewards above the tail emission from then on',
    async (height, refusal) => {
      wallet.store.write((w) => w.meta.set('last_block_reward', '100000000000000'));
      wallet.store.height = () => height;
      const perByte = [1n, 1n, 1n, 40_000_000n];
      wallet.answers = { getFeeEstimate: () => Promise.resolve({ perByte, quantizationMask: 1n }) };
      expect(await faultOf(() => fees.prices(4))).toEqual(refusal);
    },
  );
});

describe('an estimate of size and weight', () => {
  const counts = fc.record({
    inputs: fc.integer({ min: 1, max: 200 }),
    ring: fc.integer({ min: 1, max: 64 }),
    outputs: fc.integer({ min: 0, max: 16 }),
  });

  it('grows with inputs, ring members and outputs, and a weight is no less than the size', () => {
    fc.assert(
      fc.property(counts, fc.boolean(), ({ inputs, ring, outputs }, rct) => {
        const { size, weight } = fees.estimateSize(inputs, ring, outputs, rct);
        expect(weight).toBeGreaterThanOrEqual(size);
        expect(fees.estimateSize(inputs + 1, ring, outputs, rct).size).toBeGreaterThan(size);
        expect(fees.estimateSize(inputs, ring + 1, outputs, rct).size).toBeGreaterThan(size);
        expect(fees.estimateSize(inputs, ring, outputs + 2, rct).size).toBeGreaterThan(size);
      }),
    );
  });

  it('is that of the reference for two inputs and two outputs', () => {
    // As in test/vectors/rpc/recorded/estimate_tx_size_and_weight.json.
    expect(fees.estimateSize(2, 16, 2, true)).toEqual({ size: 2215, weight: 2215 });
  });

  it('takes ring size 0 for 16, and one output for two: a dummy is added', () => {
    expect(fees.estimateSize(2, 0, 2, true)).toEqual(fees.estimateSize(2, 16, 2, true));
    expect(fees.estimateSize(2, 16, 1, true)).toEqual(fees.estimateSize(2, 16, 2, true));
  });

  test.each([
    ['inputs', 2 ** 31 - 1, 16, 2],
    ['ring members', 1, 2 ** 31 - 1, 2],
    ['outputs', 1, 16, 2 ** 31 - 1],
  ])('is given for 2³¹ - 1 %s', (_, inputs, ring, outputs) => {
    expect(fees.estimateSize(inputs, ring, outputs, true).weight).toBeGreaterThan(2 ** 31);
  });

  test.each([
    ['no inputs', 0, 16, 2],
    ['too many inputs', 2 ** 31, 16, 2],
    ['too large a ring', 1, 2 ** 31, 2],
    ['too many outputs', 1, 16, 2 ** 31],
    ['a weight that no number holds', 2 ** 31 - 1, 2 ** 31 - 1, 2],
  ])('is refused for %s', (_, inputs, ring, outputs) => {
    for (const rct of [true, false])
      expect(() => fees.estimateSize(inputs, ring, outputs, rct)).toThrow(
        fault(expect.objectContaining({ kind: 'invalid', text: 'Failed to determine size and weight' })),
      );
  });
});
