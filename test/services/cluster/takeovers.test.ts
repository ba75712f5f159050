import { beforeEach, describe, expect, test } from '@jest/globals';
import { FailedTakeovers, assign, giverFor, takersOf } from '../../../src/services/cluster/takeovers.js';
import * as fc from 'fast-check';
import type { Member } from '../../../src/cluster/cluster.js';

let failures: FailedTakeovers;
beforeEach(() => {
  failures = new FailedTakeovers();
});

describe('a wallet that could not be opened', () => {
  test('is tried again after a pause that doubles up to 64 looks', () => {
    let look = 1;
    const pauses: number[] = [];
    for (let failure = 0; failure < 5; failure++) {
      failures.add('shop', 'wallet_io', look);
      const failed = look;
      while (!failures.isDue('shop', look)) look += 1;
      pauses.push(look - failed);
    }
    expect(pauses).toEqual([8, 16, 32, 64, 64]);
  });

  test('is reported once for each reason', () => {
    const reasons = ['wallet_io', 'wallet_io', 'wrong_password', 'wallet_io'];
    expect(reasons.map((reason) => failures.add('shop', reason, 1))).toEqual([true, false, true, true]);
    expect(failures.reasonOf('shop')).toBe('wallet_io');
  });

  test('is forgotten once it was opened', () => {
    failures.add('shop', 'wallet_io', 1);
    failures.delete('shop');
    expect(failures.reasonOf('shop')).toBeUndefined();
    expect(failures.isDue('shop', 1)).toBe(true);
    failures.add('shop', 'wallet_io', 1);
    expect(failures.isDue('shop', 9)).toBe(true);
  });

  test('holds up no other one', () => {
    failures.add('shop', 'wallet_io', 1);
    expect(failures.isDue('till', 1)).toBe(true);
  });
});

const member = (url: string, wallets: number, more: Partial<Member> = {}): Member => ({
  ...{ url, wallets, capacity: 100, isAlive: true, remainingMs: 4000, isSelf: false },
  ...more,
});

describe('takersOf', () => {
  test('lists living members with room, by load, then by address', () => {
    const members = [
      member('c', 1),
      member('b', 1),
      member('full', 100),
      member('dead', 0, { isAlive: false }),
      member('small', 1, { capacity: 2 }),
      member('a', 0),
    ];
    expect(takersOf(members).map(({ url }) => url)).toEqual(['a', 'b', 'c', 'small']);
  });
});

describe('assign', () => {
  test('gives each wallet to the member that is least loaded then', () => {
    const assigned = assign(['w1', 'w2', 'w3', 'w4'], [member('a', 2), member('b', 0)]);
    expect(Object.fromEntries(assigned)).toEqual({ w1: 'b', w2: 'b', w3: 'a', w4: 'b' });
  });

  test('leaves out wallets for which no member has room', () => {
    expect(assign(['w1', 'w2'], [member('a', 99)]).size).toBe(1);
    expect(assign(['w1'], []).size).toBe(0);
  });
});

describe('giverFor', () => {
  test('is the most loaded member, as long as it stays at least as loaded as this process', () => {
    const self = member('me', 0, { isSelf: true });
    expect(giverFor([self, member('a', 2), member('b', 5)])?.url).toBe('b');
    expect(giverFor([self, member('a', 2), member('b', 2)])?.url).toBe('a');
    expect(giverFor([self, member('a', 1)])).toBeUndefined();
    expect(giverFor([self, member('a', 9, { isAlive: false })])).toBeUndefined();
    expect(giverFor([member('me', 5, { isSelf: true, capacity: 5 }), member('a', 90)])).toBeUndefined();
    expect(giverFor([member('a', 90)])).toBeUndefined();
  });

  test('ends: members that ask in turn spread the wallets evenly, and then ask no more', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(60), { minLength: 2, maxLength: 5 }), (counts) => {
        let members = counts.map((wallets, i) => member(`m${i}`, wallets));
        const total = counts.reduce((sum, count) => sum + count, 0);
        const ask = (self: number): boolean => {
          const giver = giverFor(members.map((each, i) => ({ ...each, isSelf: i === self })));
          if (giver === undefined) return false;
          members = members.map((each, i) => ({
            ...each,
            wallets: each.wallets + (i === self ? 1 : 0) - (each.url === giver.url ? 1 : 0),
          }));
          return true;
        };
        for (let rounds = 0; rounds <= total; rounds++)
          if (!members.map((_, i) => ask(i)).some(Boolean)) break;
        const loads = members.map(({ wallets }) => wallets);
        expect(loads.reduce((sum, count) => sum + count, 0)).toBe(total);
        expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
