import { describe, expect, it, test } from '@jest/globals';
import { slowHash } from '../../src/crypto/slow-hash.js';
import { slowHashAsync } from '../../src/crypto/slow-hash-worker.js';
import { toHex, utf8 } from '../../src/util/bytes.js';
import { digests } from './vectors.js';

describe('slowHash', () => {
  test.each(digests('slow'))('digests $title', ({ digest, data }) => {
    expect(toHex(slowHash(data))).toBe(digest);
  });
  it('leaves its input as it was', () => {
    const data = utf8('de omnibus dubitandum');
    slowHash(data);
    expect(data).toEqual(utf8('de omnibus dubitandum'));
  });
  it('takes input longer than one block of the sponge, and none at all', () => {
    const long = new Uint8Array(300).fill(7);
    expect(toHex(slowHash(long))).not.toBe(toHex(slowHash(long.subarray(1))));
    expect(slowHash(new Uint8Array())).toHaveLength(32);
  });
});

describe('slowHashAsync', () => {
  test.each(digests('slow'))('digests $title on a thread', async ({ digest, data }) => {
    const kept = Uint8Array.from(data);
    expect(toHex(await slowHashAsync(data))).toBe(digest);
    expect(data).toEqual(kept);
  });
  it('hashes the digest again for each further round', async () => {
    const data = utf8('rounds');
    expect(toHex(await slowHashAsync(data, 3))).toBe(toHex(slowHash(slowHash(slowHash(data)))));
  });
  it('does not block its caller, and answers many at once', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 5);
    const inputs = Array.from({ length: 6 }, (_, i) => Uint8Array.of(i));
    const answers = await Promise.all(inputs.map((input) => slowHashAsync(input)));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
    expect(new Set(answers.map(toHex)).size).toBe(inputs.length);
  });
  it.each([0, -1, 1.5, Number.NaN, 2 ** 53])('refuses %p rounds', async (rounds) => {
    await expect(slowHashAsync(new Uint8Array(), rounds)).rejects.toThrow(RangeError);
  });
});
