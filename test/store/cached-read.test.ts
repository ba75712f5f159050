import { expect, it } from '@jest/globals';
import { CachedRead } from '../../src/store/cached-read.js';
import type { WalletReader } from '../../src/store/wallet-reader.js';

it('a value is read once for each version of the store', () => {
  let reads = 0;
  const store = {
    version: 1,
    read: <T>(task: (r: WalletReader) => T): T => task({} as WalletReader),
  };
  const cached = new CachedRead(store, () => ++reads);
  expect([cached.value, cached.value]).toEqual([1, 1]);
  store.version = 2;
  expect([cached.value, cached.value]).toEqual([2, 2]);
});

it('a read that fails is repeated', () => {
  const answers = [new Error('disk'), 7];
  const store = { version: 1, read: <T>(task: (r: WalletReader) => T): T => task({} as WalletReader) };
  const cached = new CachedRead(store, () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  });
  expect(() => cached.value).toThrow('disk');
  expect(cached.value).toBe(7);
});
