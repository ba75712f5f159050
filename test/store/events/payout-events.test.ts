import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import { MOST_ATTEMPTS, type Payout } from '../../../src/model/payout.js';
import type { FoundOutgoing, PageFindings } from '../../../src/monero/wallet/scan/findings.js';
import { EventIds } from '../../../src/store/file/event-ids.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import type { WalletWriter } from '../../../src/store/wallet-writer.js';
import { amount } from '../../../src/util/amount.js';
import { madePayment } from '../../support/wallets/made-payment.js';
import { clearChain } from '../../support/chain/cleared-chain.js';
import { blobSpending, paymentHash, unminedPayment } from '../../support/wallets/unmined-payment.js';
import { bytes, output, page, received } from '../fixtures.js';

const NOW = 1_700_000_000;

let file: WalletStore;
let last: number;

/** Writes as one transaction of the store. */
const write = <T>(task: (w: WalletWriter) => T): T => file.write(task);

/** Adds a queued payout. @returns its number. */
const queue = (payoutId: string, more: Partial<Payout> = {}): number =>
  write((w) => {
    const sequence = w.payouts.add({
      ...{ payoutId, account: 0, address: 'an address', amount: amount(20n), feePayer: 'wallet' },
      ...{ priority: 0, allowOwn: false, created: NOW, state: 'queued' },
      ...more,
    });
    w.events.payouts.begin(w.payouts.at(sequence));
    return sequence;
  });

/** Records a batch whose payment has a number, and spends the output of this number, as a payment that is sent. */
const send = (n: number, ...payouts: readonly number[]): void =>
  write((w) => {
    const txHash = paymentHash(n);
    const batch = w.orders.add({
      ...{ key: `batch ${n}`, method: 'payouts', requestHash: bytes<Hash>(7), created: NOW, sent: true },
      made: { payments: [madePayment(n, [n], { signed: { txHash, blob: new Uint8Array() } })] },
    });
    const blob = blobSpending([bytes<KeyImage>(100 + n)]);
    w.prepare({ ...unminedPayment(n), state: 'prepared', blob }, [output(n, 1, 50n)], []);
    w.payouts.addBatch(
      { sequence: batch, account: 0, created: NOW },
      payouts.map((payout) => ({ payout, amount: amount(20n), fee: amount(1n) })),
    );
  });

const relay = (n: number): void => write((w) => w.markPending(paymentHash(n)));

/** Payment in a block, as it is found there. */
const found = (n: number, height: number): FoundOutgoing => ({
  ...{ txHash: paymentHash(n), height, timestamp: 2000, account: 0, fromIndices: [0] },
  ...{ amountIn: amount(50n), change: amount(8n), fee: amount(2n), unlockTime: 0n },
});

/** Adds blocks from a height on. @param n number of a payment in the first one. */
const mine = (height: number, blocks: number, n?: number): void =>
  write((w) => w.applyPage(page(height, blocks, n === undefined ? {} : minedAt(n, height))));

const minedAt = (n: number, height: number): Partial<PageFindings> => ({
  outgoing: [found(n, height)],
  spends: [{ keyImage: bytes<KeyImage>(100 + n), txHash: paymentHash(n), height }],
});

/** Events of payouts since the last call: state, and reason if there is one. */
function fresh(): string[] {
  const events = file.read((r) => r.events.after(last, 1000));
  last = events.at(-1)?.id ?? last;
  return events.flatMap(({ type, data }) => {
    if (!type.startsWith('payout.') || !('payoutId' in data)) return [];
    return [[data.payoutId, type.slice('payout.'.length), data.reason].filter(Boolean).join(' ')];
  });
}

const stateOf = (payoutId: string): string | undefined => file.read((r) => r.payouts.byId(payoutId))?.state;

beforeEach(() => {
  last = 0;
  const ids = new EventIds();
  file = WalletStore.create(':memory:', new Uint8Array(32), () => undefined, undefined, {
    ...{ ids, confirmations: [1], payoutConfirmations: 3 },
  });
  const txs = Array.from({ length: 20 }, (_, i) => i + 1);
  write((w) =>
    w.applyPage(
      page(0, 5, {
        received: txs.map((tx) => received(tx, 1)),
        outputs: txs.map((tx) => output(tx, 1, 50n)),
      }),
    ),
  );
});

describe('a payout', () => {
  it('follows the payment of its batch until it is confirmed, each state once', () => {
    const [a, b] = [queue('a'), queue('b')];
    expect(fresh()).toEqual(['a queued', 'b queued']);
    send(1, a, b);
    expect(fresh()).toEqual(['a sending', 'b sending']);
    relay(1);
    expect(fresh()).toEqual(['a sent', 'b sent']);
    mine(5, 1, 1);
    expect(fresh()).toEqual(['a mined', 'b mined']);
    mine(6, 1);
    expect(fresh()).toEqual([]);
    mine(7, 1);
    expect(fresh()).toEqual(['a confirmed', 'b confirmed']);
    mine(8, 20);
    expect(fresh()).toEqual([]);
    expect(file.read((r) => r.payouts.paymentOf(a))).toMatchObject({ height: 5, fee: 1n });
  });

  it('is sent again after a reorganisation, and mined anew at another height', () => {
    send(1, queue('a'));
    relay(1);
    mine(5, 3, 1);
    fresh();
    mine(5, 4);
    expect(fresh()).toEqual(['a sent reorganised']);
    mine(9, 3, 1);
    expect(fresh()).toEqual(['a confirmed']);
    // A block that is replaced by another one with the same payment.
    mine(9, 4, 1);
    expect(fresh()).toEqual([]);
    write((w) => w.applyPage(page(8, 2, minedAt(1, 8))));
    expect(fresh()).toEqual(['a mined reorganised']);
    mine(10, 1);
    expect(fresh()).toEqual(['a confirmed']);
  });

  it('returns to the queue once its payment has failed, and is mined if the payment comes back', () => {
    const a = queue('a');
    send(1, a);
    relay(1);
    fresh();
    write((w) => w.fail(paymentHash(1)));
    expect(fresh()).toEqual(['a queued lost']);
    send(2, a);
    relay(2);
    write((w) => w.fail(paymentHash(2)));
    fresh();
    mine(5, 1, 1);
    expect(fresh()).toEqual(['a mined']);
    expect(file.read((r) => r.payouts.paymentOf(a))?.txHash).toEqual(paymentHash(1));
  });

  it('returns without a trace if its batch never left the server', () => {
    const a = queue('a');
    send(1, a);
    fresh();
    write((w) => {
      w.discard(paymentHash(1));
      w.orders.withdraw(paymentHash(1), 'unsent');
    });
    expect(fresh()).toEqual(['a queued not_sent']);
    expect(file.read((r) => r.payouts.sharesOf(a))).toEqual([]);
    // The number of the order is used again.
    send(2, a);
    expect(fresh()).toEqual(['a sending']);
    expect(file.read((r) => r.payouts.sharesOf(a))).toHaveLength(1);
  });

  it('waits after a refusal, longer each time', () => {
    const a = queue('a');
    const waits: number[] = [];
    for (let n = 1; n <= MOST_ATTEMPTS; n++) {
      send(n, a);
      write((w) => w.refuse(paymentHash(n)));
      const payout = file.read((r) => r.payouts.at(a));
      if (payout.retryAt !== undefined) waits.push(payout.retryAt - payout.changed);
    }
    expect(waits).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600, 3600, 3600]);
    expect(stateOf('a')).toBe('queued');
    // The daemon had relayed one of them nevertheless.
    mine(5, 1, 4);
    expect(stateOf('a')).toBe('mined');
  });

  it('that has ended keeps its state, unless an earlier batch is mined', () => {
    const a = queue('a');
    send(1, a);
    relay(1);
    write((w) => w.fail(paymentHash(1)));
    write((w) => w.events.payouts.move(w.payouts.at(a), 'expired'));
    fresh();
    relay(1);
    expect(fresh()).toEqual(['a sent']);
  });

  it('is reported no second time by a rescan', () => {
    send(1, queue('a'));
    relay(1);
    mine(5, 3, 1);
    fresh();
    const before = last;
    write((w) => clearChain(w, { hard: true }));
    expect(fresh()).toEqual([]);
    const txs = [1, 2];
    write((w) =>
      w.applyPage(
        page(0, 5, {
          received: txs.map((tx) => received(tx, 1)),
          outputs: txs.map((tx) => output(tx, 1, 50n)),
        }),
      ),
    );
    mine(5, 1, 1);
    mine(6, 2);
    expect(fresh()).toEqual([]);
    expect(stateOf('a')).toBe('confirmed');
    // The same holds for the transfer that pays it.
    const types = file.read((r) => r.events.after(before, 1000)).map(({ type }) => type);
    expect(types.filter((type) => type.startsWith('transfer.'))).toEqual([]);
  });

  it('gives its amount back to the limits of its creator when it ends unpaid', () => {
    const a = queue('a', { creator: 'clerk' });
    expect(a).toBe(1);
    const { moves } = { moves: ['cancelled', 'queued'] as const };
    for (const state of moves) write((w) => w.events.payouts.move(w.payouts.at(a), state));
    expect(fresh()).toEqual(['a queued', 'a cancelled', 'a queued']);
  });
});
