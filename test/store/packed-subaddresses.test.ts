import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from '@jest/globals';
import Database from 'better-sqlite3';
import { SqlDatabase, migrate } from '../../src/util/sql-database.js';
import fc from 'fast-check';
import { publicKeyOf, randomSecretKey } from '../../src/monero/crypto/derivation.js';
import { keccak } from '../../src/monero/crypto/keccak.js';
import type { PublicKey } from '../../src/monero/crypto/types.js';
import { SubaddressReader } from '../../src/store/tables/accounts.js';
import { WalletStore } from '../../src/store/wallet-store.js';
import { utf8 } from '../../src/util/bytes.js';
import {
  type SubaddressKey,
  ENTRY_BYTES,
  packKeys,
  unpackSubaddresses,
} from '../../src/monero/wallet/scan/packed-subaddresses.js';
import { SubaddressTable } from '../../src/monero/wallet/scan/subaddress-table.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { storedSubaddresses } from '../support/wallets/stored-subaddresses.js';

const MIGRATIONS = fileURLToPath(new URL('../../../migrations', import.meta.url));

const keyOf = (n: number): PublicKey => keccak(utf8(`key ${n}`)) as Uint8Array as PublicKey;

/** Keys of which all differ, with indices of several accounts. */
const someKeys = (from: number, count: number): SubaddressKey[] =>
  Array.from({ length: count }, (_, i) => ({
    index: { major: (from + i) % 7, minor: from + i },
    spendPublicKey: keyOf(from + i),
  }));

const textOf = ({ index, spendPublicKey }: SubaddressKey): string =>
  `${Buffer.from(spendPublicKey).toString('hex')} ${index.major}/${index.minor}`;

const sorted = (keys: readonly SubaddressKey[]): string[] => [...new Set(keys.map(textOf))].sort();

const newStore = (): WalletStore => WalletStore.create(':memory:', new Uint8Array(32));

test('a subaddress table is restored from its stored rows', () => {
  const rng = seededRng('packed subaddresses');
  const viewSecret = randomSecretKey(rng);
  const spendPublicKey = publicKeyOf(randomSecretKey(rng));
  const table = (): SubaddressTable =>
    new SubaddressTable(spendPublicKey, viewSecret, { major: 3, minor: 5 });
  const file = newStore();
  const again = table();
  again.load([file.read((r) => storedSubaddresses(r.subaddresses))]);
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
  again.load([file.read((r) => storedSubaddresses(r.subaddresses))]);
  expect(again.size).toBe(known.length + 1);
  for (const { index, spendPublicKey: key } of [...known, farthest]) expect(again.find(key)).toEqual(index);
  file.close();
});

describe('keys of a store', () => {
  it('are found however many are added at a time, and listed once or more', () => {
    const additions = fc.array(
      fc.tuple(
        fc.nat(1500),
        fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 490, max: 900 })),
        fc.boolean(),
      ),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(additions, (added) => {
        const file = newStore();
        const all: SubaddressKey[] = [];
        for (const [from, count, isPacked] of added) {
          const keys = someKeys(from, count);
          all.push(...keys);
          file.write((w) => (isPacked ? w.subaddresses.addPacked(packKeys(keys)) : w.subaddresses.add(keys)));
        }
        file.read((r) => {
          expect(sorted(unpackSubaddresses(storedSubaddresses(r.subaddresses)))).toEqual(sorted(all));
          for (const { index, spendPublicKey } of all)
            if (r.subaddresses.find(spendPublicKey)?.minor !== index.minor) throw new Error('a lost key');
          expect(r.subaddresses.find(keyOf(5000))).toBeUndefined();
        });
        file.close();
      }),
      { numRuns: 20 },
    );
  });

  it('have a row each beyond 20,000 packed ones, so that a lookup stays short', () => {
    const file = newStore();
    const keys = someKeys(0, 20_600);
    file.write((w) => {
      w.subaddresses.add(keys.slice(0, 19_900));
      w.subaddresses.add(keys.slice(19_900));
    });
    file.read((r) => {
      for (const n of [0, 19_899, 19_900, 20_599]) expect(r.subaddresses.find(keyOf(n))?.minor).toBe(n);
      expect(storedSubaddresses(r.subaddresses)).toHaveLength(20_600 * ENTRY_BYTES);
    });
    file.close();
  });

  it.each([
    [0, 0, 0],
    [1, 0, 1],
    [10_000, 0, 10_000],
    [20_001, 20_001, 0],
  ])('%i of an earlier version: %i keep their rows', (count, rows, packed) => {
    const early = mkdtempSync(join(tmpdir(), 'migrations-'));
    const db = new SqlDatabase(new Database(':memory:'));
    try {
      const later = '026-packed-subaddresses.sql';
      for (const name of readdirSync(MIGRATIONS).filter((file) => file < later))
        cpSync(join(MIGRATIONS, name), join(early, name));
      migrate(db, early);
      const keys = someKeys(0, count);
      const insert = 'INSERT INTO subaddress_key (spend_public_key, major, minor) VALUES (?, ?, ?)';
      for (const { index, spendPublicKey } of keys) db.run(insert, spendPublicKey, index.major, index.minor);
      migrate(db, MIGRATIONS);
      expect(db.value('SELECT count(*) FROM subaddress_key')).toBe(rows);
      expect(db.value('SELECT coalesce(sum(length(entries)), 0) / 40 FROM packed_subaddress')).toBe(packed);
      const reader = new SubaddressReader(db);
      expect(sorted(unpackSubaddresses(storedSubaddresses(reader)))).toEqual(sorted(keys));
      for (const { index, spendPublicKey } of keys.slice(0, 300))
        expect(reader.find(spendPublicKey)).toEqual(index);
    } finally {
      db.close();
      rmSync(early, { recursive: true, force: true });
    }
  });
});
