import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import type { DaemonBlockHeader, KeyImageStatus } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { OutputFreezing } from '../../../src/services/sync/output-freezing.js';
import { SpendGuard } from '../../../src/services/payments/spend-guard.js';
import { amount } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import type { OutgoingTx } from '../../../src/monero/wallet/build/outgoing-tx.js';
import type { Spender } from '../../../src/model/spender.js';
import { bytes, output, page, received } from '../../store/fixtures.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { until } from '../../support/fakes/until.js';
import { faultOf, infoOf, TestWallet } from '../../support/wallets/test-wallet.js';
import { paymentHash, unminedPayment } from '../../support/wallets/unmined-payment.js';

const UNKNOWN = { kind: 'key_image_unknown' };
const image = (n: number): KeyImage => bytes<KeyImage>(100 + n);

let wallet: TestWallet;
let freezing: OutputFreezing;
/** Answers of the daemon by key image in hex; absent: unspent. */
let statuses: Map<string, KeyImageStatus>;
/** Transactions that the daemon holds. */
let held: readonly Hash[];
/** Key images that the blocks of the daemon prove to be spent by each transaction that is asked for; empty: it is in no block. */
let proven: readonly KeyImage[];

beforeEach(() => {
  wallet = new TestWallet();
  const { sync, lostPayments } = wallet;
  freezing = new OutputFreezing(wallet, { sync, lostPayments, spending: new SpendGuard(wallet) });
  statuses = new Map();
  held = [];
  wallet.answers = {
    ...wallet.answers,
    isKeyImageSpent: (images) => Promise.resolve(images.map((one) => statuses.get(toHex(one)) ?? 0)),
    getTransactions: (hashes) =>
      Promise.resolve({
        transactions: hashes
          .filter((hash) => held.some((one) => toHex(one) === toHex(hash)))
          .map((hash) => ({ hash, blob: new Uint8Array(), inPool: true, doubleSpendSeen: false })),
      }),
  };
  wallet.store.write((w) => {
    w.applyPage(
      page(0, 4, {
        received: [1, 2, 3].map((n) => received(n, n)),
        outputs: [1, 2, 3].map((n) => output(n, n, 50n)),
      }),
    );
    // The wallet does not know all spends.
    w.meta.set('skipped_from', '3');
  });
  proven = [];
  wallet.refresher.onProve = ({ startHeight, txs }) =>
    Promise.resolve({
      ...{ blocks: [{ height: startHeight, hash: bytes<Hash>(startHeight) }], received: [], outputs: [] },
      txs: proven.length === 0 ? [] : txs.map((tx) => ({ ...tx, keyImages: proven })),
    });
});
afterEach(() => wallet.close());

const prepare = (n: number, more: Partial<OutgoingTx> = {}): void =>
  wallet.store.write((w) => w.prepare(unminedPayment(n, more), [output(n, n, 50n)], []));

/** Receives more outputs, whose key images are unspent unless the daemon says otherwise. */
function receiveMany(count: number): void {
  const outputs = Array.from({ length: count }, (_, i) => {
    const key = new Uint8Array(32)
      .fill(i & 0xff)
      .fill(i >> 8, 0, 1)
      .fill(7, 1, 2);
    return output(4, 4, 1n, {
      outputIndex: i,
      globalIndex: i,
      publicKey: key as never,
      keyImage: key as never,
    });
  });
  wallet.store.write((w) => w.applyPage(page(4, 1, { received: [received(4, 4)], outputs })));
}

/** Payment n without its bytes: another wallet with the same keys made it. */
const prepareForeign = (n: number): void =>
  wallet.store.write((w) => {
    const { blob, ...rest } = unminedPayment(n);
    if (blob !== undefined) w.prepare(rest, [output(n, n, 50n)], []);
  });

/** Spent in the chain, reserved, or free. */
const stateOf = (n: number): string => {
  const { spentBy, spentHeight } = freezing.find(image(n));
  return spentHeight !== undefined ? 'spent' : spentBy !== undefined ? 'reserved' : 'free';
};

describe('a frozen output', () => {
  it('is so until it is thawed', () => {
    freezing.freeze(image(1));
    expect([freezing.find(image(1)).frozen, freezing.find(image(2)).frozen]).toEqual([true, false]);
    expect(wallet.store.read((r) => r.outputs.areFree([output(1, 1, 50n)]))).toBe(false);
    freezing.thaw(image(1));
    expect(freezing.find(image(1)).frozen).toBe(false);
  });

  it('must be known by its key image', async () => {
    expect(await faultOf(() => freezing.freeze(image(9)))).toEqual(UNKNOWN);
    expect(await faultOf(() => freezing.find(image(9)))).toEqual(UNKNOWN);
  });
});

describe('an output that a client with limits freezes', () => {
  const by = (day: bigint, mayLock = true): Spender => ({
    ...{ name: 'shop', limits: { day }, addresses: undefined },
    ...(mayLock ? { mayLock: true } : {}),
  });
  const isFrozen = (n: number): boolean => freezing.find(image(n)).frozen;

  it('needs the right to lock money', async () => {
    expect(await faultOf(() => freezing.freeze(image(1), by(1000n, false)))).toMatchObject({
      kind: 'credential_denied',
    });
    expect(isFrozen(1)).toBe(false);
  });

  it('pays nobody, so that a client with a list of addresses may freeze it', () => {
    freezing.freeze(image(1), { ...by(50n), addresses: new Set() });
    expect(isFrozen(1)).toBe(true);
  });

  it('counts nothing where it cannot be spent anyway', () => {
    prepare(1);
    freezing.freeze(image(1), by(0n));
    freezing.freeze(image(2));
    freezing.freeze(image(2), by(0n));
    expect([isFrozen(1), isFrozen(2)]).toEqual([true, true]);
  });

  it('counts as spent, once while it is frozen, and again after it was thawed', async () => {
    freezing.freeze(image(1), by(120n));
    freezing.freeze(image(1), by(120n));
    freezing.freeze(image(2), by(120n));
    expect(await faultOf(() => freezing.freeze(image(3), by(120n)))).toMatchObject({ kind: 'spend_limit' });
    expect([1, 2, 3].map(isFrozen)).toEqual([true, true, false]);
    freezing.thaw(image(1));
    wallet.time += 1;
    expect(await faultOf(() => freezing.freeze(image(1), by(120n)))).toMatchObject({ kind: 'spend_limit' });
  });
});

describe('an output that the daemon is asked about', () => {
  it.each<[string, string, KeyImageStatus]>([
    ['unspent', 'free', 0],
    ['spent in the chain', 'spent', 1],
    ['spent in the pool', 'reserved', 2],
  ])('which the wallet has as unspent, and the daemon as %s, is %s', async (_, expected, status) => {
    statuses.set(toHex(image(1)), status);
    await freezing.rescanSpent();
    expect([1, 2].map(stateOf)).toEqual([expected, 'free']);
    expect(wallet.lines.map(({ keyImage, spent }) => [keyImage, spent])).toEqual(
      status === 0 ? [] : [[toHex(image(1)), true]],
    );
  });

  it.each<[string, string, KeyImageStatus]>([
    ['unspent', 'free', 0],
    ['spent', 'spent', 1],
  ])(
    'which the wallet has as spent in the chain, and the daemon as %s, is %s',
    async (_, expected, status) => {
      statuses.set(toHex(image(1)), status);
      const spend = { keyImage: image(1), txHash: bytes<Hash>(99), height: 3 };
      wallet.store.write((w) => w.outputs.markSpent(spend));
      await freezing.rescanSpent();
      expect(stateOf(1)).toBe(expected);
      expect(wallet.lines.map(({ keyImage, spent }) => [keyImage, spent])).toEqual(
        status === 0 ? [[toHex(image(1)), false]] : [],
      );
    },
  );

  it('takes the recorded payment with its spend, and brings it again once the daemon has the spend', async () => {
    const [txHash, height] = [bytes<Hash>(99), 4];
    wallet.store.write((w) =>
      w.applyPage(
        page(height, 1, {
          spends: [{ keyImage: image(1), txHash, height }],
          outgoing: [
            {
              ...{ txHash, height, timestamp: 1004, account: 0, fromIndices: [0] },
              ...{ amountIn: amount(50n), change: amount(0n), fee: amount(1n), unlockTime: 0n },
            },
          ],
        }),
      ),
    );
    const recorded = (): unknown => wallet.store.read((r) => r.outgoing.byHash(txHash));
    const before = recorded();
    await freezing.rescanSpent();
    expect([recorded(), stateOf(1)]).toEqual([undefined, 'free']);
    statuses.set(toHex(image(1)), 1);
    await freezing.rescanSpent();
    expect([recorded(), stateOf(1)]).toEqual([before, 'spent']);
  });

  it.each(['prepared', 'pending'] as const)(
    'stays reserved by a %s payment of ours that the daemon holds',
    async (state) => {
      prepare(1, { state });
      held = [paymentHash(1)];
      await freezing.rescanSpent();
      expect([stateOf(1), wallet.lines]).toEqual(['reserved', []]);
    },
  );

  it('is free where an unknown transaction reserved it, which the daemon no longer has', async () => {
    statuses.set(toHex(image(1)), 2);
    await freezing.rescanSpent();
    expect(stateOf(1)).toBe('reserved');
    statuses.clear();
    await freezing.rescanSpent();
    expect(stateOf(1)).toBe('free');
  });

  it('is no error where the daemon lacks the newest scanned block, and denies no spend', async () => {
    wallet.answers.getInfo = () => Promise.resolve(infoOf({ height: 1, hash: bytes<Hash>(77) }));
    statuses.set(toHex(image(1)), 1);
    await freezing.rescanSpent();
    expect(stateOf(1)).toBe('spent');
  });

  it('has its key image corrected once all spends are', async () => {
    statuses.set(toHex(image(1)), 1);
    const states: string[] = [];
    const correct = jest.spyOn(wallet.sync, 'correctKeyImages').mockImplementation(() => {
      states.push(stateOf(1));
      return Promise.resolve();
    });
    await freezing.rescanSpent();
    expect(states).toEqual(['spent']);
    correct.mockRestore();
  });

  it('is free where the daemon holds its payment in neither pool nor chain, which failed', async () => {
    prepare(1);
    prepare(2, { state: 'prepared' });
    await freezing.rescanSpent();
    expect([1, 2].map(stateOf)).toEqual(['free', 'free']);
    const states = [1, 2].map((n) => wallet.store.read((r) => r.outgoing.byHash(paymentHash(n))?.state));
    expect(states).toEqual(['failed', 'failed']);
  });

  it('is free where the daemon holds a payment that was made elsewhere, and calls its input unspent', async () => {
    prepareForeign(1);
    held = [paymentHash(1)];
    await freezing.rescanSpent();
    expect(stateOf(1)).toBe('free');
  });

  it('stays as it is where the daemon gives too few answers', async () => {
    wallet.answers.isKeyImageSpent = () => Promise.resolve([]);
    await freezing.rescanSpent();
    expect([1, 2, 3].map(stateOf)).toEqual(['free', 'free', 'free']);
  });

  it('is one of a thousand at once at most', async () => {
    receiveMany(1000);
    const sizes: number[] = [];
    wallet.answers.isKeyImageSpent = (images) => {
      sizes.push(images.length);
      return Promise.resolve(images.map(() => 0));
    };
    await freezing.rescanSpent();
    expect(sizes).toEqual([1000, 3]);
  });

  it('is asked about while the answer for the thousand before it is awaited, not earlier', async () => {
    receiveMany(2500);
    const answers: (() => void)[] = [];
    wallet.answers.isKeyImageSpent = (images) =>
      new Promise((resolve) => answers.push(() => resolve(images.map(() => 1))));
    const asking = freezing.rescanSpent();
    const asked = (count: number) => until('the next request', () => answers.length >= count);
    await asked(2);
    expect([answers.length, stateOf(1)]).toEqual([2, 'free']);
    answers[0]?.();
    await asked(3);
    expect([answers.length, stateOf(1)]).toEqual([3, 'spent']);
    answers[1]?.();
    answers[2]?.();
    await asking;
    const states = wallet.store.read((r) => r.outputs.keyImageStates());
    expect(states.filter(({ spentHeight }) => spentHeight !== undefined)).toHaveLength(2503);
  });

  it('keeps the corrections before an answer that fails', async () => {
    receiveMany(1000);
    const calls: number[] = [];
    wallet.answers.isKeyImageSpent = (images) =>
      calls.push(images.length) === 1
        ? Promise.resolve(images.map(() => 1))
        : Promise.reject(new DaemonError('timeout', 'no answer'));
    await expect(freezing.rescanSpent()).rejects.toThrow('no answer');
    expect(stateOf(1)).toBe('spent');
  });
});

describe('the chain, against what the daemon says of key images,', () => {
  const spend = (n: number): void =>
    wallet.store.write((w) =>
      w.outputs.markSpent({ keyImage: image(n), txHash: bytes<Hash>(99), height: 3 }),
    );
  const warned = (): unknown[] => wallet.lines.filter(({ level }) => level === 40).map(({ count }) => count);

  it.each<KeyImageStatus>([1, 2])(
    'is believed by a wallet that has read all blocks with its spend key (%i)',
    async (status) => {
      wallet.store.write((w) => w.meta.remove('skipped_from'));
      for (const n of [1, 2]) statuses.set(toHex(image(n)), status);
      await freezing.rescanSpent();
      expect([[1, 2, 3].map(stateOf), warned()]).toEqual([['free', 'free', 'free'], [2]]);
    },
  );

  it('keeps spends that a block proves, and all others once the daemon has denied such a one', async () => {
    for (const n of [1, 2, 3]) spend(n);
    proven = [image(2)];
    await freezing.rescanSpent();
    expect([[1, 2, 3].map(stateOf), warned()]).toEqual([['spent', 'spent', 'spent'], [3]]);
  });

  it('frees a spend that its transaction does not make', async () => {
    spend(1);
    proven = [image(2)];
    await freezing.rescanSpent();
    expect([stateOf(1), warned()]).toEqual(['free', []]);
  });

  it('frees nothing if the daemon follows another one', async () => {
    spend(1);
    wallet.refresher.onProve = ({ startHeight }) =>
      Promise.resolve({
        ...{ blocks: [{ height: startHeight, hash: bytes<Hash>(77) }], received: [], outputs: [], txs: [] },
      });
    await expect(freezing.rescanSpent()).rejects.toThrow('another chain');
    expect(stateOf(1)).toBe('spent');
  });

  it('is not known in full once a refresh has skipped blocks, until they are read', () => {
    const skipped = (): unknown => wallet.store.read((r) => r.meta.get('skipped_from'));
    wallet.store.write((w) => w.meta.remove('skipped_from'));
    wallet.store.write((w) => w.applyPage(page(4, 2)));
    expect(skipped()).toBeUndefined();
    wallet.store.write((w) => w.applyPage(page(9, 2)));
    wallet.store.write((w) => w.applyPage(page(20, 2)));
    expect(skipped()).toBe('6');
    wallet.store.write((w) => w.applyPage(page(10, 2)));
    expect(skipped()).toBe('6');
    wallet.store.write((w) => w.detach(6));
    expect(skipped()).toBeUndefined();
  });
});

describe('answers of the daemon that all fail', () => {
  it('are one error, whatever was asked at the same time', async () => {
    receiveMany(1000);
    wallet.answers.isKeyImageSpent = () => Promise.reject(new DaemonError('timeout', 'no answer'));
    await expect(freezing.rescanSpent()).rejects.toThrow('no answer');
    // An error that nothing handles would fail this test by now.
    await turns(3);
  });
});

describe('a spent output that the daemon calls unspent', () => {
  const spendScanned = (): void =>
    wallet.store.write((w) =>
      w.outputs.markSpent({ keyImage: image(1), txHash: bytes<Hash>(99), height: 3 }),
    );
  const BEHIND = { kind: 'daemon_misbehaves' };

  it.each([
    ['lacks', 2],
    ['has replaced', 3],
  ])('stays spent where the daemon %s the newest scanned block, which is an error', async (_, height) => {
    spendScanned();
    wallet.answers.getInfo = () => Promise.resolve(infoOf({ height, hash: bytes<Hash>(77) }));
    expect(await faultOf(() => freezing.rescanSpent())).toMatchObject(BEHIND);
    expect(stateOf(1)).toBe('spent');
  });

  it('is compared with the block at its height where the daemon has newer ones', async () => {
    spendScanned();
    const [tip] = wallet.store.shortHistory();
    let hash = bytes<Hash>(77);
    wallet.answers.getInfo = () => Promise.resolve(infoOf({ height: 9, hash: bytes<Hash>(78) }));
    wallet.answers.getBlockHeader = (height) => Promise.resolve({ height, hash } as DaemonBlockHeader);
    expect(await faultOf(() => freezing.rescanSpent())).toMatchObject(BEHIND);
    expect(stateOf(1)).toBe('spent');
    hash = tip?.hash ?? hash;
    await freezing.rescanSpent();
    expect(stateOf(1)).toBe('free');
  });

  it('stays spent where the daemon calls it spent once it has shown that block', async () => {
    spendScanned();
    let isBehind = true;
    wallet.answers.isKeyImageSpent = (images) => Promise.resolve(images.map(() => (isBehind ? 0 : 1)));
    const { getInfo } = wallet.answers;
    wallet.answers.getInfo = (options) => {
      isBehind = false;
      return getInfo?.(options) ?? Promise.reject(new Error('an answer'));
    };
    await freezing.rescanSpent();
    expect(stateOf(1)).toBe('spent');
  });

  it('does not hinder the correction of those that it calls spent', async () => {
    spendScanned();
    statuses.set(toHex(image(2)), 1);
    wallet.answers.getInfo = () => Promise.resolve(infoOf({ height: 1, hash: bytes<Hash>(77) }));
    expect(await faultOf(() => freezing.rescanSpent())).toMatchObject(BEHIND);
    expect([1, 2].map(stateOf)).toEqual(['spent', 'spent']);
  });
});

describe('asking the daemon', () => {
  it('waits for a payment that is being made', async () => {
    let end: () => void = () => undefined;
    const paying = wallet.locks.payment.run(() => new Promise<void>((resolve) => (end = resolve)));
    let isDone = false;
    const asking = freezing.rescanSpent().then(() => (isDone = true));
    await turns(3);
    expect(isDone).toBe(false);
    end();
    await Promise.all([paying, asking]);
  });

  it('fails as the daemon does, and changes nothing', async () => {
    prepare(1);
    wallet.answers.getTransactions = () => Promise.reject(new DaemonError('timeout', 'no answer'));
    await expect(freezing.rescanSpent()).rejects.toThrow('no answer');
    expect(stateOf(1)).toBe('reserved');
  });

  it('is refused in a wallet that is closed, also while the daemon is asked', async () => {
    prepare(1);
    const { getTransactions } = wallet.answers;
    wallet.answers.getTransactions = (...args) => {
      wallet.close();
      return getTransactions?.(...args) ?? Promise.resolve({ transactions: [] });
    };
    expect(await faultOf(() => freezing.rescanSpent())).toEqual({ kind: 'no_wallet' });
    expect(await faultOf(() => freezing.rescanSpent())).toEqual({ kind: 'no_wallet' });
  });
});
