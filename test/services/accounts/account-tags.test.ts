import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AccountTags, type TagView } from '../../../src/services/accounts/account-tags.js';
import { collected } from '../../support/values/collected.js';
import { faultOf, TestWallet } from '../../support/wallets/test-wallet.js';

// An expression has 50 ms of wall-clock time, which a busy machine may exceed: see src/services/accounts/bounded-regexp.ts.
jest.retryTimes(3);

const OUT_OF_RANGE = { kind: 'account_out_of_range', account: 4, count: 4 };

let wallet: TestWallet;
let tags: AccountTags;

const open = (more: ConstructorParameters<typeof TestWallet>[0] = {}): void => {
  wallet = new TestWallet(more);
  tags = new AccountTags(wallet, wallet);
  for (let i = 0; i < 3; i++) wallet.accounts.create('');
};
beforeEach(() => open());
afterEach(() => wallet.close());

const listed = async (): Promise<readonly TagView[]> => (await collected(await tags.list())).flat();

/** Tags of accounts. */
const tagsOf = async (accounts: readonly number[]): Promise<readonly string[]> =>
  (await collected(tags.pages(accounts))).flat().map(({ tag }) => tag);

describe('the list of tags', () => {
  it('is empty while no account has one', async () => {
    expect(await listed()).toEqual([]);
  });

  it('has the accounts and the description of each tag, in the order of their bytes', async () => {
    // In UTF-16 the emoji would come first.
    await tags.assign([0], '\u{1f600}');
    await tags.assign([3, 1], 'shop');
    await tags.assign([2], '\ufffd');
    tags.describe('shop', 'sales');
    expect(await listed()).toEqual([
      { tag: 'shop', description: 'sales', accounts: [1, 3] },
      { tag: '\ufffd', description: '', accounts: [2] },
      { tag: '\u{1f600}', description: '', accounts: [0] },
    ]);
  });
});

describe('a tag', () => {
  it('replaces the one before, and is taken away by the empty one', async () => {
    await tags.assign([0, 1], 'shop');
    await tags.assign([1, 1], 'home');
    expect((await listed()).map(({ tag, accounts }) => [tag, accounts])).toEqual([
      ['home', [1]],
      ['shop', [0]],
    ]);
    await tags.assign([0, 1], '');
    expect(await listed()).toEqual([]);
  });

  it.each([
    [1024, 1],
    [1025, 2],
  ])('is assigned to %d accounts in %d transactions', async (count, transactions) => {
    while (wallet.accounts.count() < count) wallet.accounts.create('');
    const write = jest.spyOn(wallet.store, 'write');
    const all = Array.from({ length: count }, (_, account) => account);
    await tags.assign(all, 'shop');
    expect(write).toHaveBeenCalledTimes(transactions);
    expect((await listed()).map(({ accounts }) => accounts)).toEqual([all]);
  });

  it('is assigned to no account where one of them does not exist', async () => {
    expect(await faultOf(() => tags.assign([0, 4], 'shop'))).toEqual(OUT_OF_RANGE);
    expect(await listed()).toEqual([]);
  });

  it('loses its description with its last account', async () => {
    await tags.assign([0, 1], 'shop');
    tags.describe('shop', 'sales');
    await tags.assign([0], 'home');
    expect((await listed()).find(({ tag }) => tag === 'shop')?.description).toBe('sales');
    await tags.assign([1], '');
    await tags.assign([1], 'shop');
    expect((await listed()).find(({ tag }) => tag === 'shop')?.description).toBe('');
  });

  it('can be described only while an account has it', async () => {
    expect(await faultOf(() => tags.describe('shop', 'x'))).toMatchObject({ text: 'Tag is unregistered' });
    expect(await faultOf(() => tags.describe('', 'x'))).toMatchObject({ text: 'Tag must not be empty' });
    await tags.assign([0], 'shop');
    tags.describe('shop', 'x');
    tags.describe('shop', '');
    expect(await listed()).toEqual([{ tag: 'shop', description: '', accounts: [0] }]);
  });
});

describe('accounts with a tag', () => {
  beforeEach(async () => {
    await tags.assign([0, 2], 'shop');
    await tags.assign([3], 'shopping');
  });

  it('are those that have it, and all of them for the empty tag', async () => {
    expect(await tags.withTag('shop')).toEqual([0, 2]);
    const all = await tags.withTag('');
    expect([all, await tagsOf(all)]).toEqual([
      [0, 1, 2, 3],
      ['shop', '', 'shop', 'shopping'],
    ]);
  });

  it('are refused for a tag that none has', async () => {
    expect(await faultOf(() => tags.withTag('sho'))).toMatchObject({
      kind: 'invalid',
      text: 'Tag sho is unregistered.',
    });
  });

  it.each([
    ['shop', [0, 2]],
    ['shop.*', [0, 2, 3]],
    ['hop|shopping', [3]],
    ['.*', [0, 1, 2, 3]],
    ['()', [1]],
    ['', [0, 1, 2, 3]],
  ])('are found by an expression that matches the whole tag: %j finds %j', async (expression, expected) => {
    expect(await tags.matching(expression)).toEqual(expected);
  });

  it.each(['sho', 'hop', 'Shop'])('are refused where %j matches no whole tag', async (expression) => {
    expect(await faultOf(() => tags.matching(expression))).toMatchObject({
      kind: 'invalid',
      text: `No matches for regex filter ${expression} .`,
    });
  });

  it.each([
    ['is malformed', '('],
    ['is too long', 'a'.repeat(1001)],
  ])('are refused for an expression that %s', async (_, expression) => {
    expect(await faultOf(() => tags.matching(expression))).toMatchObject({
      kind: 'invalid',
      reason: expect.stringMatching(/^the tag: /),
    });
  });
});

describe('tags in a wallet that syncs under a password of its own', () => {
  it('are hidden, and so are the accounts that have them', async () => {
    wallet.close();
    open({ backgroundSync: 'custom-background-password' });
    await tags.assign([1], 'shop');
    wallet.hide();
    expect(await listed()).toEqual([]);
    expect(await tagsOf(await tags.withTag(''))).toEqual(['', '', '', '']);
    expect(await tags.matching('.*')).toEqual([0, 1, 2, 3]);
    expect(await faultOf(() => tags.withTag('shop'))).toMatchObject({ kind: 'invalid' });
    expect(await faultOf(() => tags.matching('shop'))).toMatchObject({ kind: 'invalid' });
    expect(await faultOf(() => tags.describe('shop', 'x'))).toMatchObject({ kind: 'invalid' });
  });
});
