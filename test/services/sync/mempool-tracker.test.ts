import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, KeyImage, PublicKey } from '../../../src/crypto/types.js';
import type { PoolFinding, PoolOutgoing } from '../../../src/refresh/wallet-scanner.js';
import { toHex } from '../../../src/util/bytes.js';
import { bytes, output, page, received } from '../../store/fixtures.js';
import { TestWallet } from '../../support/test-wallet.js';
import { paymentHash, pooledPayment, unminedPayment } from '../../support/unmined-payment.js';

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

const [one, two] = [bytes<Hash>(31), bytes<Hash>(32)];

describe('the mempool', () => {
  it('is up to date while it gains no transaction and loses no recorded one', () => {
    const other = bytes<Hash>(33);
    wallet.mempool.commitPool([one, two], [{ incoming: pooledPayment(one) }]);
    const upToDate = (...present: Hash[]): boolean => wallet.mempool.isUpToDate(present);
    expect([upToDate(one, two), upToDate(one), upToDate(two), upToDate(one, other)]).toEqual([
      ...[true, true, false, false],
    ]);
  });

  it('is read without a commit while it holds nothing new and lacks nothing that was recorded', () => {
    wallet.mempool.commitPool([one], [{ incoming: pooledPayment(one) }]);
    const { version } = wallet.store;
    wallet.mempool.commitPool([one, two], []);
    expect([wallet.store.version, pool()]).toEqual([version, [toHex(one)]]);
    wallet.mempool.commitPool([two], []);
    expect(pool()).toEqual([]);
  });

  it('is what it held when it was read last', () => {
    expect(wallet.mempool.present.size).toBe(0);
    wallet.mempool.commitPool([one, two], []);
    wallet.mempool.admit([{ incoming: pooledPayment(bytes<Hash>(33)) }]);
    expect([...wallet.mempool.present]).toEqual([one, two].map(toHex));
    wallet.mempool.commitPool([two], []);
    expect([...wallet.mempool.present]).toEqual([toHex(two)]);
  });

  it('loses the transactions that it does not hold any more, and keeps those that are not reported again', () => {
    wallet.mempool.commitPool(
      [one, two],
      [{ incoming: pooledPayment(one) }, { incoming: pooledPayment(two) }],
    );
    wallet.mempool.commitPool([two], []);
    expect(pool()).toEqual([toHex(two)]);
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
