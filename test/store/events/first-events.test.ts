import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { WalletStore } from '../../../src/store/wallet-store.js';
import type { WalletEvent } from '../../../src/model/events.js';
import { EventLoopTurns } from '../../support/fakes/event-loop-turns.js';
import { EventWorld, recordOf } from '../../support/wallets/event-world.js';

const KEY = new Uint8Array(32);
const BLOCKS = 60;
const PER_BLOCK = 50;
const TIME_LOCK = 2_000_000_000n;

let directory: string;
/** Path of the store of an earlier version, and of the copy that a test changes. */
let earlier: string;
let path: string;
let expected: string[];

const eventsOf = (store: WalletStore): WalletEvent[] => store.read((r) => r.events.after(0, 1_000_000));

/** Type and facts of events, without ids and times. */
const factsOf = (store: WalletStore): string[] =>
  eventsOf(store)
    .filter(({ type }) => type.startsWith('payment.') || type.startsWith('transfer.'))
    .map(({ type, data }) =>
      JSON.stringify({ type, ...data }, (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      ),
    );

/** Makes a store of some 3,000 transactions without events, as an earlier version wrote it. */
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'first-events-'));
  earlier = join(directory, 'earlier');
  const world = new EventWorld();
  world.mine([]);
  const at = (minor: number) => ({ major: 0, minor });
  for (let block = 1; block < BLOCKS; block++) {
    const payments = Array.from({ length: PER_BLOCK }, (_, i) =>
      world.makeTx([{ value: BigInt(i + 1), subaddress: at(i) }], i === 0 ? { unlockTime: TIME_LOCK } : {}),
    );
    const toTwo = world.makeTx([1, 2, 1].map((minor) => ({ value: 10n, subaddress: at(minor) })));
    const input = world.unspent().at(-1);
    const change = { value: 1n, subaddress: at(0) };
    world.mine([...payments, toTwo, ...(input === undefined ? [] : [world.makeTx([change], { input })])]);
  }
  const store = WalletStore.create(earlier, KEY);
  store.write((w) => w.applyPage(world.page(0, world.blocks.length)));
  expected = factsOf(store);
  store.write((w) => {
    w.events.expire(Infinity, 1_000_000);
    w.meta.remove('events_expired');
    w.meta.remove('events');
  });
  store.close();
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

let copies = 0;
beforeEach(() => {
  path = join(directory, `copy-${++copies}`);
  // A closed store is one file.
  copyFileSync(earlier, path);
});

/** Reads the store's events with the rules of every log. */
function check(store: WalletStore): void {
  expect(factsOf(store).sort()).toEqual([...expected].sort());
  const ids = eventsOf(store).map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  const heights = eventsOf(store).flatMap((event) =>
    event.type === 'payment.mined' ? [event.data.height] : [],
  );
  expect(heights).toEqual([...heights].sort((a, b) => a - b));
}

describe('a store without events', () => {
  it('is reported whole when it is opened', () => {
    const store = WalletStore.open(path, KEY);
    check(store);
    store.close();
  });

  it('is reported in parts, between which other work runs', async () => {
    const turns = new EventLoopTurns();
    const store = await WalletStore.openInParts(path, KEY);
    expect(turns.stop()).toBeGreaterThanOrEqual(2);
    check(store);
    store.close();
  });

  it('is reported with its pending payments, and only once', () => {
    const world = new EventWorld();
    world.mine([world.makeTx([{ value: 9n, subaddress: { major: 0, minor: 0 } }])]);
    const [input] = world.unspent();
    if (input === undefined) throw new Error('the block has no output');
    const payment = world.makeTx([], { input });
    const store = WalletStore.create(`${path}-new`, KEY);
    store.write((w) => {
      w.applyPage(world.page(0, 1));
      w.outgoing.insert({ ...recordOf(payment, input), state: 'pending' });
      w.events.expire(Infinity, 1_000_000);
      w.meta.remove('events_expired');
      w.meta.remove('events');
    });
    expect(store.write((w) => w.events.beginNext())).toBe(true);
    const reported = eventsOf(store);
    expect(reported.map(({ type }) => type).sort()).toEqual([
      'payment.confirmed',
      'payment.mined',
      'transfer.relayed',
    ]);
    expect(store.write((w) => w.events.beginNext())).toBe(true);
    expect(eventsOf(store)).toEqual(reported);
    store.close();
  });

  it('is reported once although the process ends between two parts', async () => {
    const store = await WalletStore.openInParts(path, KEY);
    const whole = eventsOf(store).length;
    store.write((w) => {
      w.events.expire(Infinity, 1_000_000);
      w.meta.remove('events_expired');
      w.meta.remove('events');
    });
    expect(store.write((w) => w.events.beginNext())).toBe(false);
    const part = eventsOf(store);
    expect(part.length).toBeGreaterThan(0);
    expect(part.length).toBeLessThan(whole);
    store.close();
    const again = await WalletStore.openInParts(path, KEY);
    check(again);
    expect(eventsOf(again).slice(0, part.length)).toEqual(part);
    again.close();
    const last = await WalletStore.openInParts(path, KEY);
    check(last);
    last.close();
  });
});
