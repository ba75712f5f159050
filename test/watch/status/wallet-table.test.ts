import { describe, expect, it } from '@jest/globals';
import { PAGE_ROWS, walletPage, walletParams, walletQuery } from '../../../src/watch/status/wallet-table.js';
import { facts } from './status-fixtures.js';

const many = Array.from({ length: 1000 }, (_, i) => facts(`w${String(i).padStart(3, '0')}`));

const namesOf = (wallets: readonly ReturnType<typeof facts>[], query: Record<string, string>): string[] =>
  walletPage(wallets, walletQuery(query)).rows.map(({ name }) => name);

describe('the table of wallets', () => {
  it('shows a page of a thousand wallets, and the last one in place of a page beyond it', () => {
    const page = walletPage(many, walletQuery({ page: '2' }));
    expect(page.rows.map(({ name }) => name)[0]).toBe(`w${String(PAGE_ROWS).padStart(3, '0')}`);
    expect([page.rows.length, page.count, page.pages]).toEqual([
      PAGE_ROWS,
      1000,
      Math.ceil(1000 / PAGE_ROWS),
    ]);
    expect(walletPage(many, walletQuery({ page: '999999' })).query.page).toBe(page.pages);
    expect(walletPage([], walletQuery({}))).toMatchObject({ rows: [], count: 0, pages: 1 });
  });

  it('finds a part of a name without regard to case', () => {
    expect(namesOf([facts('Shop EU'), facts('till'), facts('shop us')], { wallets: ' SHOP ' })).toEqual([
      'Shop EU',
      'shop us',
    ]);
    expect(namesOf(many, { wallets: '99' })).toContain('w990');
  });

  it('lists wallets in trouble first, then those that lack most blocks', () => {
    const wallets = [
      facts('a'),
      facts('b', { blocks: 5 }),
      facts('c', { webhookRetries: 1 }),
      facts('d', { isDamaged: true }),
      facts('e', { blocks: 50 }),
    ];
    expect(namesOf(wallets, {})).toEqual(['d', 'c', 'e', 'b', 'a']);
    expect(namesOf(wallets, { sort: 'name' })).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(namesOf(wallets, { sort: 'webhooks' })[0]).toBe('c');
    expect(namesOf(wallets, { show: 'trouble' })).toEqual(['d', 'c']);
    expect(namesOf(wallets, { show: 'behind' })).toEqual(['e', 'b']);
    expect(namesOf(wallets, { show: 'waiting' })).toEqual(['c']);
    expect(walletPage(wallets, walletQuery({})).counts).toEqual({
      all: 5,
      trouble: 2,
      behind: 2,
      waiting: 1,
    });
  });

  it('reads unknown parameters as the usual ones, and writes only others', () => {
    expect(walletQuery({ sort: 'x', show: '__proto__', page: '-1' })).toEqual(walletQuery({}));
    expect(walletParams(walletQuery({}))).toBe('');
    const query = { wallets: 'a&b', show: 'behind', sort: 'store', page: '3' };
    expect(walletParams(walletQuery(query))).toBe('?wallets=a%26b&show=behind&sort=store&page=3');
  });
});
