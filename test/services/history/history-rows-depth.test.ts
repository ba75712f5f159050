import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Hash } from '../../../src/monero/crypto/types.js';
import {
  HistoryRows,
  type HistoryContext,
  type HistoryEntry,
} from '../../../src/services/history/history-rows.js';
import { amount } from '../../../src/util/amount.js';
import type { OutgoingTx } from '../../../src/monero/wallet/build/outgoing-tx.js';
import type { Payment } from '../../../src/store/tables/payments.js';
import type { PoolTx } from '../../../src/monero/wallet/scan/findings.js';
import { bytes } from '../../store/fixtures.js';

const NOW = 1_700_000_000;
const txHash = bytes<Hash>(1);

interface View {
  readonly chainHeight?: number;
  readonly reward?: bigint;
  readonly hidesNotes?: boolean;
}

const rows = ({ chainHeight = 100, reward = 0n, hidesNotes = false }: View = {}): HistoryRows => {
  const context = {
    keystore: { hidesNotes },
    store: { read: () => false, height: () => chainHeight, lastBlockReward: () => amount(reward) },
    ...{ clock: { now: () => 1000 * NOW }, daemon: {} },
  } as unknown as HistoryContext;
  const services = {
    accounts: { address: ({ major, minor }: { major: number; minor: number }) => `${major}/${minor}` },
  };
  return new HistoryRows(context, services);
};

const payment = (height: number, value = 5n, unlockTime = 0n): Payment => ({
  tx: { txHash, height, timestamp: 7, unlockTime, fee: amount(1n), coinbase: false },
  subaddress: { major: 1, minor: 2 },
  amount: amount(value),
  amounts: [amount(value)],
});

const outgoing = (more: Partial<OutgoingTx> = {}): OutgoingTx => ({
  ...{ txHash, state: 'pending', account: 1, fromIndices: [0, 3], unlockTime: 0n, timestamp: 7 },
  ...{ amountIn: amount(50n), fee: amount(2n), change: amount(8n) },
  destinations: [{ address: 'a', amount: amount(40n) }],
  ...more,
});

const pooled = (outputs: PoolTx['outputs']): PoolTx => ({
  ...{ txHash, timestamp: 7, unlockTime: 0n, fee: amount(1n), doubleSpendSeen: true, outputs },
});

/** Blocks to wait for: one a block reward of the amount, and until the unlock time. Source: wallet_rpc_server.cpp. */
function threshold(value: bigint, reward: bigint, unlockTime: bigint, chainHeight: number): number {
  const byValue = reward === 0n ? 0n : (value + reward - 1n) / reward;
  const isHeight = unlockTime < 500_000_000n;
  const left = unlockTime - BigInt(isHeight ? chainHeight : NOW);
  const byTime = left <= 0n ? 0n : isHeight ? left : (left + 119n) / 120n;
  return Number(byValue > byTime ? byValue : byTime);
}

describe('the confirmations of a payment', () => {
  it.each([
    ['in the last block', 99, 1],
    ['in the first block', 1, 99],
    ['beyond the blocks that are known', 100, 0],
    ['far beyond them', 200, 0],
  ])('%s, at height %i of 100 blocks, are %i', (_, height, confirmations) => {
    expect(rows().incoming(payment(height)).confirmations).toBe(confirmations);
    const mined = rows().outgoing(outgoing({ state: 'confirmed', height }));
    expect([mined.confirmations, mined.type]).toEqual([confirmations, 'out']);
  });

  it('that is not mined are none', () => {
    const entry = ({ confirmations, height, locked }: HistoryEntry) => ({ confirmations, height, locked });
    const unmined = { confirmations: 0, height: 0, locked: true };
    for (const state of ['prepared', 'pending', 'failed'] as const)
      expect(entry(rows().outgoing(outgoing({ state })))).toEqual(unmined);
    const output = { outputIndex: 0, amount: amount(5n), subaddress: { major: 0, minor: 0 } };
    expect(
      rows()
        .pooled(pooled([output]))
        .map(entry),
    ).toEqual([unmined]);
  });
});

describe('the confirmations that are suggested', () => {
  it('grow with the amount in block rewards, and last until the unlock time', () => {
    const unlockTime = fc.oneof(
      fc.bigInt({ min: 0n, max: 300n }),
      fc.bigInt({ min: BigInt(NOW - 500), max: BigInt(NOW + 5000) }),
      fc.constantFrom(499_999_999n, 500_000_000n),
    );
    fc.assert(
      fc.property(
        fc.record({
          height: fc.integer({ min: 1, max: 199 }),
          value: fc.bigInt({ min: 1n, max: 2n ** 50n }),
          reward: fc.oneof(fc.constant(0n), fc.bigInt({ min: 2n ** 30n, max: 2n ** 40n })),
          unlockTime,
        }),
        ({ height, value, reward, unlockTime: unlock }) => {
          const entry = rows({ chainHeight: 200, reward }).incoming(payment(height, value, unlock));
          expect(entry.suggestedConfirmationsThreshold).toBe(threshold(value, reward, unlock, 200));
          const isAged = height + 10 <= 200;
          const isOpen = unlock < 500_000_000n ? unlock <= 200n : unlock <= BigInt(NOW + 120);
          expect(entry.locked).toBe(!(isAged && isOpen));
        },
      ),
    );
  });
});

describe('a row', () => {
  it('of an incoming payment has its place and its outputs', () => {
    const paymentId = new Uint8Array(8).fill(3);
    const { tx, ...rest } = payment(5);
    expect(rows().incoming({ ...rest, tx: { ...tx, paymentId, coinbase: true } })).toMatchObject({
      ...{ type: 'block', paymentId, amount: 5n, amounts: [5n], fee: 1n, note: '', destinations: [] },
      ...{ subaddress: { major: 1, minor: 2 }, subaddresses: [{ major: 1, minor: 2 }], address: '1/2' },
    });
    expect(rows().incoming(payment(5)).type).toBe('in');
  });

  it('of an outgoing payment is at the first address of the account, and names those that paid', () => {
    expect(rows().outgoing(outgoing({ paymentId: new Uint8Array(8) }))).toMatchObject({
      ...{ type: 'pending', amount: 40n, amounts: [], change: 8n, paymentId: new Uint8Array(8) },
      ...{ subaddress: { major: 1, minor: 0 }, address: '1/0' },
      subaddresses: [
        { major: 1, minor: 0 },
        { major: 1, minor: 3 },
      ],
      destinations: [{ address: 'a', amount: 40n }],
    });
    expect(rows({ hidesNotes: true }).outgoing(outgoing()).destinations).toEqual([]);
  });

  it('of a transaction in the mempool is one an address, with the amounts that add to the wallet', () => {
    const at = (outputIndex: number, minor: number, value: bigint, credited?: bigint) => ({
      ...{ outputIndex, amount: amount(value), subaddress: { major: 0, minor } },
      ...(credited === undefined ? {} : { credited: amount(credited) }),
    });
    const entries = rows().pooled(pooled([at(0, 1, 5n), at(1, 0, 7n), at(2, 1, 9n, 4n), at(3, 1, 3n, 0n)]));
    expect(entries.map(({ address, amount: value, amounts }) => [address, value, amounts])).toEqual([
      ['0/1', 9n, [5n, 9n]],
      ['0/0', 7n, [7n]],
    ]);
    expect(entries.map(({ type, doubleSpendSeen }) => [type, doubleSpendSeen])).toEqual([
      ['pool', true],
      ['pool', true],
    ]);
    expect(rows().pooled(pooled([]))).toEqual([]);
  });

  it('of the payment methods has the payment, its address and its lock', () => {
    const [young, old] = [payment(95), payment(90)];
    expect(rows().payments([young, old])).toEqual([
      { payment: young, address: '1/2', locked: true },
      { payment: old, address: '1/2', locked: false },
    ]);
  });
});
