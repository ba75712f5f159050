import { existsSync, readFileSync, rmSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { KeystoreFiles, PASSWORD } from '../../support/wallets/keystores.js';
import { faultOf } from '../../support/wallets/test-wallet.js';

const files = new KeystoreFiles();
const { keys } = files;

describe('the keys file', () => {
  it('is written under the new password, and opens with no other', async () => {
    const keystore = files.open();
    await keystore.changePassword(PASSWORD, 'new');
    expect((await files.load('new')).spendSecret).toEqual(keys.spend);
    expect(await faultOf(() => files.load())).toMatchObject({ kind: 'wrong_password' });
    keystore.assertPassword('new');
    expect(await faultOf(() => keystore.assertPassword(PASSWORD))).toEqual({ kind: 'wrong_password' });
  });

  it('is not written for a wrong password', async () => {
    const keystore = files.open();
    expect(await faultOf(() => keystore.changePassword('wrong', 'new'))).toEqual({ kind: 'wrong_password' });
    expect([existsSync(files.path), keystore.password]).toEqual([false, PASSWORD]);
  });

  it('stays as it was where it cannot be written, and so does the password', async () => {
    const keystore = files.open();
    rmSync(files.folder, { recursive: true });
    expect(await faultOf(() => keystore.changePassword(PASSWORD, 'new'))).toMatchObject({
      kind: 'wallet_io',
    });
    expect(await faultOf(() => keystore.setLookahead({ major: 1, minor: 1 }))).toMatchObject({
      kind: 'wallet_io',
    });
    expect([keystore.password, keystore.lookahead]).toEqual([PASSWORD, { major: 50, minor: 200 }]);
  });

  it('keeps the lookahead, and that multisig is enabled', async () => {
    const keystore = files.open();
    await keystore.setLookahead({ major: 2, minor: 3 });
    await keystore.enableMultisig();
    expect((await files.load()).other).toMatchObject({
      subaddress_lookahead_major: 2n,
      subaddress_lookahead_minor: 3n,
      enable_multisig: 1n,
    });
  });

  it('that was deleted is written again with all its keys, and one that is there is not', async () => {
    const keystore = files.open();
    expect(await keystore.restoreFile()).toBe(true);
    expect(await files.load()).toMatchObject({
      spendSecret: keys.spend,
      viewSecret: keys.viewSecret.expose(),
    });
    const before = readFileSync(files.path);
    expect(await keystore.restoreFile()).toBe(false);
    expect(readFileSync(files.path)).toEqual(before);
  });

  it('is never written without the spend key that belongs in it', async () => {
    const keystore = files.open('reuse-wallet-password');
    keystore.dropSpendKey();
    expect(() => keystore.password).toThrow('not in memory');
    expect(await keystore.restoreFile()).toBe(false);
    await expect(keystore.changePassword('', 'new')).rejects.toMatchObject({
      fault: { kind: 'wrong_password' },
    });
    await expect(keystore.setLookahead({ major: 1, minor: 1 })).rejects.toThrow();
    expect(() => keystore.whole).toThrow('without the spend key');
    expect([existsSync(files.path), keystore.isPassword(PASSWORD)]).toEqual([false, false]);
  });
});
