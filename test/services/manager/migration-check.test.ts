import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { WalletDirectory, type WalletPaths } from '../../../src/services/context/wallet-directory.js';
import { checkMigration, type MigrationCheck } from '../../../src/services/manager/migration-check.js';
import { importReferenceCache } from '../../../src/services/manager/reference-import.js';
import { storeKey } from '../../../src/store/file/store-cipher.js';
import { writeKeysFile } from '../../../src/store/keys/keys-file.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import type { WalletWriter } from '../../../src/store/wallet-writer.js';
import { systemRng } from '../../../src/util/random.js';
import { page } from '../../store/fixtures.js';
import {
  fullCache,
  keysFile,
  owner,
  spendSecret,
  vector,
} from '../../monero/wallet/reference-cache/vector.js';

const { password, kdfRounds } = vector;
const KEY = storeKey(owner.viewSecret, spendSecret);

let directory: string;
let paths: WalletPaths;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'check-'));
  paths = new WalletDirectory(directory).locate('w');
  writeFileSync(paths.keys, await writeKeysFile(keysFile, password, kdfRounds, systemRng));
  writeFileSync(paths.store, fullCache);
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const migrate = (): Promise<void> =>
  importReferenceCache({
    ...{ path: paths.store, keysFile, password, kdfRounds, storeKey: KEY },
    store: { restoreHeight: 0, createdAt: 5, spendPublicKey: keysFile.spendPublicKey },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });

/** Names, contents and times of all files. */
const files = (): unknown[] =>
  readdirSync(directory)
    .sort()
    .map((name) => {
      const path = join(directory, name);
      return [name, readFileSync(path).toString('hex'), statSync(path).mtimeMs];
    });

/** Checks the wallet; no file may change. */
async function check(access = { password, kdfRounds }): Promise<MigrationCheck> {
  const before = files();
  try {
    return await checkMigration(paths, access);
  } finally {
    expect(files()).toEqual(before);
  }
}

function change(task: (w: WalletWriter) => void): void {
  const store = WalletStore.open(paths.store, KEY);
  store.write(task);
  store.close();
}

const reason = async (): Promise<unknown> => {
  try {
    return await check();
  } catch (error) {
    return (error as { fault: unknown }).fault;
  }
};

describe('the check of a wallet that is not migrated', () => {
  it('reads its cache, and changes nothing', async () => {
    expect(await check()).toMatchObject({
      state: 'not migrated',
      cache: { accounts: 2, addresses: 4, addressBook: 3 },
    });
  });

  test.each<[string, () => void, RegExp]>([
    ['is truncated', () => truncateSync(paths.store, 500), /cannot be read|cannot be decrypted/],
    ['is none', () => writeFileSync(paths.store, 'no cache'), /cannot be read|cannot be decrypted/],
  ])('says that a cache %s', async (_, damage, expected) => {
    damage();
    expect(await reason()).toMatchObject({ kind: 'wallet_corrupt', reason: expect.stringMatching(expected) });
  });

  it('says that the password is wrong', async () => {
    await expect(check({ password: 'another', kdfRounds })).rejects.toMatchObject({
      fault: { kind: 'wrong_password' },
    });
  });
});

describe('the check of a migrated wallet', () => {
  it('asks for a scan before it compares', async () => {
    await migrate();
    const found = await check();
    expect(found).toMatchObject({ state: 'migrated', differences: [{ subject: 'height', here: 1 }] });
  });

  it('compares what is in the store with the cache, and names what differs', async () => {
    await migrate();
    const { cache } = (await check()) as Extract<MigrationCheck, { state: 'migrated' }>;
    change((w) => w.applyPage(page(0, cache.height)));
    const found = (await check()) as Extract<MigrationCheck, { state: 'migrated' }>;
    // No block of this chain contains the outputs and payments of the cache; everything else was imported.
    const subjects = found.differences.map(({ subject }) => subject);
    expect(subjects).toEqual(
      ['balance', 'outputs', 'payments'].filter(
        (subject) => cache[subject as 'balance' | 'outputs' | 'payments'] > 0,
      ),
    );
    expect(found.differences.every(({ here }) => Number(here) === 0)).toBe(true);
  });

  it('reads the log of a store that is open', async () => {
    await migrate();
    const { cache } = (await check()) as Extract<MigrationCheck, { state: 'migrated' }>;
    const open = WalletStore.open(paths.store, KEY);
    open.write((w) => w.applyPage(page(0, cache.height)));
    const found = await checkMigration(paths, { password, kdfRounds });
    expect(found).toMatchObject({ state: 'migrated' });
    expect(
      JSON.stringify(found, (_, value: unknown) => (typeof value === 'bigint' ? 0 : value)),
    ).not.toContain('"subject":"height"');
    open.close();
  });

  it('takes the cache that was renamed last', async () => {
    await migrate();
    copyFileSync(`${paths.store}.reference-cache`, `${paths.store}.reference-cache.1`);
    writeFileSync(`${paths.store}.reference-cache`, 'an older one');
    expect(await check()).toMatchObject({ state: 'migrated' });
    renameSync(`${paths.store}.reference-cache`, `${paths.store}.reference-cache.1`);
    expect(await check()).toEqual({ state: 'no cache' });
  });
});
