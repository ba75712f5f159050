import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import type { PaymentId } from '../../../src/monero/cryptonote/types.js';
import { AddressBook, type AddressBookChange } from '../../../src/services/accounts/address-book.js';
import { collected } from '../../support/values/collected.js';
import { namedKeys } from '../../support/wallets/keystores.js';
import { faultOf, TestWallet } from '../../support/wallets/test-wallet.js';

const idOf = (fill: number): PaymentId => new Uint8Array(8).fill(fill) as PaymentId;
const alice = namedKeys('alice');
const bob = namedKeys('bob');
const standard = formatAddress({ ...alice, kind: 'standard' });
const subaddress = formatAddress({ ...alice, kind: 'subaddress' });
const integrated = (fill: number): string =>
  formatAddress({ ...alice, kind: 'integrated', paymentId: idOf(fill) });
const other = formatAddress({ ...bob, kind: 'standard' });
const otherIntegrated = formatAddress({ ...bob, kind: 'integrated', paymentId: idOf(5) });

let wallet: TestWallet;
let book: AddressBook;
const list = async (indices: readonly number[]) => {
  const { pages, release } = await book.list(indices);
  const entries = (await collected(pages)).flat();
  release();
  return entries;
};
beforeEach(() => {
  wallet = new TestWallet();
  book = new AddressBook(wallet, wallet);
});
afterEach(() => wallet.close());

const outOfRange = (index: number, count: number) => ({ kind: 'book_index_out_of_range', index, count });

describe('a new entry', () => {
  it('has the address, with its payment id where it has one, and the next index', async () => {
    expect(await book.add(standard, undefined, 'Alice')).toBe(0);
    expect(await book.add(integrated(1), undefined, '')).toBe(1);
    expect(await book.add(standard, idOf(2), 'x')).toBe(2);
    expect(await book.add(subaddress, undefined, 'y')).toBe(3);
    expect(await list([])).toEqual([
      { index: 0, address: standard, description: 'Alice' },
      { index: 1, address: integrated(1), description: '', paymentId: idOf(1) },
      { index: 2, address: integrated(2), description: 'x', paymentId: idOf(2) },
      { index: 3, address: subaddress, description: 'y' },
    ]);
  });

  it('is read alone as in a list', async () => {
    for (const [i, address] of [standard, integrated(1), subaddress].entries())
      await book.add(address, undefined, `${i}`);
    const all = await list([]);
    for (const entry of all) expect(await list([entry.index])).toEqual([entry]);
    expect(await list([2, 0, 1, 1])).toEqual([all[2], all[0], all[1], all[1]]);
    for (const indices of [[3], [0, 3]])
      await expect(book.list(indices)).rejects.toMatchObject({ fault: outOfRange(3, 3) });
  });

  it('has the address that a name stands for, not the name', async () => {
    const texts = [`oa1:xmr recipient_address=${other};`];
    wallet.records.set('bob.example.org', { texts, authenticated: true });
    await book.add('bob@example.org', undefined, '');
    expect((await list([0]))[0]?.address).toBe(other);
  });

  it.each([
    ['a subaddress with a payment id', subaddress, idOf(1), 'wrong_payment_id'],
    ['an integrated address with another payment id', integrated(1), idOf(2), 'wrong_payment_id'],
    ['no address', 'nonsense', undefined, 'wrong_address'],
    [
      'an address of another network',
      formatAddress({ ...bob, network: 'testnet', kind: 'standard' }),
      undefined,
      'wrong_address',
    ],
  ])('is refused for %s, and nothing is stored', async (_, address, paymentId, kind) => {
    expect(await faultOf(() => book.add(address, paymentId, ''))).toMatchObject({ kind });
    expect(await list([])).toEqual([]);
  });
});

describe('entries', () => {
  it('are listed in the order asked for, and refused out of range', async () => {
    await book.add(standard, undefined, 'a');
    await book.add(other, undefined, 'b');
    expect((await list([1, 0, 1])).map(({ description }) => description)).toEqual(['b', 'a', 'b']);
    expect(await faultOf(() => list([0, 2]))).toEqual(outOfRange(2, 2));
    expect(await faultOf(() => book.remove(2))).toEqual(outOfRange(2, 2));
    expect(await faultOf(() => book.edit(2, {}))).toEqual(outOfRange(2, 2));
  });

  it('after a removed one move down, whatever was added and removed before', async () => {
    const step = fc.oneof(fc.record({ add: fc.string() }), fc.record({ remove: fc.nat(5) }));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        while ((await list([])).length > 0) book.remove(0);
        const expected: string[] = [];
        for (const one of steps)
          if ('add' in one) {
            expect(await book.add(standard, undefined, one.add)).toBe(expected.length);
            expected.push(one.add);
          } else if (one.remove < expected.length) {
            book.remove(one.remove);
            expected.splice(one.remove, 1);
          } else
            expect(await faultOf(() => book.remove(one.remove))).toEqual(
              outOfRange(one.remove, expected.length),
            );
        expect((await list([])).map(({ index, description }) => [index, description])).toEqual(
          expected.map((description, index) => [index, description]),
        );
      }),
      { numRuns: 15 },
    );
  });
});

describe('a changed entry', () => {
  it.each<[string, string, AddressBookChange, string]>([
    [
      'keeps its address where only the description changes',
      integrated(1),
      { description: 'new' },
      integrated(1),
    ],
    ['loses its payment id with its address', integrated(1), { address: other }, other],
    [
      'takes the payment id of a new integrated address',
      standard,
      { address: otherIntegrated },
      otherIntegrated,
    ],
    ['keeps its address with a new payment id', integrated(1), { paymentId: idOf(2) }, integrated(2)],
    ['gets a payment id', standard, { paymentId: idOf(2) }, integrated(2)],
    ['gives its payment id up', integrated(1), { paymentId: 'none' }, standard],
    ['has none to give up where it is a subaddress', subaddress, { paymentId: 'none' }, subaddress],
    [
      'takes a new address and payment id',
      integrated(1),
      { address: other, paymentId: idOf(5) },
      otherIntegrated,
    ],
    [
      'takes a new integrated address without its payment id',
      standard,
      { address: otherIntegrated, paymentId: 'none' },
      other,
    ],
  ])('%s', async (_, before, change, after) => {
    await book.add(before, undefined, 'old');
    await book.edit(0, change);
    expect((await list([0]))[0]).toMatchObject({ address: after, description: change.description ?? 'old' });
  });

  it.each<[string, string, AddressBookChange, string]>([
    ['a payment id of a subaddress', subaddress, { paymentId: idOf(1) }, 'wrong_payment_id'],
    [
      'a new integrated address with another payment id',
      standard,
      { address: otherIntegrated, paymentId: idOf(1) },
      'wrong_payment_id',
    ],
    ['an address that is none', standard, { address: 'nonsense', description: 'new' }, 'wrong_address'],
  ])('is refused for %s, and stays as it was', async (_, before, change, kind) => {
    await book.add(before, undefined, 'old');
    expect(await faultOf(() => book.edit(0, change))).toMatchObject({ kind });
    expect(await list([])).toEqual([{ index: 0, address: before, description: 'old' }]);
  });

  it('is refused where it was removed while its name was looked up', async () => {
    await book.add(standard, undefined, 'old');
    const changing = book.edit(0, { address: other });
    book.remove(0);
    expect(await faultOf(() => changing)).toEqual(outOfRange(0, 0));
  });

  it('keeps the description that was written while its name was looked up', async () => {
    await book.add(standard, undefined, 'old');
    const changing = book.edit(0, { address: other });
    wallet.store.write((w) => w.addressBook.set({ index: 0, address: standard, description: 'new' }));
    await changing;
    expect(await list([])).toEqual([{ index: 0, address: other, description: 'new' }]);
  });
});
