import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { output, page, received } from '../fixtures.js';

const LOOKAHEAD = { major: 2, minor: 10 };

let store: WalletStore;
beforeEach(() => {
  store = WalletStore.create(':memory:', new Uint8Array(32));
});
afterEach(() => store.close());

const counts = (): number[] => store.read((r) => r.searched.counts());
const position = () => store.read((r) => r.searched.position());
const lacks = (lookahead = LOOKAHEAD): boolean => store.read((r) => r.searched.lacks(lookahead));

/** Creates addresses of the first account. */
const create = (count: number): void => store.write((w) => void w.accounts.addAddresses(0, count));

describe('the addresses that a wallet was searched for', () => {
  it('are unknown before the first block, and none is lacking then', () => {
    create(30);
    expect([counts(), position(), lacks()]).toEqual([[], undefined, false]);
    store.write((w) => w.searched.restart([10, 10]));
    expect([counts(), lacks()]).toEqual([[10, 10], false]);
  });

  it('lack those that are created beyond them once a block is read', () => {
    store.write((w) => {
      w.searched.restart([10, 10]);
      w.applyPage(page(0, 5));
    });
    create(9);
    expect(lacks()).toBe(false);
    create(1);
    expect(lacks()).toBe(true);
    store.write((w) => w.searched.raise([11]));
    expect([counts(), lacks()]).toEqual([[11, 10], false]);
  });

  test.each([
    ['more accounts', { major: 3, minor: 10 }],
    ['more addresses', { major: 2, minor: 11 }],
  ])('lack those of a larger lookahead with %s', (_, lookahead) => {
    store.write((w) => {
      w.searched.restart([10, 10]);
      w.applyPage(page(0, 5));
    });
    expect([lacks(), lacks(lookahead)]).toEqual([false, true]);
  });

  it('lack accounts that are created beyond them', () => {
    store.write((w) => {
      w.searched.restart([10, 10]);
      w.applyPage(page(0, 5));
      w.accounts.create();
    });
    expect(lacks()).toBe(false);
    store.write((w) => void w.accounts.create());
    expect(lacks()).toBe(true);
  });
});

describe('a catch-up', () => {
  beforeEach(() => {
    store.write((w) => {
      w.searched.restart([10, 10]);
      w.applyPage(page(2, 20));
    });
    create(30);
    store.write((w) => w.searched.begin([50, 10, 10], 2));
  });

  it('searches for what was lacking, which counts as searched at its end alone', () => {
    expect([lacks(), counts(), position()]).toEqual([false, [10, 10, 0], { from: 2, next: 2 }]);
    store.write((w) => w.searched.finish());
    expect([lacks(), counts(), position()]).toEqual([false, [50, 10, 10], undefined]);
  });

  it('records the blocks with their findings, in the order of the chain without gaps', () => {
    store.write((w) => w.addMissed(page(2, 4, { received: [received(1, 3)], outputs: [output(1, 3, 5n)] })));
    expect(position()).toEqual({ from: 2, next: 6 });
    expect(store.read((r) => r.outputs.count())).toBe(1);
    for (const [start, length] of [
      [7, 3],
      [2, 3],
    ] as const)
      store.write((w) => w.addMissed(page(start, length)));
    expect(position()).toEqual({ from: 2, next: 6 });
    store.write((w) => w.addMissed(page(5, 3)));
    expect(position()).toEqual({ from: 2, next: 8 });
  });

  it('begins anew for addresses that are created meanwhile', () => {
    store.write((w) => w.searched.advance(2, 9));
    create(30);
    expect(lacks()).toBe(true);
    store.write((w) => w.searched.begin([80, 10, 10], 2));
    expect([lacks(), position()]).toEqual([false, { from: 2, next: 2 }]);
  });

  it('ends when the wallet is scanned from its first block', () => {
    store.write((w) => w.searched.restart([40, 10]));
    expect([counts(), position()]).toEqual([[40, 10], undefined]);
  });
});
