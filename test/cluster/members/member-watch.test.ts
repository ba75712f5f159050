import { beforeEach, describe, expect, test } from '@jest/globals';
import { MemberWatch, type Watched } from '../../../src/cluster/members/member-watch.js';

const LEASE_MS = 1000;

let now: number;
let watch: MemberWatch;

beforeEach(() => {
  now = 500;
  watch = new MemberWatch(() => now);
});

/** Reads the row of a member after a time. */
function after(ms: number, beat: string, process: string | null = 'p'): Watched {
  now += ms;
  return watch.note('http://a', { process, beat, lease_ms: LEASE_MS });
}

describe('a member', () => {
  test('has ended once its beat was the same for the time of its lease and a twentieth more', () => {
    expect(after(0, '1 7')).toEqual({ beat: '1 7', remainingMs: LEASE_MS, moves: 0 });
    expect(after(49, '1 7').remainingMs).toBe(LEASE_MS);
    expect(after(1000, '1 7').remainingMs).toBe(1);
    expect(after(1, '1 7')).toEqual({ beat: '1 7', remainingMs: 0, moves: 0 });
    expect(after(5000, '1 7').remainingMs).toBe(0);
  });

  test('lives on with each other beat, also one that it had before', () => {
    after(0, '1 7');
    expect(after(1049, '1 8')).toMatchObject({ remainingMs: LEASE_MS, moves: 1 });
    expect(after(1049, '1 7')).toMatchObject({ remainingMs: LEASE_MS, moves: 2 });
    expect(after(5000, '2 7')).toMatchObject({ remainingMs: LEASE_MS, moves: 3 });
  });

  test('has ended without a process, and as one that is not in the table', () => {
    after(0, '1 7');
    expect(after(1, '1 8', null)).toEqual({ beat: '', remainingMs: 0, moves: 0 });
    expect(watch.note('http://b', {})).toEqual({ beat: '', remainingMs: 0, moves: 0 });
  });

  test('is seen for the first time again after it was forgotten', () => {
    after(0, '1 7');
    watch.keep(['http://a', 'http://b']);
    expect(after(2000, '1 7').remainingMs).toBe(0);
    watch.keep(['http://b']);
    expect(after(0, '1 7')).toMatchObject({ remainingMs: LEASE_MS, moves: 0 });
  });
});
