import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import {
  ACCOUNT_GAP,
  ADDRESS_GAP,
  type AddressCaller,
  type AddressLoss,
} from '../../../src/store/tables/lost-addresses.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { output, page, received } from '../fixtures.js';

let store: WalletStore;
beforeEach(() => {
  store = WalletStore.create(':memory:', new Uint8Array(32));
});
afterEach(() => store.close());

const mark = (loss: AddressLoss): void => store.write((w) => w.lostAddresses.mark(loss));

/** Finds a payment to an address in the next block. */
const pay = (major: number, minor: number): void => {
  const height = store.height();
  const tx = height + 1;
  store.addPage(
    page(height, 1, {
      received: [received(tx, height)],
      outputs: [output(tx, height, 5n, { subaddress: { major, minor } })],
    }),
  );
};

const gap = (place: number | 'accounts', count: number, caller: AddressCaller = 'own'): number =>
  store.read((r) => r.lostAddresses.gapBefore(place, count, caller));

const leave = (place: number | 'accounts', end: number, isComplete: boolean): void =>
  store.write((w) => w.lostAddresses.leaveGap(place, end, 'own', isComplete));

describe('the gap before new addresses', () => {
  it('is none in a wallet of new keys', () => {
    expect([gap(0, 1), gap(7, 1), gap('accounts', 1)]).toEqual([0, 0, 0]);
    leave(0, 1, true);
    expect(store.read((r) => r.meta.get('lost_addresses'))).toBeUndefined();
  });

  test.each<[AddressLoss, AddressCaller, number, number]>([
    ['restored', 'own', ADDRESS_GAP, ACCOUNT_GAP],
    ['restored', 'reference', 0, 0],
    ['older copy', 'own', ADDRESS_GAP, ACCOUNT_GAP],
    ['older copy', 'reference', ADDRESS_GAP, ACCOUNT_GAP],
  ])(
    'of a store that is %s, for a method that is %s, is %i, and of accounts %i',
    (loss, caller, one, other) => {
      mark(loss);
      expect([gap(0, 1, caller), gap(3, 40, caller), gap('accounts', 2, caller)]).toEqual([one, one, other]);
    },
  );

  it('is left once in each account of a wallet that has all blocks', () => {
    mark('restored');
    leave(0, 101, true);
    expect([gap(0, 102), gap(1, 1), gap('accounts', 1)]).toEqual([0, ADDRESS_GAP, ACCOUNT_GAP]);
    pay(0, 150);
    expect(gap(0, 151)).toBe(0);
  });

  it('is left again behind payments that are found later, until the wallet has all blocks', () => {
    mark('restored');
    leave(0, 101, false);
    expect(gap(0, 102)).toBe(0);
    pay(0, 0);
    expect(gap(0, 102)).toBe(0);
    // Address 39 was given out and paid before the loss: those up to 139 may have been given out.
    pay(0, 39);
    expect(gap(0, 102)).toBe(40 + ADDRESS_GAP - 102);
    leave(0, 140, false);
    expect(gap(0, 141)).toBe(0);
    pay(0, 500);
    expect(gap(0, 501)).toBe(ADDRESS_GAP);
    leave(0, 601, true);
    pay(0, 700);
    expect(gap(0, 701)).toBe(0);
  });

  it('is left again in every account after another loss', () => {
    mark('restored');
    leave(0, 101, true);
    mark('older copy');
    expect([gap(0, 102), gap(0, 102, 'reference')]).toEqual([ADDRESS_GAP, ADDRESS_GAP]);
  });
});
