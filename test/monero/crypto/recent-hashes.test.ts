import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RecentHashes } from '../../../src/monero/crypto/recent-hashes.js';
import { utf8 } from '../../../src/util/bytes.js';

const MS = 2000;
const name = (preimage: Uint8Array, rounds: number): string =>
  `${Buffer.from(preimage).toString()} ${rounds}`;

let computed: string[];
/** Digests that were handed to the object, by their preimage. */
let digests: Map<string, Uint8Array>;
let recent: RecentHashes;

beforeEach(() => {
  jest.useFakeTimers();
  computed = [];
  digests = new Map();
  recent = new RecentHashes((preimage, rounds) => {
    const key = name(preimage, rounds);
    computed.push(key);
    const digest = Uint8Array.from(utf8(key.padEnd(32)));
    digests.set(key, digest);
    return key.startsWith('bad') ? Promise.reject(new Error('no thread')) : Promise.resolve(digest);
  }, MS);
});

afterEach(() => {
  recent.clear();
  jest.useRealTimers();
});

const ask = (preimage: string, rounds = 1): Promise<Uint8Array> => recent.digest(utf8(preimage), rounds);
const text = (digest: Uint8Array): string => Buffer.from(digest).toString().trim();

describe('recent slow hashes', () => {
  it('are computed once, while they are computed and for a time after each call', async () => {
    const [first, second] = await Promise.all([ask('password'), ask('password')]);
    expect([first, second].map(text)).toEqual(['password 1', 'password 1']);
    for (let i = 0; i < 3; i++) {
      jest.advanceTimersByTime(MS - 1);
      expect(text(await ask('password'))).toBe('password 1');
    }
    expect(computed).toEqual(['password 1']);
  });

  it('are kept for the time after they were computed, however long that took', async () => {
    let finish: (() => void) | undefined;
    const computing = new Promise<void>((resolve) => (finish = resolve));
    const stretch = jest.fn(async () => {
      await computing;
      return new Uint8Array(32).fill(1);
    });
    const slow = new RecentHashes(stretch, MS);
    const first = slow.digest(utf8('password'), 1);
    jest.advanceTimersByTime(10 * MS);
    finish?.();
    await first;
    jest.advanceTimersByTime(MS - 1);
    expect(await slow.digest(utf8('password'), 1)).toEqual(new Uint8Array(32).fill(1));
    expect(stretch).toHaveBeenCalledTimes(1);
    slow.clear();
  });

  it('are computed again, and the digest is wiped, when they were not asked for during the time', async () => {
    await ask('password');
    jest.advanceTimersByTime(MS);
    await Promise.resolve();
    expect(digests.get('password 1')).toEqual(new Uint8Array(32));
    expect(text(await ask('password'))).toBe('password 1');
    expect(computed).toHaveLength(2);
  });

  it('differ by preimage and number of rounds', async () => {
    const all = await Promise.all([ask('a'), ask('a', 2), ask('b'), ask(''), ask(' 1')]);
    expect(all.map(text)).toEqual(['a 1', 'a 2', 'b 1', '1', '1 1']);
    expect(computed).toHaveLength(5);
  });

  it('are given as copies, which callers may wipe', async () => {
    (await ask('password')).fill(0);
    expect(text(await ask('password'))).toBe('password 1');
  });

  it('are given whole to callers that waited when they were cleared', async () => {
    const waiting = ask('password');
    recent.clear();
    expect(text(await waiting)).toBe('password 1');
    await Promise.resolve();
    expect(digests.get('password 1')).toEqual(new Uint8Array(32));
  });

  it('fail each caller, and are computed at the next call, when no thread computes them', async () => {
    const failed = await Promise.allSettled([ask('bad'), ask('bad')]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(ask('bad')).rejects.toThrow('no thread');
    expect(computed).toEqual(['bad 1', 'bad 1']);
  });
});
