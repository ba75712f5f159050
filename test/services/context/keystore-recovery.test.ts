import { describe, expect, it } from '@jest/globals';
import { saveKeysFile } from '../../../src/store/keys/keys-file-disk.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { keysFileOf, KeystoreFiles, namedKeys, PASSWORD } from '../../support/wallets/keystores.js';
import { faultOf } from '../../support/wallets/test-wallet.js';

const files = new KeystoreFiles();
const { keys } = files;

describe('a spend key that was put away', () => {
  it('is recovered from the keys file with its password alone', async () => {
    const keystore = files.open('reuse-wallet-password');
    await keystore.restoreFile();
    keystore.dropSpendKey();
    expect(await faultOf(() => keystore.recoverSecrets('wrong', undefined))).toEqual({
      kind: 'wrong_password',
    });
    expect(await keystore.recoverSecrets(PASSWORD, undefined)).toEqual({ spendSecret: keys.spend });
  });

  it('that is given must be that of the keys file, under its password', async () => {
    const keystore = files.open('reuse-wallet-password');
    await keystore.restoreFile();
    expect(await keystore.recoverSecrets(PASSWORD, { spendSecret: keys.spend })).toEqual({
      spendSecret: keys.spend,
    });
    expect(await faultOf(() => keystore.recoverSecrets('wrong', { spendSecret: keys.spend }))).toEqual({
      kind: 'wrong_password',
    });
    const { spend } = namedKeys('other');
    expect(await faultOf(() => keystore.recoverSecrets(PASSWORD, { spendSecret: spend }))).toMatchObject({
      kind: 'invalid',
    });
  });

  it('is not recovered from the keys file of another wallet in its place, given or not', async () => {
    const keystore = files.open('reuse-wallet-password');
    await saveKeysFile(files.path, keysFileOf(namedKeys('other')), PASSWORD, 1, seededRng('other'));
    expect(await faultOf(() => keystore.recoverSecrets(PASSWORD, undefined))).toMatchObject({
      kind: 'invalid',
    });
    expect(await faultOf(() => keystore.recoverSecrets(PASSWORD, { spendSecret: keys.spend }))).toMatchObject(
      {
        kind: 'invalid',
      },
    );
  });
});
