import { afterEach, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DaemonError } from '../../../src/daemon/errors.js';
import { PlacedWallet, PlacedWorld, type PlacedPayment } from '../../support/wallets/placed-wallet.js';
import { fault } from '../../support/wallets/service-wallet.js';
import { TestWallet } from '../../support/wallets/test-wallet.js';
import { randomRuns } from '../../support/fakes/random-runs.js';
import { someRows } from '../../support/jest/lanes.js';

const opened: PlacedWallet[] = [];
afterEach(() => {
  for (const { wallet } of opened.splice(0)) wallet.close();
});

/** A payment that spends outputs. @param decoys further outputs of the wallet in each ring. */
const payment = (spends: readonly number[], decoys: readonly number[] = []): PlacedPayment => ({
  spends: new Map(spends.map((n) => [n, decoys])),
});

const follow = (world: PlacedWorld): PlacedWallet => {
  const follower = new PlacedWallet(world);
  opened.push(follower);
  follower.scan();
  return follower;
};

/** A wallet of an earlier version that gave key images to outputs by their places, and followed the world's payments. */
function damaged(
  images: readonly (number | undefined)[],
  payments: readonly PlacedPayment[],
  outputs = images.length,
): PlacedWallet {
  const wallet = follow(new PlacedWorld(outputs));
  wallet.place(images);
  for (const one of payments) wallet.world.mine(one);
  wallet.scan();
  return wallet;
}

/** A wallet with the right key images that has followed the same payments from the beginning. */
function healthy({ world }: PlacedWallet): PlacedWallet {
  const twin = new PlacedWallet(new PlacedWorld(world.outputs));
  opened.push(twin);
  twin.scan();
  twin.prove(Array.from({ length: world.outputs }, (_, i) => i + 1));
  for (const one of world.payments) twin.world.mine(one);
  twin.scan();
  return twin;
}

type Action = readonly [name: string, act: (wallet: PlacedWallet) => Promise<void>];
const REFRESH: Action = ['a refresh', (wallet) => wallet.refresh()];
const RESCAN_SPENT: Action = ['rescan_spent', ({ freezing }) => freezing.rescanSpent()];
const RESCANS: readonly Action[] = [
  RESCAN_SPENT,
  ['a soft rescan of the chain', ({ wallet }) => wallet.sync.rescan(false)],
  ['a hard rescan of the chain', ({ wallet }) => wallet.sync.rescan(true)],
];
const ACTIONS = [REFRESH, ...RESCANS];

describe.each(someRows(ACTIONS, 2))('%s', (_, act) => {
  it('moves a key image with its spend to the only output of the wallet in its ring', async () => {
    const wallet = damaged([2, 1, 3], [payment([1])]);
    expect(wallet.facts()).not.toEqual(healthy(wallet).facts());
    await act(wallet);
    expect(wallet.facts()).toEqual(healthy(wallet).facts());
    expect([wallet.images(), wallet.doubtful()]).toEqual([
      [1, 2, 3],
      [2, 3],
    ]);
  });

  it('leaves a wallet whose key images are right as it was, and considers them once', async () => {
    const wallet = damaged([1, 2, 3], [payment([1]), payment([3])]);
    const before = wallet.facts();
    await act(wallet);
    expect(wallet.facts()).toEqual(before);
    expect([wallet.images(), wallet.doubtful(), wallet.asked.length]).toEqual([[1, 2, 3], [2], 1]);
    await act(wallet);
    expect(wallet.asked).toHaveLength(1);
  });

  it('asks the daemon for nothing where every key image is proven, or none is spent', async () => {
    const wallet = healthy(damaged([2, 1], [payment([1])]));
    await act(wallet);
    const unspent = damaged([2, 1], []);
    await act(unspent);
    expect([wallet.asked, unspent.asked]).toEqual([[], []]);
    expect(unspent.images()).toEqual([2, 1]);
  });

  it('finds the further outputs that a transaction spends whose key images nobody knew', async () => {
    // The signer had another output before the first one, so that each key image is one place too late.
    const wallet = damaged([undefined, 1], [payment([1, 2])]);
    await act(wallet);
    expect(wallet.facts()).toEqual(healthy(wallet).facts());
    expect(wallet.images()).toEqual([1, 2]);
  });

  it('keeps a key image by its output where the ring contains that and others, and reports it once', async () => {
    const wallet = damaged([1, 2], [payment([1], [2])]);
    const before = wallet.facts();
    for (let times = 0; times < 2; times++) await act(wallet);
    const warnings = wallet.wallet.lines.filter(({ level }) => level === 40);
    expect(warnings).toMatchObject([{ spends: 1 }]);
    expect([wallet.facts(), wallet.images(), wallet.doubtful()]).toEqual([before, [1, 2], [1, 2]]);
  });

  it('decides between several outputs in a ring by the other inputs, proven key images and earlier spends', async () => {
    const byInput = damaged(
      [3, 2, 1],
      [
        {
          spends: new Map([
            [1, [2]],
            [2, []],
          ]),
        },
      ],
    );
    const bySpend = damaged([3, 2, 1], [payment([2]), payment([1], [2])]);
    const byProof = damaged([3, 2, 1], [payment([1], [2])]);
    byProof.prove([2]);
    for (const wallet of [byInput, bySpend, byProof]) {
      await act(wallet);
      expect(wallet.facts()).toEqual(healthy(wallet).facts());
    }
  });

  it('forgets a key image that is not that of its output, where the ring leaves several others or none', async () => {
    // Number 104 is an output that only the signer has.
    for (const [image, spend] of [
      [1, payment([1], [2])],
      [104, payment([104])],
    ] as const) {
      const wallet = damaged([2, 3, image], [spend]);
      await act(wallet);
      expect(wallet.images()).toEqual([2, 3, undefined]);
      expect(wallet.wallet.lines.some(({ level }) => level === 40)).toBe(true);
      wallet.facts();
      wallet.prove([1, 2, 3]);
      expect(wallet.facts()).toEqual(healthy(wallet).facts());
    }
  });

  it('reads the rings of transactions of version 1 only whole, as nothing else proves them', async () => {
    const wallet = damaged([2, 1, 3], [{ ...payment([1]), version: 1 }]);
    // A pruned daemon.
    wallet.send = () => wallet.world.payments.map(({ tx }) => tx.pruned);
    await act(wallet);
    expect(wallet.images()).toEqual([2, 1, 3]);
    const again = damaged([2, 1, 3], [{ ...payment([1]), version: 1 }]);
    await act(again);
    expect([again.facts(), again.images()]).toEqual([healthy(again).facts(), [1, 2, 3]]);
  });

  it('changes nothing in a wallet with the spend key', async () => {
    const world = new PlacedWorld(2);
    const wallet = new PlacedWallet(world, new TestWallet());
    opened.push(wallet);
    wallet.scan();
    wallet.place([2, 1]);
    world.mine(payment([1]));
    await act(wallet);
    expect([wallet.asked, wallet.images()]).toEqual([[], [2, 1]]);
  });
});

const failing: readonly [name: string, send: PlacedWallet['send'], error: unknown][] = [
  [
    'does not answer',
    () => {
      throw new DaemonError('timeout', 'no answer');
    },
    { kind: 'timeout' },
  ],
  ['does not have the transaction', () => [], { fault: { kind: 'daemon_misbehaves' } }],
];

/** Sends another transaction under each hash that was asked for. */
const lies = ({ world }: PlacedWallet): PlacedWallet['send'] => {
  const [first] = world.payments;
  const other = world.mine(payment([2])).tx.pruned;
  world.payments.pop();
  return () => (first === undefined ? [] : [{ ...other, hash: first.tx.pruned.hash }]);
};

describe('a spend of a key image that an earlier version replaced by a proven one, and kept', () => {
  const kept = (): PlacedWallet => {
    const wallet = damaged([2, 1, 3], [payment([1])]);
    wallet.replace([1, 2, 3]);
    return wallet;
  };

  it.each(RESCANS)('ends with %s', async (_, act) => {
    const wallet = kept();
    await act(wallet);
    const { balance } = wallet.facts() as { readonly balance: bigint };
    expect(balance).toBe((healthy(wallet).facts() as { readonly balance: bigint }).balance);
    await wallet.wallet.sync.rescan(false);
    expect(wallet.facts()).toEqual(healthy(wallet).facts());
  });
});

describe('a daemon that', () => {
  test.each(
    failing.flatMap(([name, send, error]) =>
      RESCANS.map(([rescan, act]) => [name, rescan, act, send, error] as const),
    ),
  )(
    '%s ends %s with an error, and changes no key image; a later one corrects them',
    async (_, __, act, send, error) => {
      const wallet = damaged([2, 1, 3], [payment([1]), payment([2])]);
      const { send: honest } = wallet;
      wallet.send = send;
      await expect(act(wallet)).rejects.toMatchObject(error as object);
      expect([wallet.images(), wallet.doubtful()]).toEqual([
        [2, 1, 3],
        [1, 2, 3],
      ]);
      wallet.send = honest;
      await act(wallet);
      expect(wallet.facts()).toEqual(healthy(wallet).facts());
    },
  );

  it.each(RESCANS)('sends another transaction than that asked for ends %s with an error', async (_, act) => {
    const wallet = damaged([2, 1], [payment([1])]);
    wallet.send = lies(wallet);
    await expect(act(wallet)).rejects.toMatchObject(fault({ kind: 'daemon_misbehaves' }));
    expect(wallet.images()).toEqual([2, 1]);
  });

  it('fails or lies leaves a refresh as it was, and the next refresh corrects the key images', async () => {
    const wallet = damaged([2, 1], [payment([1])]);
    const { send: honest } = wallet;
    for (const send of [...failing.map((one) => one[1]), lies(wallet)]) {
      wallet.send = send;
      await wallet.refresh();
      expect(wallet.images()).toEqual([2, 1]);
    }
    wallet.send = honest;
    await wallet.refresh();
    expect(wallet.facts()).toEqual(healthy(wallet).facts());
  });

  it.each(ACTIONS)(
    'is not trusted is not told which transactions are those of the wallet: %s corrects nothing then',
    async (_, act) => {
      const wallet = damaged([2, 1], [payment([1])]);
      wallet.wallet.trusted = false;
      for (let times = 0; times < 2; times++) await act(wallet);
      expect([wallet.asked, wallet.images()]).toEqual([[], [2, 1]]);
      wallet.wallet.trusted = true;
      await act(wallet);
      expect(wallet.facts()).toEqual(healthy(wallet).facts());
    },
  );
});

describe('a refresh after an upgrade', () => {
  it('continues after a restart, also of a server that was ended while the daemon answered', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'placed-'));
    try {
      const open = (): TestWallet => new TestWallet({ viewOnly: true, path: join(directory, 'w') });
      const first = new PlacedWallet(new PlacedWorld(3), open());
      first.scan();
      first.place([2, 1, 3]);
      first.world.mine(payment([1]));
      first.scan();
      first.send = () => {
        first.wallet.close();
        throw new DaemonError('unreachable', 'the server ends');
      };
      await expect(first.refresh()).rejects.toMatchObject({ fault: { kind: 'no_wallet' } });
      const second = new PlacedWallet(
        first.world,
        new TestWallet({ viewOnly: true, path: join(directory, 'w'), isOld: true }),
      );
      await second.refresh();
      expect(second.facts()).toEqual(healthy(second).facts());
      second.wallet.close();
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  it('ends for a call that cancels it, between two calls to the daemon, and begins again', async () => {
    const count = 120;
    const numbers = Array.from({ length: count }, (_, i) => i + 1);
    const wallet = damaged(
      numbers,
      numbers.map((n) => payment([n])),
    );
    const { send } = wallet;
    let imported: Promise<void> | undefined;
    wallet.send = (hashes, prune) => {
      imported ??= wallet.wallet.sync.cancelAndRun(() => Promise.resolve());
      return send(hashes, prune);
    };
    await wallet.refresh();
    await imported;
    expect([wallet.asked.map(({ length }) => length), wallet.doubtful()]).toEqual([[100, 20], []]);
  });

  it('follows key images that are spent later, and asks for none twice', async () => {
    const wallet = damaged([2, 1, 4, 3], [payment([3], [4])]);
    await wallet.refresh();
    wallet.world.mine(payment([1]));
    await wallet.refresh();
    await wallet.refresh();
    expect([wallet.asked.map(({ length }) => length), wallet.images()]).toEqual([
      [1, 1],
      [1, 2, 4, 3],
    ]);
    expect(wallet.wallet.refresher.callsOf('restart')).toHaveLength(1);
  });
});

describe('any key images that were given to outputs by their places', () => {
  const numbersTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

  const world = fc.integer({ min: 2, max: 7 }).chain((count) =>
    fc.record({
      images: fc
        .tuple(
          fc.shuffledSubarray(numbersTo(count), { minLength: count }),
          fc.oneof(
            fc.constant(Array.from({ length: count }, () => true)),
            fc.array(fc.boolean(), { minLength: count, maxLength: count }),
          ),
        )
        // Numbers above 100 are those of outputs that only the signer has.
        .map(([images, isOwn]) => images.map((image, i) => (isOwn[i] === true ? image : image + 100))),
      payments: fc.shuffledSubarray(numbersTo(count)).chain((spent) =>
        fc.tuple(
          ...spent.map((n) =>
            fc.record(
              {
                n: fc.constant(n),
                joins: fc.boolean(),
                decoys: fc.subarray(numbersTo(count)),
                change: fc.record({
                  value: fc.bigInt({ min: 1n, max: 90n }),
                  account: fc.integer({ min: 0, max: 1 }),
                }),
              },
              { requiredKeys: ['n', 'joins', 'decoys'] },
            ),
          ),
        ),
      ),
      actions: fc.infiniteStream(fc.option(fc.constantFrom(...ACTIONS))),
    }),
  );

  /** Payments of one or more outputs each, in the order of the outputs. */
  const paymentsOf = (
    parts: readonly {
      n: number;
      joins: boolean;
      decoys: readonly number[];
      change?: PlacedPayment['change'];
    }[],
    hasDecoys: boolean,
  ): PlacedPayment[] => {
    const groups: (typeof parts)[number][][] = [];
    for (const part of parts) {
      if (part.joins && groups.length > 0) groups.at(-1)?.push(part);
      else groups.push([part]);
    }
    return groups.map((group) => ({
      spends: new Map(
        [...group].sort((a, b) => a.n - b.n).map(({ n, decoys }) => [n, hasDecoys ? decoys : []]),
      ),
      ...(group[0]?.change === undefined ? {} : { change: group[0].change }),
    }));
  };

  /** Follows the payments, with actions between them and after them. @returns whether the wallet knew an input of each. */
  async function live(
    wallet: PlacedWallet,
    payments: readonly PlacedPayment[],
    actions: Iterable<Action | null>,
  ): Promise<boolean> {
    const next = actions[Symbol.iterator]();
    let isSeen = true;
    for (const one of payments) {
      const known = wallet.images();
      isSeen &&= [...one.spends.keys()].some((n) => known.includes(n));
      wallet.world.mine(one);
      wallet.scan();
      wallet.facts();
      await next.next().value?.[1](wallet);
      wallet.facts();
    }
    await wallet.refresh();
    return isSeen;
  }

  const closeAll = (): void => {
    for (const { wallet } of opened.splice(0)) wallet.close();
  };

  it('end as if they had been right, as far as they are spent, where no ring contains a further output', async () => {
    await fc.assert(
      fc
        .asyncProperty(world, async ({ images, payments, actions }) => {
          const wallet = damaged(images, []);
          const isSeen = await live(wallet, paymentsOf(payments, false), actions);
          if (images.every((image) => image <= 100)) expect(isSeen).toBe(true);
          if (isSeen) expect(wallet.facts()).toEqual(healthy(wallet).facts());
        })
        .afterEach(closeAll),
      { numRuns: randomRuns(40) },
    );
  });

  it('are never certain where they are wrong, whatever the rings contain', async () => {
    await fc.assert(
      fc
        .asyncProperty(world, async ({ images, payments, actions }) => {
          const wallet = damaged(images, []);
          await live(wallet, paymentsOf(payments, true), actions);
          const doubtful = new Set(wallet.doubtful());
          wallet.images().forEach((image, i) => {
            if (image !== undefined && !doubtful.has(i + 1)) expect(image).toBe(i + 1);
          });
        })
        .afterEach(closeAll),
      { numRuns: randomRuns(40) },
    );
  });
});
