import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EventLoopTurns, turns } from '../../support/event-loop-turns.js';
import { faultOf, TestWallet } from '../../support/test-wallet.js';

let wallet: TestWallet;
beforeEach(() => {
  wallet = new TestWallet();
});
afterEach(() => wallet.close());

/** Runs a task each time keys were derived, before they are used. */
function whileDeriving(task: () => void): void {
  const { addresses } = wallet;
  const derive = addresses.derive.bind(addresses);
  addresses.derive = async (indices) => {
    const keys = await derive(indices);
    task();
    return keys;
  };
}

const minorsOf = (created: readonly { readonly index: { readonly minor: number } }[]): number[] =>
  created.map(({ index }) => index.minor);

const isStored = (text: string) =>
  wallet.store.read((r) => r.subaddresses.find(wallet.accounts.parse(text).spendPublicKey));

describe('new addresses', () => {
  it('have the next indices, one label, and are watched from then on', async () => {
    const created = await wallet.accounts.createAddresses(0, 3, 'shop');
    expect(minorsOf(created)).toEqual([1, 2, 3]);
    for (const { index, address } of created) {
      expect(address).toBe(wallet.accounts.address(index));
      expect(isStored(address)).toEqual(index);
      expect(wallet.accounts.label(index)).toBe('shop');
    }
    expect(wallet.refresher.callsOf('expand')).toEqual([[{ major: 0, minor: 3 }]]);
  });

  it('are none where none are asked for', async () => {
    expect(await wallet.accounts.createAddresses(0, 0, '')).toEqual([]);
    expect([wallet.accounts.addressCount(0), wallet.refresher.callsOf('expand')]).toEqual([1, []]);
  });

  it('are refused for an account that does not exist', async () => {
    expect(await faultOf(() => wallet.accounts.createAddresses(1, 1, ''))).toMatchObject({
      kind: 'account_out_of_range',
    });
  });

  it('of two calls at once do not overlap', async () => {
    const [one, other] = await Promise.all([
      wallet.accounts.createAddresses(0, 2, 'one'),
      wallet.accounts.createAddresses(0, 2, 'other'),
    ]);
    expect([minorsOf(one), minorsOf(other)]).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it.each([
    ['some of them', 2, [3, 4, 5]],
    ['all of them', 3, [4, 5, 6]],
    ['more than them', 20, [21, 22, 23]],
  ])('follow those that a payment hands out meanwhile, where it hands out %s', async (_, minor, expected) => {
    whileDeriving(() => wallet.store.write((w) => w.accounts.reach({ major: 0, minor })));
    const created = await wallet.accounts.createAddresses(0, 3, '');
    expect(minorsOf(created)).toEqual(expected);
    const others = new TestWallet();
    for (const { index, address } of created) {
      expect(address).toBe(others.accounts.address(index));
      expect(isStored(address)).toEqual(index);
    }
    others.close();
  });

  it('are not created in a wallet that is closed meanwhile', async () => {
    whileDeriving(() => wallet.close());
    expect(await faultOf(() => wallet.accounts.createAddresses(0, 1, ''))).toEqual({ kind: 'no_wallet' });
    expect(wallet.refresher.callsOf('expand')).toEqual([]);
  });

  it('are stored and labelled a few at a time, between which other work goes on', async () => {
    const writes: number[] = [];
    const write = wallet.store.writeRecoverable.bind(wallet.store);
    wallet.store.writeRecoverable = (task) =>
      write((w) => {
        let rows = 0;
        const add = jest.spyOn(w.subaddresses, 'add').mockImplementation(function (
          this: typeof w.subaddresses,
          keys,
        ) {
          rows += keys.length;
          add.mockRestore();
          this.add(keys);
        });
        const result = task(w);
        add.mockRestore();
        writes.push(rows);
        return result;
      });
    const turns = new EventLoopTurns();
    const created = await wallet.accounts.createAddresses(0, 1000, 'shop');
    expect(turns.stop()).toBeGreaterThanOrEqual(2 * Math.floor(1000 / 128));
    expect(Math.max(...writes)).toBe(128);
    expect(writes.reduce((sum, rows) => sum + rows, 0)).toBe(1000);
    expect(minorsOf(created)).toEqual(Array.from({ length: 1000 }, (_, i) => i + 1));
    expect(wallet.accounts.labels(0).size).toBe(1001);
    expect(created.every(({ index, address }) => address === wallet.accounts.address(index))).toBe(true);
  });

  it('of a call of many are all or none where the wallet is closed meanwhile; their keys are watched already', async () => {
    let left = 3;
    whileDeriving(() => {
      left -= 1;
      if (left === 0) throw new Error('the disk is full');
    });
    await expect(wallet.accounts.createAddresses(0, 1000, 'shop')).rejects.toThrow('the disk is full');
    expect(wallet.accounts.addressCount(0)).toBe(1);
    expect(wallet.accounts.labels(0).size).toBe(1);
    left = Infinity;
    expect(minorsOf(await wallet.accounts.createAddresses(0, 300, ''))).toHaveLength(300);
  });

  it('are returned once they are on disk', async () => {
    let flush: () => void = () => undefined;
    let countAtFlush = 0;
    wallet.store.flushToDisk = () =>
      new Promise((resolve) => {
        countAtFlush = wallet.accounts.addressCount(0);
        flush = resolve;
      });
    let isReturned = false;
    const created = wallet.accounts.createAddresses(0, 1, '').then(() => {
      isReturned = true;
    });
    await turns(3);
    expect([countAtFlush, isReturned]).toEqual([2, false]);
    flush();
    await created;
    expect(isReturned).toBe(true);
  });
});
