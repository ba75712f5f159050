import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { AccountTags } from '../../../src/services/accounts/account-tags.js';
import { AddressBook } from '../../../src/services/accounts/address-book.js';
import { PaymentExport } from '../../../src/services/history/payment-export.js';
import { History } from '../../../src/services/history/history.js';
import { TURN_BYTES } from '../../../src/util/paged.js';
import { bytes, output, page, received } from '../../store/fixtures.js';
import { collected } from '../../support/values/collected.js';
import { EventLoopTurns } from '../../support/fakes/event-loop-turns.js';
import { TestWallet } from '../../support/wallets/test-wallet.js';

/*
 * Texts of a store of an earlier version, which had no limits. A list reads few of them in one turn of the event loop.
 */

const COUNT = 6;
const LONG = 'x'.repeat(TURN_BYTES);

let wallet: TestWallet;
beforeEach(async () => {
  wallet = new TestWallet();
  await wallet.accounts.createAddresses(0, COUNT - 1, LONG);
  for (let i = 1; i < COUNT; i++) wallet.accounts.create(LONG);
});
afterEach(() => wallet.close());

/** Sizes of the pages of a list. */
const sizes = async (pages: AsyncIterable<readonly unknown[]>): Promise<number[]> =>
  (await collected(pages)).map(({ length }) => length);

const ONE_BY_ONE = Array.from({ length: COUNT }, () => 1);
const indices = Array.from({ length: COUNT }, (_, i) => i);

/** Pays each address of the first account in a block of its own. */
const payEach = (): void =>
  wallet.store.write((w) =>
    w.applyPage(
      page(0, COUNT + 1, {
        received: indices.map((i) => received(i + 1, i + 1)),
        outputs: indices.map((i) => output(i + 1, i + 1, 5n, { subaddress: { major: 0, minor: i } })),
      }),
    ),
  );

describe('a tag that is set', () => {
  it('replaces one long tag in each transaction, and takes the descriptions of tags that no account has', async () => {
    const tags = new AccountTags(wallet, wallet);
    const former = ['a', LONG, `${LONG}x`, `${LONG}x`];
    for (const [i, tag] of former.entries()) await tags.assign([i], tag);
    for (const tag of new Set(former)) tags.describe(tag, `of ${tag.length}`);
    const write = jest.spyOn(wallet.store, 'write');
    await tags.assign([0, 1, 2], 'new');
    expect(write).toHaveBeenCalledTimes(3);
    const left = (): string[] =>
      wallet.store.read((r) => former.map((tag) => r.accountTags.description(tag)));
    const kept = `of ${LONG.length + 1}`;
    expect(left()).toEqual(['', '', kept, kept]);
    await tags.assign([3, 3], '');
    expect(left()).toEqual(['', '', '', '']);
    expect(await collected(await tags.list())).toEqual([
      [{ tag: 'new', description: '', accounts: [0, 1, 2] }],
    ]);
  });

  it('is set in one transaction where former tags are short', async () => {
    const tags = new AccountTags(wallet, wallet);
    for (const i of indices) await tags.assign([i], `t${i}`);
    const write = jest.spyOn(wallet.store, 'write');
    await tags.assign(indices, 'new');
    expect(write).toHaveBeenCalledTimes(1);
  });
});

describe('a page of a list with long texts', () => {
  it.each([
    ['all addresses', []],
    ['addresses that are asked for', indices.map((i) => COUNT - 1 - i)],
  ])('has the label of one of %s, and begins at the same place again', async (_, minors) => {
    wallet.accounts.setLabel({ major: 0, minor: 0 }, LONG);
    const listing = wallet.accounts.listing(0, minors);
    const pages = await collected(listing.pages());
    expect(pages.map(({ length }) => length)).toEqual(ONE_BY_ONE);
    expect(pages.flat().map(({ label }) => label.length)).toEqual(indices.map(() => LONG.length));
    expect(await collected(listing.pages(2))).toEqual(pages.slice(2));
  });

  it('has one account, by its label and by its tag', async () => {
    const tags = new AccountTags(wallet, wallet);
    const first = (major: number) => ({ major, minor: 0 });
    expect(await sizes(wallet.accounts.labelledPages(indices.slice(1), 128, first))).toEqual(
      ONE_BY_ONE.slice(1),
    );
    expect(await sizes(tags.pages(indices))).toEqual([COUNT]);
    await tags.assign(indices, LONG);
    expect(await sizes(tags.pages(indices))).toEqual(ONE_BY_ONE);
    expect(await tags.withTag(LONG)).toEqual(indices);
  });

  it('has one tag, by its name or its description', async () => {
    const tags = new AccountTags(wallet, wallet);
    await tags.assign([0], 'a');
    await tags.assign([1], 'b');
    await tags.assign([2], LONG);
    await tags.assign([3], `${LONG}x`);
    for (const tag of ['a', 'b']) tags.describe(tag, LONG);
    const pages = await collected(await tags.list());
    expect(pages.map((list) => list.map(({ accounts }) => accounts))).toEqual([[[0]], [[1]], [[2]], [[3]]]);
    expect(pages.flat().map(({ description }) => description.length)).toEqual([
      LONG.length,
      LONG.length,
      0,
      0,
    ]);
  });

  it('has one tag to match with an expression', async () => {
    const tags = new AccountTags(wallet, wallet);
    for (const i of indices) await tags.assign([i], `${LONG}${i}`);
    const turns = new EventLoopTurns();
    const matched = await tags.matching('x+[0-3]');
    const matching = turns.stop();
    expect(matched).toEqual([0, 1, 2, 3]);
    // Twice the tags are read, and once they are matched.
    expect(matching).toBeGreaterThanOrEqual(3 * (COUNT - 1));
  });

  it('has one note', async () => {
    const hashes = indices.map((i) => bytes<Hash>(i + 1));
    wallet.annotations.setNotes(hashes.map((txHash) => ({ txHash, note: LONG })));
    expect(await sizes(wallet.annotations.noted(hashes, (hash) => hash))).toEqual(ONE_BY_ONE);
  });

  it('has one transfer, by its note', async () => {
    payEach();
    const hashes = wallet.store.read((r) =>
      indices.map((i) => r.payments.byTx(received(i + 1, i + 1).txHash)),
    );
    wallet.annotations.setNotes(
      hashes.flatMap((found) => found.map(({ tx }) => ({ txHash: tx.txHash, note: LONG }))),
    );
    const history = new History(wallet, wallet);
    const { lists, release } = history.list(new Set(['in']), { minHeight: -1, maxHeight: 100 });
    const pages = await collected(lists.in ?? []);
    release();
    expect(pages.map(({ length }) => length)).toEqual(ONE_BY_ONE);
    expect(pages.flat().map(({ note }) => note.length)).toEqual(indices.map(() => LONG.length));
  });

  it('has one exported payment, by the label of its address', async () => {
    payEach();
    wallet.accounts.setLabel({ major: 0, minor: 0 }, LONG);
    const { pages, release } = PaymentExport.read(wallet, { from: 0, to: 4e9 });
    const read = await collected(pages);
    release();
    expect(read.map(({ length }) => length)).toEqual(ONE_BY_ONE);
    expect(read.flat().map(({ label }) => label.length)).toEqual(indices.map(() => LONG.length));
  });

  it('has one entry of the address book, by its description', async () => {
    const book = new AddressBook(wallet, wallet);
    const own = wallet.accounts.address({ major: 0, minor: 0 });
    for (let i = 0; i < COUNT; i++) await book.add(own, undefined, LONG);
    for (const listed of [[], indices]) {
      const { pages, release } = await book.list(listed);
      expect(await sizes(pages)).toEqual(ONE_BY_ONE);
      release();
    }
  });
});
