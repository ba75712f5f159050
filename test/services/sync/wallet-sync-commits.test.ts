import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import { amount } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import type { PageFindings, PoolTx } from '../../../src/monero/wallet/scan/findings.js';
import { packSubaddresses } from '../../../src/monero/wallet/scan/packed-subaddresses.js';
import { bytes, output, page, received } from '../../store/fixtures.js';
import { NOTHING_FOUND } from '../../support/fakes/fake-refresher.js';
import { TestWallet } from '../../support/wallets/test-wallet.js';
import { paymentHash, unminedPayment } from '../../support/wallets/unmined-payment.js';

let wallet: TestWallet;
beforeEach(() => {
  wallet = new TestWallet();
});
afterEach(() => wallet.close());

const name = (n: number): string => toHex(bytes<Hash>(n));
const pooled = (n: number): PoolTx => ({
  ...{ txHash: bytes<Hash>(n), timestamp: 1, unlockTime: 0n, fee: amount(1n), doubleSpendSeen: false },
  outputs: [{ outputIndex: 0, amount: amount(5n), subaddress: { major: 0, minor: 0 } }],
});
const spender = () => wallet.store.read((r) => r.outputs.byKeyImage(bytes<KeyImage>(101))?.spentBy);

describe('a page of blocks', () => {
  it('is stored with the reward of its last block, and its height is reported', () => {
    expect(wallet.sync.daemonHeight).toBe(0);
    wallet.sync.commitPage(page(0, 3, { lastBlockReward: amount(600n) }), 40);
    wallet.sync.commitPage(page(3, 2, { lastBlockReward: amount(599n) }), 41);
    expect([wallet.store.height(), wallet.store.lastBlockReward()]).toEqual([5, 599n]);
    expect([wallet.progress, wallet.sync.daemonHeight]).toEqual([
      [
        [3, 40],
        [5, 41],
      ],
      41,
    ]);
  });

  it('that replaces blocks reports how many of them the wallet held, after they are replaced', () => {
    wallet.sync.commitPage(page(10, 8), 18);
    expect(wallet.reorganised).toEqual([]);
    wallet.sync.commitPage(page(14, 6), 20);
    expect(wallet.reorganised).toEqual([{ fromHeight: 14, depth: 4 }]);
    wallet.sync.commitPage(page(5, 20), 25);
    expect(wallet.reorganised.slice(1)).toEqual([{ fromHeight: 10, depth: 10 }]);
    wallet.sync.commitPage(page(25, 1), 26);
    expect(wallet.reorganised).toHaveLength(2);
    const events = wallet.store.read((r) => r.events.after(0, 100, ['wallet.reorganised']));
    expect(events.map(({ data }) => data)).toEqual(wallet.reorganised);
  });

  it('that cannot be stored is neither reported nor counted', () => {
    const broken = page(0, 3, { outputs: [output(1, 1, 5n)] });
    expect(() => wallet.sync.commitPage(broken, 40)).toThrow();
    expect([wallet.progress, wallet.incoming, wallet.sync.daemonHeight]).toEqual([[], [], 0]);
  });

  it('reports the transactions that pay the wallet, change and what was seen in the mempool left out', () => {
    wallet.sync.commitPool([bytes<Hash>(3)], [{ incoming: pooled(3) }]);
    expect(wallet.incoming).toEqual([name(3)]);
    wallet.sync.commitPage(
      page(0, 5, {
        received: [1, 2, 3].map((n) => received(n, n)),
        outputs: [output(1, 1, 5n), output(2, 2, 5n, { change: true }), output(3, 3, 5n)],
      }),
      5,
    );
    expect(wallet.incoming).toEqual([name(3), name(1)]);
  });

  it('does not report a transaction all of whose outputs are burnt', () => {
    const twin = { publicKey: bytes<PublicKey>(77), keyImage: bytes<KeyImage>(77) };
    wallet.sync.commitPage(
      page(0, 5, {
        received: [received(1, 1), received(2, 2)],
        outputs: [output(1, 1, 9n, twin), output(2, 2, 5n, twin)],
      }),
      5,
    );
    expect(wallet.incoming).toEqual([name(1)]);
  });

  it.each([
    ['keeps the inputs of a payment of ours that it undoes', false],
    ['frees them while the spend key is put away', true],
  ])('%s', (_, isAway) => {
    const { blob, ...rest } = unminedPayment(1);
    wallet.sync.commitPage(page(0, 3, { received: [received(1, 1)], outputs: [output(1, 1, 50n)] }), 3);
    wallet.store.write((w) => w.prepare({ ...rest, ...(blob && { blob }) }, [output(1, 1, 50n)], []));
    const { txHash, account, fromIndices, amountIn, fee, change, unlockTime, timestamp } = rest;
    const mined = { txHash, account, fromIndices, amountIn, fee, change, unlockTime, timestamp, height: 3 };
    const spend = { keyImage: bytes<KeyImage>(101), txHash, height: 3 };
    wallet.sync.commitPage(page(3, 1, { spends: [spend], outgoing: [mined] }), 4);
    if (isAway) wallet.keystore.dropSpendKey();
    wallet.sync.commitPage(page(3, 2), 5);
    expect(spender()).toEqual(isAway ? undefined : paymentHash(1));
    expect(wallet.store.read((r) => r.outgoing.byHash(paymentHash(1))?.state)).toBe('pending');
  });
});

describe('the pool is scanned again', () => {
  const forgets = (found: PageFindings, daemonHeight = 40): number => {
    const before = wallet.refresher.callsOf('forgetPool').length;
    wallet.sync.commitPage(found, daemonHeight);
    return wallet.refresher.callsOf('forgetPool').length - before;
  };
  beforeEach(() => wallet.sync.commitPage(page(0, 30), 40));

  it('after a page that replaces blocks, and not after one that follows them', () => {
    expect([forgets(page(30, 1)), forgets(page(30, 2)), forgets(page(32, 1))]).toEqual([0, 1, 0]);
  });

  it('after a page that is without a transaction which was scanned out of order in one of its blocks', () => {
    const {
      outputs,
      received: txs,
      ...rest
    } = page(0, 0, {
      received: [received(1, 31)],
      outputs: [output(1, 31, 5n)],
    });
    wallet.store.write((w) => w.addFound({ ...rest, received: txs, outputs }));
    expect([forgets(page(30, 1)), forgets(page(31, 1)), forgets(page(32, 1))]).toEqual([0, 1, 0]);
  });

  it('after a page with an output that may be spent already', () => {
    const paid = (n: number): PageFindings =>
      page(n, 1, { received: [received(n, n)], outputs: [output(n, n, 5n)] });
    expect([forgets(paid(30), 40), forgets(paid(31), 40)]).toEqual([1, 0]);
  });

  it('not after a page that could not be stored', () => {
    const before = wallet.refresher.callsOf('forgetPool').length;
    expect(() => forgets(page(29, 3, { outputs: [output(1, 30, 5n)] }))).toThrow();
    expect(wallet.refresher.callsOf('forgetPool')).toHaveLength(before);
  });
});

describe('pages far below the tip', () => {
  let directory: string;
  let onDisk: TestWallet;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'pages-'));
    onDisk = new TestWallet({ path: join(directory, 'w') });
  });
  afterEach(() => {
    onDisk.close();
    rmSync(directory, { recursive: true });
  });

  const paid = (height: number): PageFindings =>
    page(height, 20, { received: [received(1 + height, height)], outputs: [output(1 + height, height, 5n)] });

  it('share a commit, and those within ten blocks of it have their own', () => {
    const { eventVersion } = onDisk.store;
    onDisk.sync.commitPage(paid(0), 50);
    onDisk.sync.commitPage(paid(20), 50);
    expect([onDisk.store.height(), onDisk.store.eventVersion]).toEqual([40, eventVersion]);
    onDisk.sync.commitPage(paid(40), 69);
    expect(onDisk.store.eventVersion).toBeGreaterThan(eventVersion);
  });

  it('that get lost end the refresh, and restart the scanner', () => {
    onDisk.sync.commitPage(paid(0), 100);
    expect(() => onDisk.sync.commitPage({ ...paid(20), received: [] }, 100)).toThrow();
    expect(onDisk.store.height()).toBe(1);
    expect(onDisk.refresher.callsOf('fail')).toEqual([['FOREIGN KEY constraint failed']]);
  });
});

describe('addresses of the lookahead', () => {
  it('are stored', () => {
    const index = { major: 0, minor: 7 };
    wallet.sync.commitSubaddresses(packSubaddresses(bytes<PublicKey>(5), index.major, index.minor));
    expect(wallet.store.read((r) => r.subaddresses.find(bytes<PublicKey>(5)))).toEqual(index);
  });
});

describe('findings of the mempool', () => {
  it('are stored, and each incoming one is reported once', () => {
    wallet.sync.commitPool([bytes<Hash>(1)], [{ incoming: pooled(1) }]);
    wallet.sync.commitPool([bytes<Hash>(1)], [{ incoming: pooled(1) }]);
    expect([wallet.incoming, [...wallet.mempool.present]]).toEqual([[name(1)], [name(1)]]);
  });
});

describe('findings in single transactions', () => {
  const paid = {
    ...NOTHING_FOUND.mined,
    received: [received(1, 1)],
    outputs: [output(1, 1, 50n)],
  };

  it('are stored and reported once, mined or not, and the scanner starts over', () => {
    const found = { mined: paid, unmined: [{ incoming: pooled(2) }] };
    wallet.sync.commitTxs(found);
    wallet.sync.commitTxs(found);
    expect(wallet.incoming).toEqual([name(1), name(2)]);
    expect(wallet.store.read((r) => [r.payments.has(bytes<Hash>(1)), r.pool.has(bytes<Hash>(2))])).toEqual([
      true,
      true,
    ]);
    expect(wallet.refresher.callsOf('restart')).toHaveLength(2);
  });

  it('are not reported again where the mempool showed them', () => {
    wallet.sync.commitPool([bytes<Hash>(1)], [{ incoming: pooled(1) }]);
    wallet.sync.commitTxs({ mined: paid, unmined: [] });
    expect(wallet.incoming).toEqual([name(1)]);
    expect(wallet.store.read((r) => r.pool.has(bytes<Hash>(1)))).toBe(false);
  });

  it('leave the mempool that was read as it is', () => {
    wallet.sync.commitPool([bytes<Hash>(3)], []);
    wallet.sync.commitTxs({ mined: NOTHING_FOUND.mined, unmined: [{ incoming: pooled(2) }] });
    expect([...wallet.mempool.present]).toEqual([name(3)]);
  });
});
