import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { backgroundKey } from '../../../src/monero/crypto/kdf.js';
import { readStoreKey } from '../../../src/store/keys/background-files.js';
import { loadKeysFile } from '../../../src/store/keys/keys-file-disk.js';
import { storeKey } from '../../../src/store/file/store-cipher.js';
import { KeystoreFiles } from '../../support/wallets/keystores.js';
import { faultOf } from '../../support/wallets/test-wallet.js';

const BACKGROUND_PASSWORD = 'background';

const files = new KeystoreFiles();
const { keys } = files;

describe('background files', () => {
  const opened = async (): Promise<Uint8Array> =>
    readStoreKey(files.store, await backgroundKey(BACKGROUND_PASSWORD, 1));

  it('hold the keys without the spend key, and open the store, under a password of their own', async () => {
    const keystore = files.open();
    await keystore.setBackgroundSync('custom-background-password', BACKGROUND_PASSWORD);
    expect(keystore.backgroundSync).toBe('custom-background-password');
    const file = await loadKeysFile(`${files.store}.background.keys`, BACKGROUND_PASSWORD, 1);
    expect(file.spendSecret).toBeUndefined();
    expect(file).toMatchObject({ viewSecret: keys.viewSecret.expose(), backgroundKey: expect.anything() });
    expect(await opened()).toEqual(storeKey(keys.viewSecret.expose(), keys.spend));
    expect((await files.load()).spendSecret).toEqual(keys.spend);
  });

  it('are removed where the wallet needs none any more', async () => {
    const keystore = files.open();
    await keystore.setBackgroundSync('custom-background-password', BACKGROUND_PASSWORD);
    await keystore.setBackgroundSync('reuse-wallet-password', '');
    expect([existsSync(`${files.store}.background`), existsSync(`${files.store}.background.keys`)]).toEqual([
      false,
      false,
    ]);
    expect((await files.load()).other).toMatchObject({ background_sync_type: 1n });
  });

  it('that are gone are written again, and only those', async () => {
    const keystore = files.open();
    await keystore.restoreBackgroundFiles();
    expect(existsSync(`${files.store}.background`)).toBe(false);
    await keystore.setBackgroundSync('custom-background-password', BACKGROUND_PASSWORD);
    const before = readFileSync(`${files.store}.background`);
    await keystore.restoreBackgroundFiles();
    expect(readFileSync(`${files.store}.background`)).toEqual(before);
    rmSync(`${files.store}.background`);
    await keystore.restoreBackgroundFiles();
    expect(await opened()).toHaveLength(32);
  });

  it('do not replace a wallet of that name', async () => {
    const keystore = files.open();
    writeFileSync(`${files.store}.background.keys`, 'of another wallet');
    expect(
      await faultOf(() => keystore.setBackgroundSync('custom-background-password', BACKGROUND_PASSWORD)),
    ).toEqual({ kind: 'wallet_exists', name: 'shop.background' });
    expect([keystore.backgroundSync, existsSync(files.path)]).toEqual(['off', false]);
  });
});
