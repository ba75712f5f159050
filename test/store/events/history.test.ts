import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WalletStore } from '../../../src/store/wallet-store.js';
import type { WalletEvent } from '../../../src/model/events.js';
import { EventWorld, type WorldTx } from '../../support/wallets/event-world.js';

const KEY = new Uint8Array(32).fill(9);
const ARRIVAL = 20;
const pay = { value: 7n, subaddress: { major: 0, minor: 0 } };

let store: WalletStore;
let world: EventWorld;
beforeEach(() => {
  store = WalletStore.create(':memory:', KEY);
  world = new EventWorld();
  world.mine([]);
});
afterEach(() => store.close());

function sync(): void {
  const from = world.forkOf((height) => store.read((r) => r.chain.hashAt(height)));
  if (from < world.blocks.length) store.write((w) => w.applyPage(world.page(from, world.blocks.length)));
}

/** Mines blocks up to a height. @param txs of the first of them. */
function mineTo(tip: number, txs: readonly WorldTx[] = []): void {
  world.mine(txs);
  while (world.tip < tip) world.mine([]);
}

const setArrival = (): void => store.write((w) => w.meta.set('arrival_height', String(ARRIVAL)));
const events = (live = false): WalletEvent[] =>
  store.read((r) => r.events.after(0, 1000, undefined, { live }));
/** Types of the events of payments and transfers: history in brackets. */
const shown = (found: readonly WalletEvent[]): string[] =>
  found.map(({ type, history }) => (history === true ? `(${type})` : type));

describe('the history of a wallet', () => {
  it('is what blocks below its arrival contain, with stages that it reaches later', () => {
    setArrival();
    const [before, spent, after] = [world.makeTx([pay]), world.makeTx([pay]), world.makeTx([pay])];
    mineTo(3, [before, spent]);
    const [input] = spent.outputs;
    if (input === undefined) throw new Error('an output');
    mineTo(ARRIVAL - 1, [world.makeTx([pay], { input })]);
    sync();
    mineTo(ARRIVAL + 15, [after]);
    sync();
    const types = shown(events());
    expect(types.filter((type) => type.includes('mined'))).toEqual([
      ...['(payment.mined)', '(payment.mined)', '(transfer.mined)', 'payment.mined'],
    ]);
    const later = events().filter(({ type }) => type === 'payment.confirmed' || type === 'payment.unlocked');
    for (const { data, history } of later)
      expect(history === true).toBe('height' in data && (data.height ?? 0) < ARRIVAL);
    expect(events(true)).toEqual(events().filter(({ history }) => history === undefined));
  });

  it('is all of a wallet whose arrival is not known yet', () => {
    store.write((w) => w.meta.set('arrived_at', '1700000000'));
    mineTo(5, [world.makeTx([pay])]);
    sync();
    expect(shown(events()).filter((type) => type.endsWith('mined)'))).toEqual(['(payment.mined)']);
    expect(events(true)).toEqual([]);
  });

  it('is none of a wallet that was created here, also after a reorganisation', () => {
    mineTo(30, [world.makeTx([pay])]);
    sync();
    world.undo(3);
    mineTo(31, [world.makeTx([pay])]);
    sync();
    expect(shown(events())).toContain('wallet.reorganised');
    expect(events().some(({ history }) => history !== undefined)).toBe(false);
    expect(events(true)).toEqual(events());
  });

  it('ends where a reorganisation mines its payments again, of which every event is live', () => {
    setArrival();
    const tx = world.makeTx([pay]);
    mineTo(ARRIVAL - 3);
    mineTo(ARRIVAL + 2, [tx]);
    sync();
    expect(shown(events()).slice(0, 1)).toEqual(['(payment.mined)']);
    const last = events().at(-1)?.id ?? 0;
    world.undo(8);
    mineTo(ARRIVAL + 4, [tx]);
    sync();
    const fresh = store.read((r) => r.events.after(last, 1000, undefined, { live: true }));
    expect(fresh.map(({ type }) => type)).toEqual([
      ...['wallet.reorganised', 'payment.reversed', 'payment.mined'],
      ...['payment.confirmed', 'payment.confirmed', 'payment.unlocked'].slice(0, fresh.length - 3),
    ]);
  });

  it('stays as it is where a reorganisation replaces later blocks', () => {
    setArrival();
    mineTo(ARRIVAL - 3);
    mineTo(ARRIVAL + 2, [world.makeTx([pay])]);
    mineTo(ARRIVAL + 7, [world.makeTx([pay])]);
    sync();
    const before = events();
    world.undo(2);
    mineTo(ARRIVAL + 8);
    sync();
    expect(shown(events())).toContain('wallet.reorganised');
    expect(shown(before).filter((type) => type.includes('mined'))).toEqual([
      ...['(payment.mined)', 'payment.mined'],
    ]);
    expect(events().slice(0, before.length)).toEqual(before);
  });

  it('is left out of limited pages, also of selected types, and of no others', () => {
    setArrival();
    for (let i = 0; i < ARRIVAL - 1; i++) world.mine([world.makeTx([pay]), world.makeTx([pay])]);
    for (let i = 0; i < 3; i++) world.mine([world.makeTx([pay])]);
    sync();
    const read = (limit: number, types?: readonly WalletEvent['type'][]): number[] => {
      const ids: number[] = [];
      for (let page: WalletEvent[], after = 0; ; after = ids.at(-1) ?? after) {
        page = store.read((r) => r.events.after(after, limit, types, { live: true }));
        if (page.length === 0) return ids;
        ids.push(...page.map(({ id }) => id));
      }
    };
    const live = events().filter(({ history }) => history === undefined);
    expect(read(1)).toEqual(live.map(({ id }) => id));
    const mined = live.filter(({ type }) => type === 'payment.mined').map(({ id }) => id);
    expect([mined.length, read(2, ['payment.mined'])]).toEqual([3, mined]);
    expect(store.read((r) => r.events.latest(5, ['payment.mined'])).map(({ history }) => history)).toEqual([
      ...[undefined, undefined, undefined, true, true],
    ]);
  });
});
