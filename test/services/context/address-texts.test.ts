import { describe, expect, it } from '@jest/globals';
import { AddressTexts } from '../../../src/services/context/address-cache.js';

const textOf = (major: number, minor: number): string => `${major}x${minor}x`.padEnd(95, '8');

describe('kept texts of addresses', () => {
  it('are all kept, however many there are below the limit', () => {
    const texts = new AddressTexts(160 << 20);
    for (let minor = 0; minor < 300_000; minor++) texts.set({ major: 0, minor }, textOf(0, minor));
    expect(texts.count).toBe(300_000);
    for (const minor of [0, 1, 255, 256, 249_999, 250_000, 299_999])
      expect(texts.get({ major: 0, minor })).toBe(textOf(0, minor));
    expect(texts.get({ major: 0, minor: 300_001 })).toBeUndefined();
    expect(texts.get({ major: 1, minor: 0 })).toBeUndefined();
  });

  it('are those of their own account and index, in any order', () => {
    const texts = new AddressTexts(1 << 20);
    const indices = [
      [7, 255],
      [7, 0],
      [2 ** 32 - 1, 2 ** 32 - 1],
      [0, 300],
      [7, 12],
      [3, 0],
    ] as const;
    for (const [major, minor] of indices) texts.set({ major, minor }, textOf(major, minor));
    for (const [major, minor] of indices) expect(texts.get({ major, minor })).toBe(textOf(major, minor));
    expect(texts.get({ major: 7, minor: 13 })).toBeUndefined();
  });

  it('give way at the limit, the oldest first', () => {
    const texts = new AddressTexts(100 * 95);
    for (let major = 0; major < 150; major++) texts.set({ major, minor: 0 }, textOf(major, 0));
    expect(texts.get({ major: 49, minor: 0 })).toBeUndefined();
    for (const major of [50, 149]) expect(texts.get({ major, minor: 0 })).toBe(textOf(major, 0));
  });
});
