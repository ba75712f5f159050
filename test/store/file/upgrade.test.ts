import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openDatabase, unlockDatabase, UpgradeNeeded } from '../../../src/store/file/database.js';
import { NEW_CIPHER } from '../../../src/store/file/store-cipher.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { migrate } from '../../../src/util/sql-database.js';
import { fault } from '../../support/wallets/service-wallet.js';

const MIGRATIONS = fileURLToPath(new URL('../../../../migrations', import.meta.url));
const STEPS = readdirSync(MIGRATIONS)
  .filter((name) => /^\d{3}-.*\.sql$/.test(name))
  .sort();
const KEY = new Uint8Array(32).fill(1);
const SEALED = { key: KEY, cipher: NEW_CIPHER };
const FROM = 30;

let directory = '';
let path = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'upgrade-'));
  path = join(directory, 'w');
  for (const name of STEPS.slice(0, FROM)) copyFileSync(join(MIGRATIONS, name), join(directory, name));
  const db = unlockDatabase(path, SEALED);
  migrate(db, directory);
  db.run("INSERT INTO attribute (key, value) VALUES ('kept', 'here')");
  db.close();
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('a store that lacks migrations', () => {
  it('is upgraded by another thread, with its content', async () => {
    const store = await WalletStore.openInParts(path, KEY);
    expect(store.upgrade).toEqual({ from: FROM, to: STEPS.length });
    expect(store.read((r) => r.attributes.get('kept'))).toBe('here');
    store.close();
    const again = await WalletStore.openInParts(path, KEY);
    expect(again.upgrade).toBeUndefined();
    again.close();
  });

  it('is not changed where it must not be upgraded', () => {
    for (let opening = 0; opening < 2; opening++)
      expect(() => openDatabase(path, SEALED, { upgrades: false })).toThrow(UpgradeNeeded);
    const store = WalletStore.open(path, KEY);
    expect(store.upgrade).toEqual({ from: FROM, to: STEPS.length });
    store.close();
    expect(() => openDatabase(path, SEALED, { upgrades: false }).close()).not.toThrow();
  });

  it('keeps the pages of its upgrade in the log if it is replicated, and moves them away otherwise', async () => {
    const copy = join(directory, 'copy');
    copyFileSync(path, copy);
    const [kept, moved] = [
      await WalletStore.openInParts(path, KEY, undefined, undefined, { isReplicated: true }),
      await WalletStore.openInParts(copy, KEY),
    ];
    expect(kept.fileSizes().log).toBeGreaterThan(10 * 4096);
    expect(moved.fileSizes().main).toBeGreaterThan(kept.fileSizes().main);
    for (const store of [kept, moved]) store.close();
  });

  it('is refused as on this thread if it is damaged', async () => {
    writeFileSync(path, new Uint8Array(8192).fill(7));
    await expect(WalletStore.openInParts(path, KEY)).rejects.toMatchObject(
      fault({ kind: 'wallet_corrupt', name: 'w' }),
    );
  });
});
