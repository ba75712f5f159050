import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash } from '../../../src/monero/crypto/types.js';
import {
  History,
  type HistoryFilter,
  type HistoryList,
  type HistoryLists,
} from '../../../src/services/history/history.js';
import type { HistoryEntry } from '../../../src/services/history/history-rows.js';
import { bytes, output, page as blockPage, received } from '../../store/fixtures.js';
import { PAYMENT_ID, storeHistory } from '../../support/wallets/history-fixture.js';
import { faultOf, TestWallet } from '../../support/wallets/test-wallet.js';
import { unminedPayment } from '../../support/wallets/unmined-payment.js';

const LISTS: readonly HistoryList[] = ['in', 'out', 'pending', 'failed', 'pool'];
const ALL: HistoryFilter = { minHeight: -1, maxHeight: Number.MAX_SAFE_INTEGER };

let wallet: TestWallet;
let history: History;

const open = (options: ConstructorParameters<typeof TestWallet>[0] = {}): void => {
  wallet = new TestWallet(options);
  storeHistory(wallet);
  history = new History(wallet, wallet);
};
beforeEach(() => open());
afterEach(() => wallet.close());

/** First bytes of the hashes in each list. */
async function hashesIn({ lists, release }: HistoryLists): Promise<Partial<Record<HistoryList, number[]>>> {
  const found: Partial<Record<HistoryList, number[]>> = {};
  for (const list of LISTS) {
    const pages = lists[list];
    if (pages === undefined) continue;
    const hashes: number[] = [];
    for await (const page of pages) hashes.push(...page.map(({ txHash }) => txHash[0] ?? -1));
    found[list] = hashes;
  }
  release();
  return found;
}

const list = (filter: Partial<HistoryFilter> = {}, lists = LISTS) =>
  hashesIn(history.list(new Set(lists), { ...ALL, ...filter }));

describe('the lists of the history', () => {
  it('are those asked for, with what each holds in height order', async () => {
    expect(await list()).toEqual({
      in: [1, 2, 3],
      out: [201, 202],
      pending: [203, 204],
      failed: [205],
      pool: [50, 51],
    });
    expect(await list({}, ['out'])).toEqual({ out: [201, 202] });
    expect(await list({}, [])).toEqual({});
  });

  it('hold mined transactions above the lowest height and up to the highest, whatever is not mined', async () => {
    expect(await list({ minHeight: 1, maxHeight: 4 })).toMatchObject({
      in: [2, 3],
      out: [201],
      pending: [203, 204],
    });
    expect(await list({ minHeight: 3, maxHeight: 3 })).toMatchObject({ in: [], out: [], pool: [50, 51] });
  });

  it.each<[string, Partial<HistoryFilter>, object]>([
    ['account 0', { account: 0 }, { in: [1, 2], out: [201], pending: [203, 204], failed: [205], pool: [50] }],
    ['account 1', { account: 1 }, { in: [3], out: [202], pending: [], failed: [], pool: [51] }],
    ['no address in particular', { account: 0, minors: [] }, { in: [1, 2], out: [201], pool: [50] }],
    [
      'the first address',
      { account: 0, minors: [0] },
      { in: [1], out: [201], pending: [203], failed: [], pool: [] },
    ],
    [
      'two addresses',
      { account: 0, minors: [1, 2] },
      { in: [2], out: [], pending: [204], failed: [205], pool: [50] },
    ],
    [
      'an account that does not exist',
      { account: 7 },
      { in: [], out: [], pending: [], failed: [], pool: [] },
    ],
  ])('of %s hold what it received and paid', async (_, filter, expected) => {
    expect(await list(filter)).toMatchObject(expected);
  });
});

it('lists the payments to an address with many of them, or few, as those of the account are', async () => {
  const payments = Array.from({ length: 700 }, (_, i) => 1000 + i);
  wallet.store.write((w) =>
    w.applyPage(
      blockPage(30, 700, {
        received: payments.map((n, i) => received(n, 30 + i)),
        outputs: payments.map((n, i) => output(n, 30 + i, 1n, { subaddress: { major: 0, minor: i % 2 } })),
      }),
    ),
  );
  for (const minors of [[0], [1], [0, 1], [2], [1, 7]]) {
    const entriesOf = async (filter: Partial<HistoryFilter>) => {
      const { lists, release } = history.list(new Set(['in']), { ...ALL, ...filter });
      const entries: HistoryEntry[] = [];
      for await (const entriesOfPage of lists.in ?? []) entries.push(...entriesOfPage);
      release();
      return entries;
    };
    const all = await entriesOf({ account: 0 });
    expect(await entriesOf({ account: 0, minors })).toEqual(
      all.filter(({ subaddress }) => minors.includes(subaddress.minor)),
    );
    const low = { account: 0, maxHeight: 40 };
    expect(await entriesOf({ ...low, minors })).toEqual(
      all.filter(({ subaddress, height }) => minors.includes(subaddress.minor) && height <= 40),
    );
  }
});

describe('a page of the history', () => {
  const page = async (limit: number, filter: Partial<HistoryFilter> = {}) => {
    const { next, ...lists } = history.page(new Set(['in', 'out']), { ...ALL, ...filter }, limit);
    return { next, ...(await hashesIn(lists)) };
  };

  it('holds the newest transactions, whole blocks, and says where the next one begins', async () => {
    expect(await page(1)).toEqual({ next: 4, in: [], out: [202] });
    expect(await page(1, { maxHeight: 4 })).toEqual({ next: 3, in: [], out: [201] });
    expect(await page(3)).toEqual({ next: 3, in: [], out: [201, 202] });
    expect(await page(100)).toEqual({ next: undefined, in: [1, 2, 3], out: [201, 202] });
  });

  it('after page holds everything once', async () => {
    for (const limit of [1, 2, 3]) {
      const seen: number[] = [];
      for (let maxHeight: number | undefined = ALL.maxHeight; maxHeight !== undefined;) {
        const { next, ...found } = await page(limit, { maxHeight });
        seen.push(...(found.in ?? []), ...(found.out ?? []));
        maxHeight = next;
      }
      expect(seen.sort((a, b) => a - b)).toEqual([1, 2, 3, 201, 202]);
    }
  });
});

describe('the rows of one transaction', () => {
  const typesOf = (n: number, account: number): string[] =>
    history.byTransaction(bytes<Hash>(n), account).map(({ type }) => type);

  it('are those of the account, mined, unmined or in the mempool', () => {
    expect([typesOf(1, 0), typesOf(2, 0), typesOf(3, 1)]).toEqual([['in'], ['block'], ['in']]);
    expect([201, 203, 204, 205, 50].map((n) => typesOf(n, 0))).toEqual([
      ['out'],
      ['pending'],
      ['pending'],
      ['failed'],
      ['pool'],
    ]);
  });

  it('are incoming ones first', () => {
    wallet.store.write((w) => {
      const { txHash, account, fromIndices, amountIn, fee, change, unlockTime, timestamp } =
        unminedPayment(0);
      const found = { account, fromIndices, amountIn, fee, change, unlockTime, timestamp, height: 1 };
      w.outgoing.confirm({ ...found, txHash: bytes<Hash>(1) });
      w.pool.add({
        ...found,
        txHash,
        doubleSpendSeen: false,
        outputs: [{ outputIndex: 0, amount: fee, subaddress: { major: 0, minor: 0 } }],
      });
    });
    expect([typesOf(1, 0), typesOf(200, 0)]).toEqual([['in', 'out'], ['pool']]);
    expect(history.byTransaction(bytes<Hash>(1), 0)[0]).toMatchObject({ amount: 11n, amounts: [5n, 6n] });
  });

  it.each([
    [1, 1],
    [4, 0],
    [99, 0],
  ])('are refused where there are none: transaction %i in account %i', async (n, account) => {
    expect(await faultOf(() => history.byTransaction(bytes<Hash>(n), account))).toMatchObject({
      ...{ kind: 'wrong_tx_hash', text: 'Transaction not found.' },
    });
  });

  it('are refused for an account that does not exist', async () => {
    expect(await faultOf(() => history.byTransaction(bytes<Hash>(1), 2))).toMatchObject({
      kind: 'account_out_of_range',
    });
  });
});

describe('payments', () => {
  it('with a payment id are those above a height, with address and lock', () => {
    const found = history.payments(PAYMENT_ID);
    expect(found.map(({ payment, address, locked }) => [payment.amount, address, locked])).toEqual([
      [11n, wallet.accounts.address({ major: 0, minor: 0 }), false],
      [8n, wallet.accounts.address({ major: 1, minor: 0 }), false],
    ]);
    expect(history.payments(PAYMENT_ID, 1).map(({ payment }) => payment.amount)).toEqual([8n]);
    expect([history.payments(PAYMENT_ID, 3), history.payments(new Uint8Array(8))]).toEqual([[], []]);
  });

  it('with any or no payment id are all above a height', async () => {
    for (const [minHeight, expected] of [
      [-1, [11n, 7n, 8n]],
      [1, [7n, 8n]],
      [3, []],
    ] as const) {
      const { pages, release } = history.allPayments(minHeight);
      const found: bigint[] = [];
      for await (const page of pages) found.push(...page.map(({ payment }) => payment.amount));
      release();
      expect(found).toEqual(expected);
    }
  });
});

describe('the history of a wallet that syncs under a password of its own', () => {
  it('shows neither notes nor destinations', () => {
    wallet.close();
    open({ backgroundSync: 'custom-background-password' });
    wallet.annotations.setNotes([{ txHash: bytes<Hash>(203), note: 'rent' }]);
    const shown = () =>
      history.byTransaction(bytes<Hash>(203), 0).map(({ note, destinations }) => [note, destinations.length]);
    expect(shown()).toEqual([['rent', 1]]);
    wallet.hide();
    expect(shown()).toEqual([['', 0]]);
  });
});
