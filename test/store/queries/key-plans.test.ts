import { afterAll, expect, it, test } from '@jest/globals';
import type { Hash, KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import { openDatabase, type Db } from '../../../src/store/file/database.js';
import { NEW_CIPHER } from '../../../src/store/file/store-cipher.js';
import { SpendableOutputReader } from '../../../src/store/queries/spendable-outputs.js';
import { WatchReader } from '../../../src/store/queries/watched-outputs.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { ImportedKeyImageReader } from '../../../src/store/tables/imported-key-images.js';
import { OutputWriter } from '../../../src/store/tables/output-writer.js';
import { PoolReader } from '../../../src/store/tables/pool.js';
import { amount } from '../../../src/util/amount.js';
import { bytes, output, page, received } from '../fixtures.js';

const db = openDatabase(':memory:', { key: new Uint8Array(32), cipher: NEW_CIPHER });
afterAll(() => {
  db.close();
});

const statements: string[] = [];
const listening = { prepare: (sql: string) => (statements.push(sql), db.prepare(sql)) } as unknown as Db;
const writer = new OutputWriter(listening);
new WatchReader(listening);
new SpendableOutputReader(listening);
new PoolReader(listening);
// Prepared by the call.
writer.setKeyImage(bytes<PublicKey>(1), bytes<KeyImage>(1));
writer.reserveByKeyImages([bytes<KeyImage>(1)], bytes<Hash>(1), { seen: true });
writer.someWithoutKeyImage(1);

const byKey = [...new Set(statements.filter((sql) => sql.includes('substr(')))];

it('has statements that find outputs by key', () => {
  expect(byKey.length).toBeGreaterThanOrEqual(12);
});

test.each(byKey)('finds outputs by the index of the first bytes of a key: %s', (sql) => {
  const names = [...sql.matchAll(/:(\w+)/g)].map(([, name = '']): [string, null] => [name, null]);
  const places = (sql.match(/\?/g) ?? []).map(() => null);
  const plan = db
    .prepare<unknown[], { readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...(names.length > 0 ? [Object.fromEntries(names)] : places))
    .map(({ detail }) => detail);
  expect(plan).toContainEqual(
    expect.stringMatching(
      / USING (COVERING )?INDEX owned_output_(key_image|public_key) \(<expr>=\?( AND rowid>\? AND rowid<\?)?\)/,
    ),
  );
  expect(plan).not.toContainEqual(expect.stringMatching(/^SCAN (owned_output|m)\b/));
});

it('finds the spends of key images that were taken by their places, and these themselves, by indexes', () => {
  statements.length = 0;
  new ImportedKeyImageReader(listening).placedSpends();
  const plan = db
    .prepare<[], { readonly detail: string }>(`EXPLAIN QUERY PLAN ${statements.at(-1)}`)
    .all()
    .map(({ detail }) => detail);
  expect(plan).toEqual([
    'SCAN told USING INDEX told_key_image_placed',
    'SEARCH output USING INDEX owned_output_key_image (<expr>=?)',
  ]);
});

it('tells outputs apart whose keys and key images begin with the same bytes', () => {
  const alike = <T>(last: number): T => bytes<Uint8Array>(7).fill(last, 31) as T;
  const store = WalletStore.create(':memory:', new Uint8Array(32));
  try {
    const outputs = [1, 2].map((n) =>
      output(n, n, 5n, { publicKey: alike<PublicKey>(n), keyImage: alike<KeyImage>(n) }),
    );
    const [first, second] = outputs;
    store.write((w) => {
      w.applyPage(page(0, 5, { received: [received(1, 1), received(2, 2)], outputs }));
      w.outputs.markSpent({ keyImage: alike<KeyImage>(2), txHash: bytes<Hash>(99), height: 4 });
      if (first !== undefined) w.outputs.setFrozen(first, true);
    });
    store.read((r) => {
      for (const own of [first, second]) {
        expect(own && r.outputs.byPublicKey(own.publicKey)?.txHash).toEqual(own?.txHash);
        expect(own?.keyImage && r.outputs.byKeyImage(own.keyImage)?.txHash).toEqual(own?.txHash);
      }
      expect(first && r.outputs.byRef(first)).toMatchObject({ frozen: true, burnt: false });
      expect(second && r.outputs.byRef(second)).toMatchObject({
        frozen: false,
        burnt: false,
        spentHeight: 4,
      });
      expect(r.balances.ofAccount(0, true)).toBe(amount(0n));
    });
  } finally {
    store.close();
  }
});
