import { afterAll, expect, it, test } from '@jest/globals';
import type { Hash, KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import { openDatabase } from '../../../src/store/file/database.js';
import { NEW_CIPHER } from '../../../src/store/file/store-cipher.js';
import { SpendableOutputReader } from '../../../src/store/tables/spendable-outputs.js';
import { WatchReader } from '../../../src/store/tables/watched-outputs.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { ImportedKeyImageReader } from '../../../src/store/tables/imported-key-images.js';
import { OutputWriter } from '../../../src/store/tables/output-writer.js';
import { PoolReader } from '../../../src/store/tables/pool.js';
import { executedSql, planOf } from '../../support/wallets/executed-sql.js';
import { amount } from '../../../src/util/amount.js';
import { bytes, output, page, received } from '../fixtures.js';

const db = openDatabase(':memory:', { key: new Uint8Array(32), cipher: NEW_CIPHER });
afterAll(() => {
  db.close();
});

const statements = executedSql((listening) => ({
  ...{ writer: new OutputWriter(listening), watch: new WatchReader(listening) },
  ...{ spendable: new SpendableOutputReader(listening), pool: new PoolReader(listening) },
}));
const byKey = [...new Set(statements.filter((sql) => sql.includes('substr(')))];

it('has statements that find outputs by key', () => {
  expect(byKey.length).toBeGreaterThanOrEqual(12);
});

test.each(byKey)('finds outputs by the index of the first bytes of a key: %s', (sql) => {
  const plan = planOf(db, sql);
  expect(plan).toContainEqual(
    expect.stringMatching(
      / USING (COVERING )?INDEX owned_output_(key_image|public_key) \(<expr>=\?( AND rowid>\? AND rowid<\?)?\)/,
    ),
  );
  expect(plan).not.toContainEqual(expect.stringMatching(/^SCAN (owned_output|m)\b/));
});

it('finds the spends of key images that were taken by their places, and these themselves, by indexes', () => {
  const [sql = ''] = executedSql((listening) => new ImportedKeyImageReader(listening)).filter((text) =>
    text.includes('told.placed'),
  );
  const plan = planOf(db, sql);
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
