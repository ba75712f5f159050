import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import type { PoolFinding, PoolOutgoing } from '../../../src/refresh/scan/wallet-scanner.js';
import { MempoolTracker } from '../../../src/services/sync/mempool-tracker.js';
import { amount } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import type { BlockRef } from '../../../src/monero/wallet/scan/findings.js';
import { bytes, output, page, received } from '../../store/fixtures.js';
import { TestWallet } from '../../support/wallets/test-wallet.js';
import { paymentHash, pooledPayment, unminedPayment } from '../../support/wallets/unmined-payment.js';

const image = (n: number): KeyImage => bytes<KeyImage>(100 + n);

let wallet: TestWallet;
beforeEach(() => {
  wallet = new TestWallet();
  wallet.store.write((w) =>
    w.applyPage(
      page(0, 3, {
        received: [received(1, 1), received(2, 2)],
        outputs: [output(1, 1, 50n), output(2, 2, 50n)],
      }),
    ),
  );
});
afterEach(() => wallet.close());

/** A transaction of the pool that spends outputs. */
const spending = (n: number, keyImages: readonly KeyImage[] = [image(n)]): PoolOutgoing => {
  const { txHash, account, fromIndices, amountIn, fee, change, unlockTime, timestamp } = unminedPayment(n);
  return { txHash, account, fromIndices, amountIn, fee, change, unlockTime, timestamp, keyImages };
};

const admit = (...findings: PoolFinding[]): string[] => wallet.mempool.admit(findings).map(toHex);
const pool = (): string[] => wallet.store.read((r) => r.pool.list().map(({ txHash }) => toHex(txHash)));
const state = (n: number) => wallet.store.read((r) => r.outgoing.byHash(paymentHash(n))?.state);
const spender = (n: number) => {
  const found = wallet.store.read((r) => r.outputs.byKeyImage(image(n)))?.spentBy;
  return found && toHex(found);
};

/** Newest of so many blocks. */
const blocksOf = (count: number): { readonly tip: BlockRef } => {
  const { hashes } = page(count - 1, 1);
  return { tip: { height: count - 1, hash: hashes[0] as Hash } };
};

const [one, two] = [bytes<Hash>(31), bytes<Hash>(32)];

describe('the mempool', () => {
  it('is up to date while it gains no transaction', () => {
    const other = bytes<Hash>(33);
    wallet.mempool.commitPool([one, two], [{ incoming: pooledPayment(one) }]);
    const upToDate = (...present: Hash[]): boolean => wallet.mempool.isUpToDate(present);
    expect([upToDate(one, two), upToDate(one), upToDate(two), upToDate(one, other)]).toEqual([
      ...[true, true, true, false],
    ]);
    wallet.mempool.noteMissing(new Set(), 4);
    expect([upToDate(one), upToDate(two)]).toEqual([false, true]);
  });

  it('is read without a commit while it holds nothing new', () => {
    wallet.mempool.commitPool([one], [{ incoming: pooledPayment(one) }]);
    const { version } = wallet.store;
    wallet.mempool.commitPool([one, two], []);
    wallet.mempool.commitPool([two], []);
    expect([wallet.store.version, pool()]).toEqual([version, [toHex(one)]]);
  });

  it('is what it held when it was read last', () => {
    expect(wallet.mempool.present.size).toBe(0);
    wallet.mempool.commitPool([one, two], []);
    wallet.mempool.admit([{ incoming: pooledPayment(bytes<Hash>(33)) }]);
    expect([...wallet.mempool.present]).toEqual([one, two].map(toHex));
    wallet.mempool.commitPool([two], []);
    expect([...wallet.mempool.present]).toEqual([toHex(two)]);
  });
});

describe('a listed payment that the mempool lacks', () => {
  const { tip: newest } = blocksOf(3);
  const read = (...present: Hash[]): void => void wallet.mempool.commitPool(present, []);
  const mine = (from: number, count: number): BlockRef => {
    wallet.store.write((w) => w.applyPage(page(from, count)));
    return blocksOf(from + count).tip;
  };

  beforeEach(() => {
    wallet.mempool.commitPool(
      [one, two],
      [{ incoming: pooledPayment(one) }, { incoming: pooledPayment(two) }],
    );
  });

  it('is removed if the wallet knows the newest block of the daemon, and others stay', () => {
    read(two);
    expect(wallet.mempool.decide(newest)).toBe(true);
    expect(pool()).toEqual([toHex(two)]);
  });

  it('stays listed until the wallet knows a block that the daemon had then', () => {
    const next = blocksOf(4).tip;
    read(two);
    expect([wallet.mempool.decide(next), pool()]).toEqual([false, [one, two].map(toHex)]);
    expect([wallet.mempool.decide(mine(3, 1)), pool()]).toEqual([true, [toHex(two)]]);
  });

  it('stays listed while the daemon has another block at the height of the newest one of the wallet', () => {
    read(two);
    expect(wallet.mempool.decide({ ...newest, hash: bytes<Hash>(77) })).toBe(false);
    expect(pool()).toEqual([one, two].map(toHex));
  });

  it('stays listed after any number of reads that no refresh follows', () => {
    for (const present of [[two], [], [two]]) read(...present);
    expect(pool()).toEqual([one, two].map(toHex));
  });

  it.each([
    ['a later read', () => undefined],
    ['a restart', () => undefined],
  ])('waits, after %s, for the height at which it was missing, though another daemon is behind', (after) => {
    read(two);
    wallet.mempool.noteMissing(wallet.mempool.present, 5);
    const mempool = after === 'a restart' ? new MempoolTracker(wallet) : wallet.mempool;
    mempool.commitPool([two], []);
    expect([mempool.decide(newest), pool()]).toEqual([true, [one, two].map(toHex)]);
    expect([mempool.decide(mine(3, 1)), pool()]).toEqual([true, [one, two].map(toHex)]);
    expect([mempool.decide(mine(4, 1)), pool()]).toEqual([true, [toHex(two)]]);
  });

  it('waits for ten blocks at most, whatever height a daemon claims', () => {
    read(two);
    wallet.mempool.noteMissing(wallet.mempool.present, 1_000_000_000);
    mine(3, 9);
    expect([wallet.mempool.decide(blocksOf(12).tip), pool()]).toEqual([true, [one, two].map(toHex)]);
    mine(12, 1);
    expect([wallet.mempool.decide(blocksOf(13).tip), pool()]).toEqual([true, [toHex(two)]]);
  });

  it('is removed ten blocks later where the wallet never knows the newest block of the daemon', () => {
    read(two);
    for (let height = 3; height < 13; height++) {
      expect([wallet.mempool.decide(blocksOf(height + 2).tip), pool()]).toEqual([
        false,
        [one, two].map(toHex),
      ]);
      mine(height, 1);
    }
    expect([wallet.mempool.decide(blocksOf(15).tip), pool()]).toEqual([true, [toHex(two)]]);
  });

  it('stays listed, whatever earlier reads left undecided, once a read lacked nothing', () => {
    read(two);
    wallet.mempool.decide(blocksOf(5).tip);
    read(one, two);
    mine(3, 20);
    read(two);
    expect([wallet.mempool.decide(blocksOf(25).tip), pool()]).toEqual([false, [one, two].map(toHex)]);
  });

  it.each(['an answer', 'none'])('stays listed where the daemon gives %s that decides nothing', (answer) => {
    read(two);
    const tip = answer === 'none' ? undefined : { ...newest, hash: bytes<Hash>(77) };
    expect([wallet.mempool.decide(tip), pool()]).toEqual([false, [one, two].map(toHex)]);
    expect([wallet.mempool.decide(newest), pool()]).toEqual([true, [toHex(two)]]);
  });

  it('waits for no block any more once the mempool holds it again', () => {
    read(two);
    wallet.mempool.noteMissing(wallet.mempool.present, 9);
    read(one, two);
    read(two);
    expect(wallet.mempool.hasNewlyMissing(wallet.mempool.present)).toBe(true);
    wallet.mempool.decide(newest);
    expect(pool()).toEqual([toHex(two)]);
  });

  it('is in a block alone once the wallet has read it', () => {
    read(two);
    wallet.mempool.noteMissing(wallet.mempool.present, 4);
    wallet.store.write((w) =>
      w.applyPage(
        page(3, 1, {
          received: [{ ...received(9, 3), txHash: one }],
          outputs: [{ ...output(9, 3, 5n), txHash: one }],
        }),
      ),
    );
    expect([pool(), wallet.store.read((r) => r.payments.has(one))]).toEqual([[toHex(two)], true]);
    expect(wallet.mempool.lacksPayments).toBe(false);
  });

  it('is reversed only after it is removed', () => {
    const types = (): string[] => wallet.store.read((r) => r.events.after(0, 100)).map(({ type }) => type);
    const seen = types();
    mine(3, 2);
    for (let reads = 0; reads < 4; reads++) read(two);
    expect(types()).toEqual(seen);
    wallet.mempool.decide(blocksOf(5).tip);
    mine(5, 1);
    for (let reads = 0; reads < 2; reads++) read(two);
    expect(types()).toEqual([...seen, 'payment.reversed']);
  });

  it.each(['prepared', 'pending'] as const)('is looked for while it is an own one that is %s', (state) => {
    wallet.mempool.commitPool([one, two, paymentHash(1)], []);
    wallet.store.write((w) => w.outgoing.insert(unminedPayment(1, { state })));
    expect(wallet.mempool.lacksPayments).toBe(false);
    read(one, two);
    expect(wallet.mempool.lacksPayments).toBe(true);
    wallet.store.write((w) => w.fail(paymentHash(1)));
    expect(wallet.mempool.lacksPayments).toBe(false);
  });
});

describe('an incoming transaction', () => {
  it('is new once', () => {
    expect(admit({ incoming: pooledPayment(one) })).toEqual([toHex(one)]);
    expect(admit({ incoming: pooledPayment(one) }, { incoming: pooledPayment(two) })).toEqual([toHex(two)]);
    expect(pool()).toEqual([one, two].map(toHex));
  });

  it('is not in the mempool where its block was read meanwhile', () => {
    expect(admit({ incoming: pooledPayment(bytes<Hash>(1)) })).toEqual([]);
    expect(pool()).toEqual([]);
  });

  it('is stored but not new where a mined output on its key holds as much', () => {
    expect(admit({ incoming: pooledPayment(one, bytes<PublicKey>(101)) })).toEqual([]);
    expect(pool()).toEqual([toHex(one)]);
  });
});

describe('an outgoing transaction', () => {
  it('is recorded with the effective output of a reused key, whichever the scanner watches', () => {
    const reused = { publicKey: bytes<PublicKey>(101), keyImage: image(1) };
    wallet.store.write((w) =>
      w.applyPage(page(3, 1, { received: [received(3, 3)], outputs: [output(3, 3, 70n, reused)] })),
    );
    admit({ outgoing: { ...spending(1), amountIn: amount(50n) } });
    expect(wallet.store.read((r) => r.outgoing.byHash(paymentHash(1)))).toMatchObject({ amountIn: 70n });
  });

  it('of another wallet with the same keys is pending, without destinations, and takes its inputs', () => {
    expect(admit({ outgoing: spending(1) })).toEqual([]);
    expect(wallet.store.read((r) => r.outgoing.byHash(paymentHash(1)))).toMatchObject({
      state: 'pending',
      amountIn: 50n,
      change: 8n,
      destinations: [],
    });
    expect(spender(1)).toBe(toHex(paymentHash(1)));
  });

  it.each(['prepared', 'failed'] as const)(
    'of ours that was %s is pending, and takes its inputs',
    (before) => {
      wallet.store.write((w) => {
        w.prepare(unminedPayment(1, { state: 'prepared' }), [output(1, 1, 50n)], []);
        if (before === 'failed') w.fail(paymentHash(1));
      });
      admit({ outgoing: spending(1) });
      expect([state(1), spender(1)]).toEqual(['pending', toHex(paymentHash(1))]);
      expect(wallet.store.read((r) => r.outgoing.byHash(paymentHash(1))?.blob)).toBeDefined();
    },
  );

  it('that is mined stays confirmed', () => {
    wallet.store.write((w) => w.outgoing.confirm({ ...spending(1), height: 2 }));
    admit({ outgoing: spending(1) });
    expect([state(1), spender(1)]).toEqual(['confirmed', undefined]);
  });

  it('takes inputs that were found after it', () => {
    admit({ outgoing: spending(1, [image(1), image(3)]) });
    wallet.store.write((w) =>
      w.applyPage(page(3, 1, { received: [received(3, 3)], outputs: [output(3, 3, 7n)] })),
    );
    expect(spender(3)).toBeUndefined();
    admit({ outgoing: spending(1, [image(1), image(3)]) });
    expect(spender(3)).toBe(toHex(paymentHash(1)));
  });

  it('leaves an input to the payment that has it', () => {
    wallet.store.write((w) => w.prepare(unminedPayment(2), [output(1, 1, 50n)], []));
    admit({ outgoing: spending(1) });
    expect(spender(1)).toBe(toHex(paymentHash(2)));
  });

  it('is no income any more once what it spends is known', () => {
    admit({ incoming: pooledPayment(paymentHash(1)) });
    admit({ outgoing: spending(1) });
    expect(pool()).toEqual([]);
  });

  it('that also pays another account is both', () => {
    expect(admit({ incoming: pooledPayment(paymentHash(1)), outgoing: spending(1) })).toEqual([
      toHex(paymentHash(1)),
    ]);
    expect([pool(), state(1)]).toEqual([[toHex(paymentHash(1))], 'pending']);
  });
});

describe('a payment that a reorganisation took the inputs from', () => {
  /** Records payment n without its input. */
  const undone = (n: number, { hasBytes = true } = {}): void => {
    const { blob, ...rest } = unminedPayment(n);
    wallet.store.write((w) =>
      w.outgoing.insert({ ...rest, ...(blob === undefined || !hasBytes ? {} : { blob }) }),
    );
  };

  it('takes them again as far as they are free, where its bytes are known', () => {
    undone(1);
    undone(2, { hasBytes: false });
    wallet.mempool.reserveLost();
    expect([spender(1), spender(2)]).toEqual([toHex(paymentHash(1)), undefined]);
  });

  it('leaves them to another payment', () => {
    undone(1);
    wallet.store.write((w) => w.prepare(unminedPayment(5), [output(1, 1, 50n)], []));
    wallet.mempool.reserveLost();
    expect(spender(1)).toBe(toHex(paymentHash(5)));
  });

  it('takes none once it failed', () => {
    undone(1);
    wallet.store.write((w) => w.fail(paymentHash(1)));
    wallet.mempool.reserveLost();
    expect(spender(1)).toBeUndefined();
  });

  it('changes nothing in the store where it has its inputs', () => {
    wallet.store.write((w) => w.prepare(unminedPayment(1), [output(1, 1, 50n)], []));
    const { version } = wallet.store;
    wallet.mempool.reserveLost();
    expect(wallet.store.version).toBe(version);
  });
});
