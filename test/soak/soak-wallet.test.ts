import { expect, it } from '@jest/globals';
import { readSteady } from './soak-wallet.js';

it('reads the money of a wallet again whose events have changed meanwhile', async () => {
  // A payment fails between the first read of the wallet and that of its events, and another one after the next read.
  const versions = [5, 6, 7, 7];
  let reads = 0;
  const money = await readSteady(
    () => Promise.resolve(++reads),
    () => Promise.resolve(versions.shift() ?? 0),
  );
  expect([money, versions]).toEqual([3, []]);
});
