import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EventLoopTurns, turns } from '../../support/fakes/event-loop-turns.js';
import { faultOf, TestWallet } from '../../support/wallets/test-wallet.js';

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

/** Lets the wallet count as complete, or not. */
const setComplete = (isComplete: boolean): void => {
  jest.spyOn(wallet.sync, 'isComplete', 'get').mockReturnValue(isComplete);
};

const warnings = (): readonly unknown[] =>
  wallet.lines
    .filter(({ level }) => level === 40)
    .map(({ account, skipped, msg }) => [account, skipped, msg]);

describe('addresses of a wallet that was restored from its seed', () => {
  beforeEach(() => {
    wallet.store.write((w) => w.lostAddresses.mark('restored'));
    setComplete(true);
  });

  it('begin behind a gap in each account, which is left once, recorded and logged', async () => {
    const skipped: number[] = [];
    const make = (account: number) =>
      wallet.accounts.createAddresses(account, 2, 'new', (_w, _first, left) => skipped.push(left));
    wallet.accounts.create('');
    const created = [await make(0), await make(0), await make(1)];
    expect(created.map(minorsOf)).toEqual([
      [101, 102],
      [103, 104],
      [101, 102],
    ]);
    expect(skipped).toEqual([100, 0, 100]);
    expect(wallet.accounts.addressCount(0)).toBe(105);
    for (const { index, address } of created.flat()) {
      expect(address).toBe(wallet.accounts.address(index));
      expect(isStored(address)).toEqual(index);
    }
    expect([50, 101, 102].map((minor) => wallet.accounts.label({ major: 0, minor }))).toEqual([
      '',
      'new',
      'new',
    ]);
    const text =
      'addresses were left out before new ones: the wallet may have given them out before it was restored';
    expect(warnings()).toEqual([
      [0, 100, text],
      [1, 100, text],
    ]);
  });

  it('leave no gap where no address is created', async () => {
    expect(await wallet.accounts.createAddresses(0, 0, '')).toEqual([]);
    expect(wallet.accounts.addressCount(0)).toBe(1);
    expect(minorsOf(await wallet.accounts.createAddresses(0, 1, ''))).toEqual([101]);
  });

  it('leave their gap with the next ones where their transaction fails', async () => {
    const failing = wallet.accounts.createAddresses(0, 1, '', () => {
      throw new Error('the key is taken');
    });
    await expect(failing).rejects.toThrow('the key is taken');
    expect(wallet.accounts.addressCount(0)).toBe(1);
    expect(minorsOf(await wallet.accounts.createAddresses(0, 1, ''))).toEqual([101]);
  });

  it('follow each other as those of the reference where its methods create them', async () => {
    const make = () => wallet.accounts.createAddresses(0, 1, '', undefined, 'reference');
    expect(minorsOf([...(await make()), ...(await make())])).toEqual([1, 2]);
    expect(wallet.accounts.create('')).toEqual({ major: 1, minor: 0, skipped: 0 });
    expect(minorsOf(await wallet.accounts.createAddresses(0, 1, ''))).toEqual([103]);
  });

  it('are many behind the gap, too', async () => {
    const created = await wallet.accounts.createAddresses(0, 300, '');
    expect(minorsOf(created)).toEqual(Array.from({ length: 300 }, (_, i) => i + 101));
    expect(created.every(({ index, address }) => isStored(address)?.minor === index.minor)).toBe(true);
  });

  it('wait for a refresh before the first gap, and go on without it where no daemon answers', async () => {
    setComplete(false);
    let refreshes = 0;
    wallet.sync.refresh = () => {
      refreshes += 1;
      wallet.store.write((w) => w.accounts.reach({ major: 0, minor: 6 }));
      return Promise.reject(new Error('no daemon'));
    };
    expect(minorsOf(await wallet.accounts.createAddresses(0, 1, ''))).toEqual([107]);
    expect(minorsOf(await wallet.accounts.createAddresses(0, 1, ''))).toEqual([108]);
    expect(refreshes).toBe(1);
  });

  it('do not wait in a wallet of new keys', async () => {
    const fresh = new TestWallet();
    fresh.sync.refresh = () => Promise.reject(new Error('a refresh was begun'));
    expect(minorsOf(await fresh.accounts.createAddresses(0, 1, ''))).toEqual([1]);
    fresh.close();
  });
});

describe('addresses and accounts of an older copy of a wallet', () => {
  beforeEach(() => {
    wallet.store.write((w) => w.lostAddresses.mark('older copy'));
    setComplete(true);
  });

  it('begin behind a gap whatever method creates them', async () => {
    const make = () => wallet.accounts.createAddresses(0, 1, '', undefined, 'reference');
    expect(minorsOf([...(await make()), ...(await make())])).toEqual([101, 102]);
  });

  it('leave out accounts before the first new one, whose addresses nobody can have', async () => {
    const first = wallet.accounts.create('new');
    expect(first).toEqual({ major: 11, minor: 0, skipped: 10 });
    expect(wallet.accounts.create('')).toEqual({ major: 12, minor: 0, skipped: 0 });
    expect(wallet.accounts.label(first)).toBe('new');
    for (const major of [1, 5, 11]) {
      const index = { major, minor: 0 };
      expect(isStored(wallet.accounts.address(index))).toEqual(index);
    }
    expect(minorsOf(await wallet.accounts.createAddresses(11, 1, ''))).toEqual([1]);
    // One that was left out may have been an account before.
    expect(minorsOf(await wallet.accounts.createAddresses(4, 1, ''))).toEqual([101]);
    expect(warnings()[0]).toEqual([
      ...[11, 10],
      'accounts were left out before a new one: the wallet may have had them before it was restored',
    ]);
  });
});
