import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Keystore } from '../../../src/services/context/keystore.js';
import { saveKeysFile } from '../../../src/store/keys/keys-file-disk.js';
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

describe('a spend key that was put away', () => {
  it('is recovered from the keys file with its password alone', async () => {
    const keystore = open('reuse-wallet-password');
    await keystore.restoreFile();
    keystore.dropSpendKey();
    expect(await faultOf(() => keystore.recoverSpendKey('wrong', undefined))).toEqual({
      kind: 'wrong_password',
    });
    expect(await keystore.recoverSpendKey(PASSWORD, undefined)).toEqual(keys.spend);
  });

  it('that is given must be that of the keys file, under its password', async () => {
    const keystore = open('reuse-wallet-password');
    await keystore.restoreFile();
    expect(await keystore.recoverSpendKey(PASSWORD, keys.spend)).toEqual(keys.spend);
    expect(await faultOf(() => keystore.recoverSpendKey('wrong', keys.spend))).toEqual({
      kind: 'wrong_password',
    });
    const { spend } = namedKeys('other');
    expect(await faultOf(() => keystore.recoverSpendKey(PASSWORD, spend))).toMatchObject({ kind: 'invalid' });
  });

  it('is not recovered from the keys file of another wallet in its place, given or not', async () => {
    const keystore = open('reuse-wallet-password');
    await saveKeysFile(path, keysFileOf(namedKeys('other')), PASSWORD, 1, seededRng('other'));
    expect(await faultOf(() => keystore.recoverSpendKey(PASSWORD, undefined))).toMatchObject({
      kind: 'invalid',
    });
    expect(await faultOf(() => keystore.recoverSpendKey(PASSWORD, keys.spend))).toMatchObject({
      kind: 'invalid',
    });
  });
});
