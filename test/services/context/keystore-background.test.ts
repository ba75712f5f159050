import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { backgroundKey } from '../../../src/monero/crypto/kdf.js';
import { Keystore } from '../../../src/services/context/keystore.js';
import { readStoreKey } from '../../../src/store/keys/background-files.js';
import { loadKeysFile } from '../../../src/store/keys/keys-file-disk.js';
import { storeKey } from '../../../src/store/file/store-key.js';
import type { BackgroundSyncType } from '../../../src/monero/wallet/model/background-sync-mode.js';
import { seededRng } from '../../support/seeded-rng.js';
import { faultOf, keysFileOf, namedKeys, PASSWORD } from '../../support/test-wallet.js';

const BACKGROUND_PASSWORD = 'background';

let directory: string;
let store: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keystore-'));
  store = join(directory, 'shop');
  path = `${store}.keys`;
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const keys = namedKeys('on disk');

/** Keystore of a wallet whose files are not written yet. */
const open = (type: BackgroundSyncType = 'off'): Keystore => {
  const own = namedKeys('on disk');
  return new Keystore({
    ...{ path, store, keys: own, password: PASSWORD, kdfRounds: 1, rng: seededRng('keystore') },
    keysFile: keysFileOf(own, type),
  });
};

const load = (password = PASSWORD) => loadKeysFile(path, password, 1);

describe('background files', () => {
  const opened = async (): Promise<Uint8Array> =>
    readStoreKey(store, await backgroundKey(BACKGROUND_PASSWORD, 1));

  it('hold the keys without the spend key, and open the store, under a password of their own', async () => {
    const keystore = open();
    await keystore.setBackgroundSync('custom-background-password', BACKGROUND_PASSWORD);
    expect(keystore.backgroundSync).toBe('custom-background-password');
    const file = await loadKeysFile(`${store}.background.keys`, BACKGROUND_PASSWORD, 1);
    expect(file.spendSecret).toBeUndefined();
    expect(file).toMatchObject({ viewSecret: keys.viewSecret.expose(), backgroundKey: expect.anything() });
    expect(await opened()).toEqual(storeKey(keys.viewSecret.expose(), keys.spend));
    expect((await load()).spendSecret).toEqual(keys.spend);
  });

  it('are removed where the wallet needs none any more', async () => {
    const keystore = open();
    await keystore.setBackgroundSync('custom-background-password', BACKGROUND_PASSWORD);
    await keystore.setBackgroundSync('reuse-wallet-password', '');
    expect([existsSync(`${store}.background`), existsSync(`${store}.background.keys`)]).toEqual([
      false,
      false,
    ]);
    expect((await load()).other).toMatchObject({ background_sync_type: 1n });
  });

  it('that are gone are written again, and only those', async () => {
    const keystore = open();
    await keystore.restoreBackgroundFiles();
    expect(existsSync(`${store}.background`)).toBe(false);
    await keystore.setBackgroundSync('custom-background-password', BACKGROUND_PASSWORD);
    const before = readFileSync(`${store}.background`);
    await keystore.restoreBackgroundFiles();
    expect(readFileSync(`${store}.background`)).toEqual(before);
    rmSync(`${store}.background`);
    await keystore.restoreBackgroundFiles();
    expect(await opened()).toHaveLength(32);
  });

  it('do not replace a wallet of that name', async () => {
    const keystore = open();
    writeFileSync(`${store}.background.keys`, 'of another wallet');
    expect(
      await faultOf(() => keystore.setBackgroundSync('custom-background-password', BACKGROUND_PASSWORD)),
    ).toEqual({ kind: 'wallet_exists', name: 'shop.background' });
    expect([keystore.backgroundSync, existsSync(path)]).toEqual(['off', false]);
  });
});
