import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { Hash, KeyImage, PublicKey, SecretKey } from '../../../src/monero/crypto/types.js';
import type { ParsedTxs } from '../../../src/monero/wallet/scan/block-page.js';
import { WatchList, type SpentOutput } from '../../../src/refresh/scan/watch-list.js';
import { resolveAmbiguousSpends } from '../../../src/store/resolve-key-images.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { amount, sum } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import {
  creditedOf,
  type OwnedOutput,
  type PageFindings,
  type PoolTx,
} from '../../../src/monero/wallet/scan/findings.js';
import type { Payment } from '../../../src/store/tables/payments.js';
import { cpuMs } from '../../support/fakes/cpu-time.js';
import { EventLedger } from '../../support/wallets/event-ledger.js';
import { bytes, output, page, received, unnamed } from '../fixtures.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

const KEYS = 4;
const FEE = 1n;

/** 32 bytes derived from a number. */
const named = <T>(n: number): T => {
  const name = new Uint8Array(32).fill(1);
  new DataView(name.buffer).setUint32(0, n);
  return name as T;
};
const publicKey = (key: number): PublicKey => named(1_000_000 + key);
const keyImage = (key: number): KeyImage => named(2_000_000 + key);
/** Two keys for each address. */
const minorOf = (key: number): number => key % 2;

interface Tx {
  readonly id: number;
  /** At most one for each key. */
  readonly outs: readonly { readonly key: number; readonly value: bigint }[];
  readonly spends?: number;
  /** Global index of its first output, even if none belongs to the wallet. */
  readonly index: number;
}

interface Entry {
  readonly key: number;
  value: bigint;
  tx: number;
  spentBy?: number;
  spentHeight?: number;
}

/** An unmined payment of this wallet, and the output that it reserved, while that exists. */
interface Reservation {
  readonly by: number;
  row?: number | undefined;
}

interface Shown {
  readonly payments: readonly string[];
  /** In chain order. */
  readonly entries: readonly string[];
  readonly held: readonly string[];
  readonly outgoing: readonly string[];
}

/** Reads the chain in order from its start, like wallet2's `process_new_transaction`. */
function replay(chain: readonly (readonly Tx[])[], reserved: ReadonlyMap<number, Reservation>) {
  const entries: Entry[] = [];
  const payments: string[] = [];
  const outgoing: string[] = [];
  const of = (key: number): Entry | undefined => entries.find((entry) => entry.key === key);
  chain.forEach((txs, height) => {
    for (const { id, outs, spends } of txs) {
      const paid = new Map<number, { total: bigint; amounts: bigint[] }>();
      for (const { key, value } of outs) {
        const known = of(key);
        const at = paid.get(minorOf(key)) ?? { total: 0n, amounts: [] };
        paid.set(minorOf(key), at);
        if (known === undefined) {
          entries.push({ key, value, tx: id });
          at.total += value;
          at.amounts.push(value);
          continue;
        }
        const taken = reserved.get(key)?.row === known.tx;
        if (known.spentBy !== undefined || taken || known.value >= value) continue;
        at.total += value - known.value;
        at.amounts.push(value);
        known.value = value;
        known.tx = id;
      }
      const spent = spends === undefined ? undefined : of(spends);
      if (spent !== undefined) {
        spent.spentBy = id;
        spent.spentHeight = height;
        const change = [...paid.values()].reduce((sum, { total }) => sum + total, 0n);
        outgoing.push(`${id}: ${spent.value} in${isOwn(id) ? '' : `, ${change} back`}`);
      } else
        for (const [minor, { total, amounts }] of paid)
          payments.push(`${id}/${minor}: ${total} of ${amounts.join()}`);
    }
  });
  for (const [key, { by }] of reserved) {
    const entry = of(key);
    if (entry !== undefined) entry.spentBy ??= by;
  }
  return { entries, payments, outgoing };
}

/** Hashes of payments of this wallet differ from those of others. */
const OWN = 500_000;
const isOwn = (id: number): boolean => id >= OWN;

const shownBy = ({ entries, payments, outgoing }: ReturnType<typeof replay>): Shown => ({
  payments: [...payments].sort(),
  entries: entries.map(({ tx, value, spentBy, spentHeight }) => `${tx} ${value} ${spentBy} ${spentHeight}`),
  held: [0, 1].flatMap((minor) => {
    const sum = (is: (entry: Entry) => boolean): bigint =>
      entries
        .filter((entry) => minorOf(entry.key) === minor && is(entry))
        .reduce((total, { value }) => total + value, 0n);
    return [
      `${minor}: ${sum(({ spentBy }) => spentBy === undefined)}, ${sum(({ spentHeight }) => spentHeight === undefined)}`,
    ];
  }),
  outgoing: [...outgoing].sort(),
});

const idOf = (hash: Hash | undefined): number | undefined =>
  hash && new DataView(hash.buffer, hash.byteOffset).getUint32(0);

const paymentText = ({ tx, subaddress, amount: total, amounts }: Payment): string =>
  `${idOf(tx.txHash)}/${subaddress.minor}: ${total} of ${amounts.join()}`;

const shownIn = (file: WalletStore): Shown =>
  file.read((r) => {
    const held = [false, true].map(
      (strict) =>
        new Map(r.balances.ofAddresses({ strict }).map(({ subaddress, total }) => [subaddress.minor, total])),
    );
    const entries = r.outputs.inOrder();
    entries.forEach((entry, place) => expect(r.outputs.placeOf(entry)).toBe(place));
    expect(r.outputs.count()).toBe(entries.length);
    const middle = entries.length >> 1;
    for (const [first, count] of [
      [0, Infinity],
      [middle, 2],
      [entries.length, 1],
    ] as const)
      expect(r.outputs.inOrder({ first, count })).toEqual(entries.slice(first, first + count));
    return {
      payments: r.payments.list({ min: -1, max: 1_000_000 }).map(paymentText).sort(),
      entries: entries.map(
        ({ txHash, amount: value, spentBy, spentHeight }) =>
          `${idOf(txHash)} ${value} ${idOf(spentBy)} ${spentHeight}`,
      ),
      held: [0, 1].map((minor) => `${minor}: ${held[0]?.get(minor) ?? 0n}, ${held[1]?.get(minor) ?? 0n}`),
      outgoing: r.outgoing
        .list({ states: ['confirmed'] })
        .map(({ txHash, amountIn, change }) => {
          const id = idOf(txHash) ?? 0;
          // A payment of this wallet keeps the change that was recorded when it was made.
          return `${id}: ${amountIn} in${isOwn(id) ? '' : `, ${change} back`}`;
        })
        .sort(),
    };
  });

/** Consensus allows one spend for each key, of an existing output. */
class World {
  chain: Tx[][] = [[]];
  readonly reserved = new Map<number, Reservation>();
  #next = 1;

  get entries(): Entry[] {
    return replay(this.chain, this.reserved).entries;
  }

  /**
   * Appends blocks, without the spends that are impossible.
   * @param wanted outputs of a transaction, and a key that it spends if possible.
   */
  append(
    blocks: readonly (readonly {
      outs: readonly (readonly [number, bigint])[];
      spends?: number | undefined;
      own: boolean;
    }[])[],
  ): void {
    for (const wanted of blocks) {
      const block: Tx[] = [];
      this.chain.push(block);
      for (const { outs, spends, own } of wanted) {
        const before = this.chain.flat();
        const index = before.reduce((sum, tx) => sum + Math.max(1, tx.outs.length), 0);
        const unique = [...new Map(outs).entries()].map(([key, value]) => ({ key, value }));
        const exists = before.some((tx) => tx.outs.some(({ key }) => key === spends));
        const isSpent = before.some((tx) => tx.spends === spends);
        const spent = spends !== undefined && exists && !isSpent ? spends : undefined;
        const reservation = spent === undefined ? undefined : this.reserved.get(spent);
        const id = own && reservation !== undefined ? reservation.by : this.#next++;
        // Another wallet with these keys was faster: the reservation is void.
        if (spent !== undefined && id !== reservation?.by) this.reserved.delete(spent);
        if (unique.length === 0 && spent === undefined) continue;
        block.push({ id, outs: unique, index, ...(spent === undefined ? {} : { spends: spent }) });
      }
    }
  }

  /** Removes blocks at or above a height. */
  cut(height: number): void {
    this.chain = this.chain.slice(0, height);
    const left = this.chain.flat();
    for (const [key, reservation] of this.reserved) {
      const rows = left.filter(({ outs }) => outs.some((out) => out.key === key));
      if (rows.length === 0) this.reserved.delete(key);
      else if (!rows.some(({ id }) => id === reservation.row)) delete reservation.row;
    }
  }

  /**
   * Reserves an output on a key for a payment.
   * @returns the hash of the payment and the output that it reserves; undefined if none is free.
   */
  reserve(key: number): { readonly by: number; readonly row: number } | undefined {
    const entry = this.entries.find((one) => one.key === key);
    if (entry === undefined || entry.spentBy !== undefined) return undefined;
    const reservation = { by: OWN + this.#next++, row: entry.tx };
    this.reserved.set(key, reservation);
    return reservation;
  }

  /** Notes that a rescan finds the outputs again that payments have reserved: they are reserved at once. */
  rescan(): void {
    for (const [key, reservation] of this.reserved)
      reservation.row = this.entries.find((entry) => entry.key === key)?.tx;
  }

  /**
   * Fails the unmined payment that reserves an output on a key.
   * @returns the payment that failed, if there is an unmined one.
   */
  release(key: number): number | undefined {
    const reservation = this.reserved.get(key);
    if (reservation === undefined || this.chain.flat().some(({ id }) => id === reservation.by))
      return undefined;
    this.reserved.delete(key);
    return reservation.by;
  }
}

/** The input of a scanner's record of a transaction. */
const inputsOf = (watched: WatchList, { spends }: Tx): readonly SpentOutput[] =>
  spends === undefined
    ? []
    : watched.spentBy(
        {
          eachKeyImage: (_: number, take: (all: Uint8Array, at: number) => void) => take(keyImage(spends), 0),
        } as ParsedTxs,
        0,
      );

/** Findings of a scanner in blocks. @param blind true without key images. */
function findings(world: World, from: number, to: number, watched: WatchList, blind = false): PageFindings {
  watched.detach(from, to - 1);
  const all = world.chain.slice(from, to).flatMap((txs, i) => txs.map((tx) => ({ tx, height: from + i })));
  const outputOf = (
    { id, index, spends }: Tx,
    height: number,
    at: number,
    key: number,
    value: bigint,
  ): OwnedOutput => {
    const found = output(1, height, value, {
      txHash: named(id),
      outputIndex: at,
      globalIndex: index + at,
      publicKey: publicKey(key),
      keyImage: keyImage(key),
      subaddress: { major: 0, minor: minorOf(key) },
      change: !blind && spends !== undefined,
    });
    return blind ? unnamed(found) : found;
  };
  const spending = all.flatMap(({ tx, height }) =>
    tx.spends === undefined ? [] : [{ tx, key: tx.spends, height }],
  );
  const inputs = new Map<number, readonly SpentOutput[]>();
  for (const { tx, height } of all) {
    inputs.set(tx.id, inputsOf(watched, tx));
    tx.outs.forEach(({ key, value }, at) => watched.add(outputOf(tx, height, at, key, value)));
  }
  return page(from, to - from, {
    received: all
      .filter(({ tx }) => tx.outs.length > 0)
      .map(({ tx, height }) => ({ ...received(1, height), txHash: named<Hash>(tx.id) })),
    outputs: all.flatMap(({ tx, height }) =>
      tx.outs.map(({ key, value }, at) => outputOf(tx, height, at, key, value)),
    ),
    spends: blind
      ? []
      : spending.map(({ tx, key, height }) => ({
          keyImage: keyImage(key),
          txHash: named(tx.id),
          height,
          globalIndex: tx.index,
        })),
    outgoing: blind
      ? []
      : spending.map(({ tx, key, height }) => ({
          txHash: named(tx.id),
          height,
          timestamp: height,
          account: 0,
          fromIndices: [minorOf(key)],
          amountIn: sum((inputs.get(tx.id) ?? []).map((input) => input.amount)),
          change: amount(tx.outs.reduce((sum, { value }) => sum + value, 0n)),
          fee: amount(FEE),
          unlockTime: 0n,
        })),
    ...(blind
      ? {
          ambiguousSpends: spending.map(({ tx, key, height }) => ({
            txHash: named<Hash>(tx.id),
            height,
            timestamp: height,
            unlockTime: 0n,
            fee: amount(FEE),
            amountOut: amount(0n),
            globalIndex: tx.index,
            keyImages: [keyImage(key)],
          })),
        }
      : {}),
  });
}

/** A wallet and its scanner. */
interface Opened {
  readonly file: WalletStore;
  watched: WatchList;
  /** True while no key image is known. */
  blind?: boolean;
}

/** Applies the chain from a height on, in pages of these sizes, which repeat. */
function read({ file, watched, blind }: Opened, world: World, from: number, sizes: readonly number[]): void {
  for (let height = from, n = 0; height < world.chain.length; n++) {
    const to = Math.min(world.chain.length, height + (sizes[n % sizes.length] ?? 1));
    const found = findings(world, height, to, watched, blind);
    file.write((w) => w.applyPage(found));
    height = to;
  }
}

const key = fc.nat(KEYS - 1);
const tx = fc.record({
  outs: fc.array(fc.tuple(key, fc.bigInt({ min: 1n, max: 5n })), { maxLength: 2 }),
  spends: fc.option(key, { nil: undefined, freq: 3 }),
  own: fc.boolean(),
});
const blocks = fc.array(fc.array(tx, { maxLength: 3 }), { minLength: 1, maxLength: 4 });
const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('blocks' as const), blocks, sizes }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('reorganisation' as const), depth: fc.nat(6), blocks, sizes }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reserve' as const), key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('release' as const), key }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rescan' as const), sizes }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('denial' as const),
      key,
      blocks,
      sizes,
      restarts: fc.boolean(),
    }),
  },
);

/** Returns a scanner's watch list as a restart reads it from the store. */
const watchedIn = (file: WalletStore): WatchList =>
  new WatchList(
    file.read((r) => ({
      withKeyImage: r.watch.withKeyImage(0),
      withoutKeyImage: r.watch.withoutKeyImage(),
      reused: {
        withKeyImage: r.watch.burntWithKeyImage(),
        withoutKeyImage: r.watch.burntWithoutKeyImage(),
      },
      importedKeyImages: new Uint8Array(0),
    })),
  );

function opened(): Opened {
  const file = WalletStore.create(':memory:', new Uint8Array(32));
  return { file, watched: watchedIn(file) };
}

/** A mined payment to the wallet, or a part of one. */
const poolTx = (id: number, on: number, value: bigint): PoolTx => ({
  txHash: named(id),
  timestamp: id,
  unlockTime: 0n,
  fee: amount(FEE),
  doubleSpendSeen: false,
  outputs: [
    {
      outputIndex: 0,
      publicKey: publicKey(on),
      amount: amount(value),
      subaddress: { major: 0, minor: minorOf(on) },
    },
  ],
});

/** Expects that the events, which must not contradict each other, sum to the balance. */
function expectEventSum(file: WalletStore): void {
  const ledger = new EventLedger();
  for (const event of file.read((r) => r.events.after(0, 100_000))) ledger.add(event);
  const balances = file.read((r) => r.balances.ofAddresses({ strict: false }));
  expect(ledger.sum).toBe(balances.reduce((sum, { total }) => sum + total, 0n));
}

describe('outputs on reused keys', () => {
  it('equal those of a wallet that reads the chain in order, after any steps, in pages of any size', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
        const wallet = opened();
        const { file } = wallet;
        const world = new World();
        read(wallet, world, 0, [1]);
        for (const one of steps) {
          if (one.kind === 'reserve') {
            const reservation = world.reserve(one.key);
            if (reservation === undefined) continue;
            const { by, row } = reservation;
            const taken = file
              .read((r) => r.outputs.ofTx(named(row)))
              .filter(({ publicKey: of }) => toHex(of) === toHex(publicKey(one.key)));
            file.write((w) =>
              w.prepare(
                {
                  txHash: named(by),
                  state: 'pending',
                  account: 0,
                  fromIndices: [minorOf(one.key)],
                  amountIn: sum(taken.map((input) => input.amount)),
                  fee: amount(FEE),
                  change: amount(0n),
                  unlockTime: 0n,
                  timestamp: 1,
                  blob: bytes(1),
                  destinations: [],
                },
                taken,
                [bytes<SecretKey>(1)],
              ),
            );
          } else if (one.kind === 'release') {
            const failed = world.release(one.key);
            if (failed !== undefined) file.write((w) => w.fail(named(failed)));
          } else if (one.kind === 'restart') {
            wallet.watched = watchedIn(file);
          } else if (one.kind === 'denial') {
            // The daemon reports a spend that the wallet has not seen, and takes it back after some blocks.
            const free = world.entries.find((entry) => entry.key === one.key && entry.spentBy === undefined);
            const held = file.read((r) => r.outputs.byPublicKey(publicKey(one.key)));
            if (free === undefined || held === undefined) continue;
            file.write((w) => w.outputs.markSpentByUnknown(held, true));
            if (one.restarts) wallet.watched = watchedIn(file);
            const from = world.chain.length;
            world.append(one.blocks.map((txs) => txs.map(({ outs, own }) => ({ outs, own }))));
            read(wallet, world, from, one.sizes);
            file.write((w) => w.outputs.markUnspent(held));
          } else if (one.kind === 'rescan') {
            world.rescan();
            file.write((w) => w.clearNext({ hard: false, rows: 1_000_000 }));
            wallet.watched = watchedIn(file);
            read(wallet, world, 0, one.sizes);
          } else {
            const from = Math.max(1, world.chain.length - (one.kind === 'blocks' ? 0 : one.depth));
            world.cut(from);
            world.append(one.blocks);
            read(wallet, world, from, one.sizes);
          }
          expect(shownIn(file)).toEqual(shownBy(replay(world.chain, world.reserved)));
          // Reservations are recorded without being relayed.
          if (steps.every(({ kind }) => kind !== 'reserve')) expectEventSum(file);
        }
        file.close();
      }),
      { numRuns: randomRuns(150) },
    );
  });

  it('equal them too if their key images are imported after some blocks', () => {
    fc.assert(
      fc.property(
        blocks,
        blocks,
        blocks,
        sizes,
        fc.nat(4),
        fc.boolean(),
        (first, second, third, cuts, depth, restarts) => {
          const wallet: Opened = { ...opened(), blind: true };
          const { file } = wallet;
          const world = new World();
          const continueFrom = (from: number, more: typeof first): void => {
            world.cut(from);
            world.append(more);
            read(wallet, world, from, cuts);
          };
          continueFrom(0, [[], ...first]);
          continueFrom(Math.max(1, world.chain.length - depth), second);
          const images = Array.from({ length: KEYS }, (_, n) => ({
            publicKey: publicKey(n),
            keyImage: keyImage(n),
          }));
          file.write((w) => resolveAmbiguousSpends(w, images));
          wallet.watched.importKeyImages(images);
          wallet.blind = false;
          const expectAlike = (): void => {
            expect(shownIn(file)).toEqual(shownBy(replay(world.chain, new Map())));
            expectEventSum(file);
          };
          expectAlike();
          if (restarts) wallet.watched = watchedIn(file);
          continueFrom(Math.max(1, world.chain.length - depth), third);
          expectAlike();
          file.close();
        },
      ),
      { numRuns: randomRuns(80) },
    );
  });

  it('in the mempool are credited the amount that they add to the mined ones', () => {
    fc.assert(
      fc.property(
        blocks,
        fc.array(fc.tuple(key, fc.bigInt({ min: 1n, max: 8n })), { minLength: 1 }),
        (mined, pool) => {
          const wallet = opened();
          const { file } = wallet;
          const world = new World();
          world.append(mined);
          read(wallet, world, 0, [3]);
          file.write((w) => pool.forEach(([on, value], n) => w.pool.add(poolTx(OWN + n, on, value))));
          const expected = pool.map(([on, value]) => {
            const known = world.entries.find((entry) => entry.key === on);
            if (known === undefined) return value;
            return known.spentBy !== undefined || known.value >= value ? 0n : value - known.value;
          });
          const shown = file.read((r) => r.pool.list());
          expect(shown.flatMap(({ outputs }) => outputs.map(creditedOf))).toEqual(expected);
          expect(file.read((r) => shown.map(({ txHash }) => r.pool.isIncome(txHash)))).toEqual(
            expected.map((value) => value > 0n),
          );
          file.close();
        },
      ),
      { numRuns: randomRuns(50) },
    );
  });

  it('are frozen and thawed together, whichever of them is not burnt', () => {
    const wallet = opened();
    const { file } = wallet;
    const world = new World();
    const pay = (value: bigint): void => {
      const from = world.chain.length;
      world.append([[{ outs: [[0, value]], own: false }]]);
      read(wallet, world, from, [1]);
    };
    const held = (): readonly OwnedOutput[] => file.read((r) => r.outputs.inOrder());
    pay(1n);
    file.write((w) => held().forEach((one) => w.outputs.setFrozen(one, true)));
    pay(2n);
    expect(held()).toMatchObject([{ amount: 2n, frozen: true }]);
    file.write((w) => held().forEach((one) => w.outputs.setFrozen(one, false)));
    pay(3n);
    expect(held()).toMatchObject([{ amount: 3n, frozen: false }]);
    file.write((w) => w.detach(2));
    expect(held()).toMatchObject([{ amount: 1n, frozen: false }]);
    file.close();
  });

  it('are counted once as inputs of a payment, and only the one that is not burnt is free', () => {
    const wallet = opened();
    const { file } = wallet;
    const world = new World();
    world.append([[{ outs: [[0, 2n]], own: false }], [{ outs: [[0, 5n]], own: false }]]);
    read(wallet, world, 0, [4]);
    const [small, large] = [1, 2].map((id) => file.read((r) => r.outputs.ofTx(named(id)))[0]);
    if (small === undefined || large === undefined) throw new Error('an output is missing');
    expect(file.read((r) => [r.outputs.areFree([small]), r.outputs.areFree([large])])).toEqual([false, true]);
    expect(() => file.write((w) => w.outputs.reserve([small], named(9)))).toThrow('not free');
    world.append([[{ outs: [], spends: 0, own: false }]]);
    read(wallet, world, 3, [1]);
    const by = file.read((r) => r.outputs.spentBy(named(3)));
    expect(by.map(({ amount: value }) => value)).toEqual([5n]);
    file.close();
  });
});

describe('many outputs on one key', () => {
  it('are stored without reading all of them for each', () => {
    const wallet = opened();
    const { file } = wallet;
    const world = new World();
    const many = Array.from({ length: 1500 }, (_, n) => ({
      outs: [[0, BigInt(n + 1)]] as const,
      own: false,
    }));
    for (const block of chunksOf(many, 100)) world.append([block]);
    const started = cpuMs();
    read(wallet, world, 0, [1]);
    expect(cpuMs() - started).toBeLessThan(30_000);
    expect(file.read((r) => r.outputs.inOrder())).toMatchObject([{ amount: 1500n }]);
    file.close();
  });
});

const chunksOf = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size));
