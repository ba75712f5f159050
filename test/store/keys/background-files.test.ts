import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { accountKeysOf } from '../../../src/monero/cryptonote/account-keys.js';
import { backgroundKeyOf, passwordKey } from '../../../src/monero/crypto/kdf.js';
import type { SecretKey } from '../../../src/monero/crypto/types.js';
import {
  assertFreeForBackground,
  backgroundFilesExist,
  readStoreKey,
  removeBackgroundFiles,
  writeBackgroundFiles,
} from '../../../src/store/keys/background-files.js';
import {
  backgroundKeyIn,
  backgroundSyncOf,
  readKeysFile,
  sealKeysFile,
  withBackgroundSync,
  writeKeysFile,
  type KeysFile,
} from '../../../src/store/keys/keys-file.js';
import { toHex } from '../../../src/util/bytes.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';

const rng = seededRng('background files');
const scalar = (byte: number): SecretKey => Uint8Array.of(byte, ...new Uint8Array(31)) as SecretKey;
const STORE_KEY = rng(32);
const KEY = rng(32);

const spendSecret = scalar(7);
const { spendPublicKey, viewPublicKey, viewSecret } = accountKeysOf(spendSecret);

const blind: KeysFile = {
  spendPublicKey,
  viewPublicKey,
  viewSecret,
  watchOnly: false,
  seedLanguage: 'English',
  network: 'mainnet',
  refreshHeight: 5,
  creationTimestamp: 1_700_000_000,
  other: {},
};

const wallet: KeysFile = { ...blind, spendSecret };

let directory: string;
let store: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'background-'));
  store = join(directory, 'wallet');
});

afterEach(() => rmSync(directory, { recursive: true }));

const write = (): Promise<void> =>
  writeBackgroundFiles(store, { keysFile: blind, backgroundKey: KEY, storeKey: STORE_KEY }, rng);

describe('the background files', () => {
  it('contain the key of the store for the holder of their key', async () => {
    await write();
    expect(await backgroundFilesExist(store, KEY)).toBe(true);
    expect(await readStoreKey(store, KEY)).toEqual(STORE_KEY);
  });

  it('open with no other key', async () => {
    await write();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 32, maxLength: 32 }), async (other) => {
        expect(await backgroundFilesExist(store, other)).toBe(false);
        await expect(readStoreKey(store, other)).rejects.toMatchObject({ fault: { kind: 'wallet_corrupt' } });
      }),
      { numRuns: 20 },
    );
  });

  test.each([0, 10, 64, 65, 66, 500])('do not exist if the first has %i other bytes', async (length) => {
    await write();
    writeFileSync(`${store}.background`, rng(length));
    expect(await backgroundFilesExist(store, KEY)).toBe(false);
    await expect(readStoreKey(store, KEY)).rejects.toMatchObject({ fault: { kind: 'wallet_corrupt' } });
  });

  it('contain neither the spend key nor the unencrypted key of the store', async () => {
    await write();
    for (const end of ['background', 'background.keys']) {
      const text = readFileSync(`${store}.${end}`).toString('hex');
      for (const secret of [STORE_KEY, spendSecret]) expect(text).not.toContain(toHex(secret));
    }
  });

  it('can be removed', async () => {
    await write();
    await removeBackgroundFiles(store);
    expect(await backgroundFilesExist(store, KEY)).toBe(false);
    await expect(readStoreKey(store, KEY)).rejects.toMatchObject({ fault: { kind: 'wallet_corrupt' } });
    await removeBackgroundFiles(store);
  });

  it('may replace earlier background files only', async () => {
    assertFreeForBackground(store);
    await write();
    assertFreeForBackground(store);
    writeFileSync(`${store}.background`, rng(4096));
    expect(() => assertFreeForBackground(store)).toThrow('wallet_exists');
    rmSync(`${store}.background`);
    expect(() => assertFreeForBackground(store)).toThrow('wallet_exists');
  });
});

describe('a keys file', () => {
  it('stores the type of background sync and its key', async () => {
    expect(backgroundSyncOf(wallet)).toBe('off');
    const custom = withBackgroundSync(wallet, 'custom-background-password', KEY);
    const read = await readKeysFile(await writeKeysFile(custom, 'pw', 1, rng), 'pw', 1, 'wallet');
    expect(backgroundSyncOf(read)).toBe('custom-background-password');
    expect(backgroundKeyIn(read)).toEqual(KEY);
    const off = withBackgroundSync(read, 'off');
    expect(backgroundSyncOf(off)).toBe('off');
    expect(backgroundKeyIn(off)).toBeUndefined();
  });

  test.each([
    ['shorter', 'k'.repeat(31)],
    ['longer', 'k'.repeat(33)],
    ['no text', 5n],
  ])('has no background key if its field is %s', (_, custom_background_key) => {
    expect(backgroundKeyIn({ other: { custom_background_key } })).toBeUndefined();
  });

  test.each([3n, -1n, 1n << 40n, 'off'])(
    'with the type %s has no background sync',
    (background_sync_type) => {
      expect(backgroundSyncOf({ other: { background_sync_type } })).toBe('off');
    },
  );

  it('of a background wallet opens with its password alone, and has no spend key', async () => {
    const key = backgroundKeyOf(await passwordKey('background', 1));
    const bytes = await sealKeysFile(blind, key, rng);
    const read = await readKeysFile(bytes, 'background', 1, 'wallet');
    expect(read.backgroundKey).toEqual(key);
    expect(read.spendSecret).toBeUndefined();
    expect(read.watchOnly).toBe(false);
    expect(read.viewSecret).toEqual(wallet.viewSecret);
    await expect(readKeysFile(bytes, 'pw', 1, 'wallet')).rejects.toMatchObject({
      fault: { kind: 'wrong_password' },
    });
  });
});
