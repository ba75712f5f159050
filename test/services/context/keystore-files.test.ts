import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Keystore } from '../../../src/services/context/keystore.js';
import { loadKeysFile } from '../../../src/store/keys/keys-file-disk.js';
import type { BackgroundSyncType } from '../../../src/monero/wallet/model/background-sync-mode.js';
import { seededRng } from '../../support/seeded-rng.js';
import { faultOf, keysFileOf, namedKeys, PASSWORD } from '../../support/test-wallet.js';

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

describe('the keys file', () => {
  it('is written under the new password, and opens with no other', async () => {
    const keystore = open();
    await keystore.changePassword(PASSWORD, 'new');
    expect((await load('new')).spendSecret).toEqual(keys.spend);
    expect(await faultOf(() => load())).toMatchObject({ kind: 'wrong_password' });
    keystore.assertPassword('new');
    expect(await faultOf(() => keystore.assertPassword(PASSWORD))).toEqual({ kind: 'wrong_password' });
  });

  it('is not written for a wrong password', async () => {
    const keystore = open();
    expect(await faultOf(() => keystore.changePassword('wrong', 'new'))).toEqual({ kind: 'wrong_password' });
    expect([existsSync(path), keystore.password]).toEqual([false, PASSWORD]);
  });

  it('stays as it was where it cannot be written, and so does the password', async () => {
    const keystore = open();
    rmSync(directory, { recursive: true });
    expect(await faultOf(() => keystore.changePassword(PASSWORD, 'new'))).toMatchObject({
      kind: 'wallet_io',
    });
    expect(await faultOf(() => keystore.setLookahead({ major: 1, minor: 1 }))).toMatchObject({
      kind: 'wallet_io',
    });
    expect([keystore.password, keystore.lookahead]).toEqual([PASSWORD, { major: 50, minor: 200 }]);
  });

  it('keeps the lookahead, and that multisig is enabled', async () => {
    const keystore = open();
    await keystore.setLookahead({ major: 2, minor: 3 });
    await keystore.enableMultisig();
    expect((await load()).other).toMatchObject({
      subaddress_lookahead_major: 2n,
      subaddress_lookahead_minor: 3n,
      enable_multisig: 1n,
    });
  });

  it('that was deleted is written again with all its keys, and one that is there is not', async () => {
    const keystore = open();
    expect(await keystore.restoreFile()).toBe(true);
    expect(await load()).toMatchObject({ spendSecret: keys.spend, viewSecret: keys.viewSecret.expose() });
    const before = readFileSync(path);
    expect(await keystore.restoreFile()).toBe(false);
    expect(readFileSync(path)).toEqual(before);
  });

  it('is never written without the spend key that belongs in it', async () => {
    const keystore = open('reuse-wallet-password');
    keystore.dropSpendKey();
    expect(() => keystore.password).toThrow('not in memory');
    expect(await keystore.restoreFile()).toBe(false);
    await expect(keystore.changePassword('', 'new')).rejects.toMatchObject({
      fault: { kind: 'wrong_password' },
    });
    await expect(keystore.setLookahead({ major: 1, minor: 1 })).rejects.toThrow();
    expect(() => keystore.whole).toThrow('without the spend key');
    expect([existsSync(path), keystore.isPassword(PASSWORD)]).toEqual([false, false]);
  });
});
