import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { EventIds } from '../../../src/store/file/event-ids.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { toHex } from '../../../src/util/bytes.js';
import type { EventType, WalletEvent } from '../../../src/model/events.js';
import type { OwnedOutput, ReceivedTx } from '../../../src/monero/wallet/scan/findings.js';
import { bytes, output, page, received } from '../fixtures.js';

const DAY_MS = 86_400_000;
const STAGES: readonly EventType[] = ['payment.confirmed', 'payment.unlocked'];

let now: number;
/** Greatest id of an event before a time [Unix ms]. */
const idAt = (time: number): number => 1000 * time - 1;
let store: WalletStore;

beforeEach(() => {
  now = 1_700_000_000_000;
  store = WalletStore.create(':memory:', new Uint8Array(32), undefined, undefined, {
    ids: new EventIds({ clock: { now: () => now } }),
    confirmations: [1, 10],
  });
});

/** Payments of one block, a transaction each. */
interface Block {
  readonly tx: number;
  readonly unlockTime?: bigint;
  /** Adds an output of change, which is no payment. */
  readonly hasChange?: boolean;
}

/** Stores a page of blocks from a height on. */
function add(start: number, blocks: readonly (readonly Block[])[]): void {
  const txs: ReceivedTx[] = [];
  const outputs: OwnedOutput[] = [];
  blocks.forEach((block, i) =>
    block.forEach(({ tx, unlockTime = 0n, hasChange = false }) => {
      const coinbase = unlockTime !== 0n;
      txs.push({ ...received(tx, start + i), unlockTime, coinbase });
      outputs.push(output(tx, start + i, BigInt(tx), { unlockTime, coinbase }));
      if (hasChange)
        outputs.push(
          output(tx, start + i, 1n, {
            ...{ outputIndex: 1, change: true, publicKey: bytes(200 + tx), keyImage: bytes(200 + tx) },
          }),
        );
    }),
  );
  store.write((w) => w.applyPage(page(start, blocks.length, { received: txs, outputs })));
}

/** Stores empty blocks, one page each. */
function grow(from: number, to: number): void {
  for (let height = from; height < to; height++) add(height, [[]]);
}

const events = (types?: readonly EventType[], after = 0, limit = 10_000): WalletEvent[] =>
  store.read((r) => r.events.after(after, limit, types));

/** Stages by transaction and type, with the height of their payment. */
const summary = (): unknown[] =>
  events(STAGES).map((event) => {
    if (event.type !== 'payment.confirmed' && event.type !== 'payment.unlocked') return event;
    const { txHash, height, amount } = event.data;
    const confirmations = event.type === 'payment.confirmed' ? event.data.confirmations : 0;
    return [toHex(txHash), event.type, confirmations, height, amount];
  });

/** Numbers of rows and of events. */
const counts = (): unknown[] => [store.write((w) => w.events.appended), events().length];

describe('stages of all payments in a range of blocks', () => {
  it('are a row for each stage of each payment', () => {
    add(0, [[{ tx: 1 }, { tx: 2 }], [{ tx: 3 }]]);
    add(
      2,
      Array.from({ length: 10 }, () => []),
    );
    expect(counts()).toEqual([9 + 3, 9 + 3]);
    expect(events(STAGES).slice(3)).toMatchObject(
      [1, 2, 3].flatMap((tx) => [
        { type: 'payment.confirmed', data: { txHash: bytes<Hash>(tx), confirmations: 10 } },
        { type: 'payment.unlocked', data: { txHash: bytes<Hash>(tx), amount: BigInt(tx) } },
      ]),
    );
    const ids = events().map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect(store.read((r) => r.events.last())).toBe(ids.at(-1));
  });

  it('are the same beside outputs of change', () => {
    const unlockTime = (height: number): bigint => BigInt(height + 60);
    const blocks = (hasChange: boolean): readonly (readonly Block[])[] => [
      [
        { tx: 1, hasChange },
        { tx: 2, unlockTime: unlockTime(0) },
      ],
      [{ tx: 3, unlockTime: 40n }, { tx: 4 }],
      [{ tx: 5, unlockTime: unlockTime(2) }],
    ];
    add(0, blocks(false));
    grow(3, 70);
    const [without, count] = [summary(), counts()];
    store = WalletStore.create(':memory:', new Uint8Array(32));
    add(0, blocks(true));
    grow(3, 70);
    expect(counts()).toEqual(count);
    const byName = (list: unknown[]): string[] => list.map(String).sort();
    expect(byName(summary())).toEqual(byName(without));
    expect(without).toHaveLength(5 * 3);
  });

  it('continue behind each id', () => {
    add(0, [[{ tx: 1 }, { tx: 2 }, { tx: 3 }]]);
    add(
      1,
      Array.from({ length: 10 }, () => []),
    );
    const all = events();
    for (const [i, { id }] of all.entries()) {
      expect(events(undefined, id)).toEqual(all.slice(i + 1));
      expect(events(undefined, id, 1)).toEqual(all.slice(i + 1, i + 2));
    }
  });

  it('stay as they were when their payments are reversed later', () => {
    add(0, [[{ tx: 1 }], [{ tx: 2 }]]);
    grow(2, 12);
    const before = events();
    add(1, [[{ tx: 3 }], [], []]);
    expect(events().slice(0, before.length)).toEqual(before);
  });

  it('are those of the payments that a reorganisation has left', () => {
    add(0, [[], [{ tx: 1 }]]);
    add(1, [[{ tx: 2 }, { tx: 3 }]]);
    const known = events().length;
    grow(2, 12);
    expect(events().slice(known)).toMatchObject(
      [2, 3].flatMap((tx) => [
        { type: 'payment.confirmed', data: { txHash: bytes<Hash>(tx) } },
        { type: 'payment.unlocked', data: { txHash: bytes<Hash>(tx) } },
      ]),
    );
  });

  it('are reported of payments whose own event is old, or has expired', () => {
    add(0, [[{ tx: 1 }, { tx: 2 }]]);
    now += DAY_MS + 1;
    grow(1, 11);
    expect(summary()).toHaveLength(6);
    add(11, [[{ tx: 3 }]]);
    store.write((w) => w.events.expire(idAt(now + 1), 1000));
    grow(12, 22);
    expect(summary()).toHaveLength(2);
  });

  it('expire by their own age, one by one', () => {
    add(0, [[{ tx: 1 }]]);
    now += 1000;
    grow(1, 11);
    const all = events();
    expect(store.write((w) => w.events.expire(idAt(now), 1000))).toBe(false);
    expect(events()).toEqual(all.slice(2));
    expect(store.read((r) => r.events.expiredUpTo())).toBe(all[1]?.id);
    store.write((w) => w.events.expire(idAt(now + 1), 1));
    expect(store.read((r) => r.events.expiredUpTo())).toBe(all[2]?.id);
    store.write((w) => w.events.expire(idAt(now + 1), 1000));
    expect(events()).toEqual([]);
    expect(store.read((r) => [r.events.expiredUpTo(), r.events.last()])).toEqual([
      all.at(-1)?.id,
      all.at(-1)?.id,
    ]);
  });
});
