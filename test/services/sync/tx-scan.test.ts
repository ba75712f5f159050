import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { DaemonBlock, DaemonTransaction } from '../../../src/daemon/daemon.js';
import { TxScan } from '../../../src/services/sync/tx-scan.js';
import type { BatchFindings, TxBatch } from '../../../src/refresh/scan/wallet-scanner.js';
import { amount } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import { bytes, output, page, received } from '../../store/fixtures.js';
import { blockWith } from '../../support/chain/work-chain.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { NOTHING_FOUND } from '../../support/fakes/fake-refresher.js';
import { faultOf, TestWallet } from '../../support/wallets/test-wallet.js';
import { paymentHash, unminedPayment } from '../../support/wallets/unmined-payment.js';

const hash = (n: number): Hash => bytes<Hash>(n);

let wallet: TestWallet;
let scan: TxScan;
/** Transactions that the daemon knows, and those that it was asked for, a call. */
let known: DaemonTransaction[];
let asked: string[][];

beforeEach(() => {
  wallet = new TestWallet();
  scan = new TxScan(wallet, wallet);
  known = [];
  asked = [];
  wallet.answers.getBlock = (height) => Promise.resolve(blockOf(height));
  wallet.store.blockAt = (height) => ({ height, hash: blockOf(height).hash });
  wallet.answers.getTransactions = (hashes) => {
    const names = hashes.map(toHex);
    asked.push(names);
    return Promise.resolve({ transactions: known.filter((tx) => names.includes(toHex(tx.hash))) });
  };
});
afterEach(() => wallet.close());

/** Returns the block at a height, with all known transactions that name it. */
const blockOf = (height: number): DaemonBlock => {
  const within = known.filter(({ blockHeight }) => blockHeight === height);
  return blockWith(
    height,
    within.map((tx) => tx.hash),
    1000 + height,
  );
};

const mined = (n: number, blockHeight: number): DaemonTransaction => ({
  ...{ hash: hash(n), blob: Uint8Array.of(n), inPool: false, doubleSpendSeen: false },
  ...{ blockHeight, blockTimestamp: 1000 + blockHeight, outputIndices: [n] },
});

const batches = (): TxBatch[] =>
  wallet.refresher.callsOf('scanTransactions').map(([batch]) => batch as TxBatch);

/** Findings of a transaction that pays 5 at a height. */
const paid = (n: number, height: number): BatchFindings => ({
  ...NOTHING_FOUND,
  mined: { ...NOTHING_FOUND.mined, received: [received(n, height)], outputs: [output(n, height, 5n)] },
});

describe('transactions that are scanned', () => {
  it('reserve outputs only with a valid signature, unless the wallet has made them', async () => {
    const spent = output(3, 3, 5n);
    wallet.store.write((w) => w.applyPage(page(0, 4, { received: [received(3, 3)], outputs: [spent] })));
    known = [{ hash: hash(1), blob: Uint8Array.of(1), inPool: true, doubleSpendSeen: false }];
    const outgoing = {
      ...{ txHash: hash(1), timestamp: 9, account: 0, fromIndices: [0], unlockTime: 0n },
      ...{
        amountIn: amount(5n),
        change: amount(0n),
        fee: amount(1n),
        keyImages: [spent.keyImage as KeyImage],
      },
    };
    wallet.refresher.onLook = () => Promise.resolve({ ...NOTHING_FOUND, unmined: [{ outgoing }] });
    const reserved = (): boolean => wallet.store.read((r) => r.outputs.byRef(spent)?.spentBy) !== undefined;
    wallet.answers.proveSpends = () => Promise.reject(new DaemonError('forged', 'no signature'));
    await expect(scan.scan([hash(1)])).rejects.toMatchObject({ kind: 'forged' });
    wallet.answers.proveSpends = () => Promise.resolve(false);
    await scan.scan([hash(1)]);
    expect(reserved()).toBe(false);
    wallet.answers.proveSpends = () => Promise.resolve(true);
    await scan.scan([hash(1)]);
    expect(reserved()).toBe(true);
    wallet.answers.proveSpends = () => Promise.reject(new Error('the wallet has the payment'));
    await scan.scan([hash(1)]);
  });

  it('are none where none are asked for', async () => {
    await scan.scan([]);
    expect([asked, wallet.refresher.calls]).toEqual([[], []]);
  });

  it('are not looked at if the block that is to contain them does not', async () => {
    known = [mined(1, 9)];
    wallet.answers.getBlock = (height) => Promise.resolve(blockWith(height, [hash(2)]));
    const refusedAs = (text: string): Promise<void> =>
      expect(scan.scan([hash(1)])).rejects.toMatchObject({
        ...{ kind: 'malformed', message: expect.stringContaining(text) },
      });
    await refusedAs('is not that of the wallet');
    wallet.store.blockAt = () => undefined;
    await refusedAs('lacks transaction');
    expect(batches()).toEqual([]);
  });

  it('are looked at once each, in the order of their blocks, and apart where they are not mined', async () => {
    known = [
      mined(1, 9),
      mined(2, 4),
      mined(3, 9),
      { hash: hash(4), blob: Uint8Array.of(4), inPool: true, doubleSpendSeen: true },
      { hash: hash(5), blob: Uint8Array.of(5), inPool: false, doubleSpendSeen: false, blockHeight: 4 },
    ];
    await scan.scan([1, 2, 3, 2, 4, 5].map(hash));
    expect(asked).toEqual([[1, 2, 3, 4, 5].map((n) => toHex(hash(n)))]);
    const named = (n: number, globalIndices = [n]) =>
      expect.objectContaining({ hash: hash(n), blob: Uint8Array.of(n), globalIndices }) as unknown;
    expect(batches()).toEqual([
      {
        mined: [
          { height: 4, timestamp: 1004, txs: [named(2), named(5, [])] },
          { height: 9, timestamp: 1009, txs: [named(1), named(3)] },
        ],
        unmined: [expect.objectContaining({ hash: hash(4), blob: Uint8Array.of(4), doubleSpendSeen: true })],
      },
    ]);
  });

  it('are asked for a hundred at a time', async () => {
    known = Array.from({ length: 201 }, (_, n) => mined(n, n));
    await scan.scan(known.map((tx) => tx.hash));
    expect(asked.map((names) => names.length)).toEqual([100, 100, 1]);
    expect(batches()[0]?.mined).toHaveLength(201);
  });

  it('are refused together where the daemon does not know one', async () => {
    known = [mined(1, 1)];
    expect(await faultOf(() => scan.scan([hash(1), hash(2)]))).toEqual({
      kind: 'invalid',
      reason: `the daemon does not know transaction ${toHex(hash(2))}`,
      text: 'Failed to get transaction from daemon',
    });
    expect(batches()).toEqual([]);
  });
});

describe('findings of a scan', () => {
  it('are stored, and the scanner starts over from the store', async () => {
    known = [mined(1, 7)];
    wallet.refresher.onLook = () => Promise.resolve(paid(1, 7));
    await scan.scan([hash(1)]);
    expect(wallet.store.read((r) => r.payments.byTx(hash(1)))).toMatchObject([{ amount: 5n }]);
    expect(wallet.incoming).toEqual([toHex(hash(1))]);
    expect(wallet.refresher.calls.map(([name]) => name)).toEqual(['scanTransactions', 'restart']);
  });

  it('that are known already change nothing, and are not reported', async () => {
    wallet.store.write((w) =>
      w.applyPage(page(0, 9, { received: [received(1, 7)], outputs: [output(1, 7, 5n)] })),
    );
    known = [mined(1, 7)];
    wallet.refresher.onLook = () => Promise.resolve(paid(1, 7));
    await scan.scan([hash(1)]);
    expect([wallet.incoming, batches().length]).toEqual([[], 1]);
    expect(wallet.store.read((r) => r.payments.byTx(hash(1)))).toMatchObject([{ amount: 5n }]);
  });
});

describe('an output that was not known', () => {
  beforeEach(() => {
    const { txHash, account, fromIndices, amountIn, fee, change, unlockTime } = unminedPayment(1);
    const outgoing = { txHash, account, fromIndices, amountIn, fee, change, unlockTime };
    wallet.store.write((w) =>
      w.applyPage(
        page(0, 20, {
          received: [received(2, 6), received(3, 8), { ...received(4, 9), coinbase: true }],
          outputs: [output(2, 6, 5n), output(3, 8, 5n), output(4, 9, 5n)],
          outgoing: [{ ...outgoing, height: 7, timestamp: 1, amountIn: amount(60n) }],
        }),
      ),
    );
    known = [mined(1, 7), mined(2, 6), mined(3, 8), { ...mined(201, 7), hash: paymentHash(1) }];
    wallet.refresher.onLook = () => Promise.resolve(paid(1, 7));
  });

  it('has transactions of the wallet from its height on looked at again', async () => {
    await scan.scan([hash(1)]);
    expect(asked.map((names) => [...names].sort())).toEqual([
      [toHex(hash(1))],
      [toHex(hash(3)), toHex(paymentHash(1))].sort(),
    ]);
    const looked = batches().map((batch) => batch.mined.map(({ height, txs }) => [height, txs.length]));
    expect(looked).toEqual([
      [[7, 1]],
      [
        [7, 2],
        [8, 1],
      ],
    ]);
  });

  it('has none looked at again that were asked for themselves', async () => {
    await scan.scan([hash(1), hash(3), paymentHash(1)]);
    expect([asked.length, batches().length]).toEqual([1, 1]);
  });

  it('is refused, and not stored, where a daemon that is not trusted would learn of others', async () => {
    wallet.trusted = false;
    expect(await faultOf(() => scan.scan([hash(1)]))).toMatchObject({ kind: 'invalid' });
    expect([asked.length, wallet.store.read((r) => r.payments.has(hash(1)))]).toEqual([1, false]);
    expect(wallet.refresher.callsOf('restart')).toEqual([]);
  });
});

describe('a scan', () => {
  it('waits for a refresh and for a payment', async () => {
    known = [mined(1, 7)];
    for (const lock of ['refresh', 'payment'] as const) {
      let end: () => void = () => undefined;
      const other = wallet.locks[lock].run(() => new Promise<void>((resolve) => (end = resolve)));
      const before = asked.length;
      const scanning = scan.scan([hash(1)]);
      await turns(3);
      expect(asked).toHaveLength(before);
      end();
      await Promise.all([other, scanning]);
    }
  });

  it('is refused in a wallet that is closed, before and while the daemon is asked', async () => {
    known = [mined(1, 7)];
    wallet.refresher.onLook = () => {
      wallet.close();
      return Promise.resolve(paid(1, 7));
    };
    expect(await faultOf(() => scan.scan([hash(1)]))).toEqual({ kind: 'no_wallet' });
    expect(await faultOf(() => scan.scan([hash(1)]))).toEqual({ kind: 'no_wallet' });
    expect(asked).toHaveLength(1);
  });
});
