import { expect, test } from '@jest/globals';
import { publicKeyOf, randomSecretKey } from '../../src/crypto/derivation.js';
import { WalletStore } from '../../src/store/wallet-store.js';
import { ENTRY_BYTES, unpackSubaddresses } from '../../src/wallet/scan/packed-subaddresses.js';
import { SubaddressTable } from '../../src/wallet/scan/subaddress-table.js';
import { seededRng } from '../support/seeded-rng.js';

test('a subaddress table is restored from its stored rows', () => {
  const rng = seededRng('packed subaddresses');
  const viewSecret = randomSecretKey(rng);
  const spendPublicKey = publicKeyOf(randomSecretKey(rng));
  const table = (): SubaddressTable =>
    new SubaddressTable(spendPublicKey, viewSecret, { major: 3, minor: 5 });
  const file = WalletStore.create(':memory:', new Uint8Array(32));
  const again = table();
  again.load(file.read((r) => r.subaddresses.packed()));
  expect(again.size).toBe(0);

  const packed = table().expandTo({ major: 1, minor: 4 });
  const known = unpackSubaddresses(packed);
  expect(known.map(({ index: { major, minor } }) => `${major}/${minor}`)).toEqual(
    [...Array(4).keys()].flatMap((major) =>
      [...Array(major === 1 ? 9 : 5).keys()].map((minor) => `${major}/${minor}`),
    ),
  );
  const farthest = {
    index: { major: 9, minor: 2 ** 32 - 1 },
    spendPublicKey: publicKeyOf(randomSecretKey(rng)),
  };
  file.write((w) => {
    w.subaddresses.addPacked(packed);
    w.subaddresses.add([farthest]);
    // Known ones are left alone.
    w.subaddresses.addPacked(packed.slice(0, 2 * ENTRY_BYTES));
  });
  again.load(file.read((r) => r.subaddresses.packed()));
  expect(again.size).toBe(known.length + 1);
  for (const { index, spendPublicKey: key } of [...known, farthest]) expect(again.find(key)).toEqual(index);
  file.close();
});
