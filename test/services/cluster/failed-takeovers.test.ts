import { beforeEach, describe, expect, test } from '@jest/globals';
import { FailedTakeovers } from '../../../src/services/cluster/takeovers.js';

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
