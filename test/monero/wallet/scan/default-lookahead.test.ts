import { expect, test } from '@jest/globals';
import { publicKeyOf, randomSecretKey } from '../../../../src/monero/crypto/derivation.js';
import { SubaddressTable } from '../../../../src/monero/wallet/scan/subaddress-table.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';

test('a new wallet recognises payments to 50 accounts of 200 addresses, as the reference does', () => {
  const rng = seededRng('default lookahead');
  const ranges: string[] = [];
  const table = new SubaddressTable(
    publicKeyOf(randomSecretKey(rng)),
    randomSecretKey(rng),
    undefined,
    (_spendKey, _viewSecret, major, from, to) => {
      ranges.push(`${major}/${from}-${to}`);
      return rng(32 * (to - from));
    },
  );
  table.expandTo({ major: 0, minor: 0 });
  expect(ranges).toEqual(Array.from({ length: 50 }, (_, major) => `${major}/0-200`));
  expect(table.size).toBe(50 * 200);
});
