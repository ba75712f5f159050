import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash } from '../../../src/monero/crypto/types.js';
import type { EventSubject } from '../../../src/store/tables/events.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { amount } from '../../../src/util/amount.js';
import { movePayout, newPayout } from '../../support/wallets/payouts.js';
import { bytes, output, page, received } from '../fixtures.js';

const [FIRST, SECOND] = [output(1, 3, 50n), output(2, 4, 60n)];

let store: WalletStore;

beforeEach(() => {
  store = WalletStore.create(':memory:', new Uint8Array(32), (w) => w.accounts.create());
  store.addPage(page(0, 5, { received: [received(1, 3), received(2, 4)], outputs: [FIRST, SECOND] }));
});
afterEach(() => store.close());

const ALL = { below: Number.MAX_SAFE_INTEGER, above: 0 };

/** Ids of the events about a subject, and the id at which the search goes on. */
const about = (
  subject: EventSubject,
  range = ALL,
  span = 1000,
): { ids: number[]; next: number | undefined } => {
  const { events, next } = store.read((r) => r.events.about(subject, range, span));
  return { ids: events.map(({ id }) => id), next };
};

const all = (): number[] => store.read((r) => r.events.after(0, 1000).map(({ id }) => id));

describe('the events about a subject', () => {
  it('are those of its transactions, the newest first', () => {
    const { ids } = about({ hashes: [FIRST.txHash] });
    const events = store.read((r) => r.events.after(0, 1000));
    const own = events.filter(({ data }) => 'txHash' in data && data.txHash?.[0] === FIRST.txHash[0]);
    expect(own.length).toBeGreaterThan(0);
    expect(ids).toEqual(own.map(({ id }) => id).reverse());
    expect(about({ hashes: [bytes<Hash>(9)] }).ids).toEqual([]);
    expect(about({}).ids).toEqual([]);
  });

  it('are those of its address', () => {
    const { ids } = about({ subaddress: FIRST.subaddress });
    expect(ids).toEqual(expect.arrayContaining(about({ hashes: [FIRST.txHash] }).ids));
    expect(about({ subaddress: { major: 7, minor: 7 } }).ids).toEqual([]);
  });

  it('are those of its payout, and of no other', () => {
    const [a, b] = store.write((w) => [
      w.payouts.at(w.payouts.add(newPayout('a'))),
      w.payouts.at(w.payouts.add(newPayout('b'))),
    ]);
    store.write((w) => {
      for (const { sequence } of [a, b, a]) movePayout(w, w.payouts.at(sequence), 'cancelled');
    });
    expect(about({ payout: a.sequence }).ids).toHaveLength(2);
    expect(about({ payout: b.sequence }).ids).toHaveLength(1);
  });

  it('are found in parts, which together are the whole', () => {
    const subject = { hashes: [FIRST.txHash, SECOND.txHash] };
    const whole = about(subject).ids;
    const parts: number[] = [];
    for (let below: number | undefined = ALL.below; below !== undefined;) {
      const part = about(subject, { ...ALL, below }, 2);
      parts.push(...part.ids);
      below = part.next;
    }
    expect(parts).toEqual(whole);
    expect(about(subject, { ...ALL, above: all().at(-1) ?? 0 })).toEqual({ ids: [], next: undefined });
  });
});

describe('the payments to an address', () => {
  const pay = (n: number, ...addresses: string[]): void =>
    store.write((w) =>
      w.outgoing.insert({
        ...{ txHash: bytes<Hash>(n), state: 'pending', account: 0, fromIndices: [0], unlockTime: 0n },
        ...{ amountIn: amount(9n), fee: amount(1n), change: amount(0n), timestamp: n },
        destinations: addresses.map((address) => ({ address, amount: amount(1n) })),
      }),
    );

  it('are found in parts, each once, and the oldest that waits first', () => {
    pay(30, 'x', 'y', 'x');
    pay(20, 'y');
    pay(40, 'x');
    const found: number[] = [];
    for (let after: Uint8Array | undefined = new Uint8Array(); after !== undefined;) {
      const from: Uint8Array = after;
      const part: { readonly hashes: readonly Hash[]; readonly next?: Hash } = store.read((r) =>
        r.outgoingSearch.paidTo('x', from, 4),
      );
      found.push(...part.hashes.map(([first = 0]) => first));
      after = part.next;
    }
    expect(found).toEqual([30, 40]);
    expect(store.read((r) => r.outgoingSearch.oldestPending(2)).map(({ timestamp }) => timestamp)).toEqual([
      20, 30,
    ]);
  });
});
