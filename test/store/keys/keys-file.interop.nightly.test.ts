import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { loadKeysFile, saveKeysFile } from '../../../src/store/keys/keys-file-disk.js';
import { toHex } from '../../../src/util/bytes.js';
import { systemRng } from '../../../src/util/random.js';
import { createWallet } from '../../support/wallets/create-wallet.js';
import { startReference, startWalletRpc, type WalletRpc } from '../../support/processes/wallet-rpc.js';

/** The reference and this program run on one directory, never on one wallet at the same time. */
describe.each([
  ['one round', 1, []],
  ['three rounds', 3, ['--kdf-rounds=3']],
])('keys files with %s of key stretching', (_, rounds, args) => {
  let directory: string;
  let ours: WalletRpc;
  let theirs: WalletRpc;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'interop-'));
    [ours, theirs] = await Promise.all([
      startWalletRpc({ walletDir: directory, args }),
      startReference({ walletDir: directory, args }),
    ]);
  });

  afterAll(async () => {
    await Promise.all([ours?.stop(), theirs?.stop()]);
    rmSync(directory, { recursive: true, force: true });
  });

  const identity = async (wallet: WalletRpc): Promise<unknown> => ({
    address: (await wallet.rpc('get_address')).address,
    seed: (await wallet.rpc('query_key', { key_type: 'mnemonic' })).key,
    spend: (await wallet.rpc('query_key', { key_type: 'spend_key' })).key,
    view: (await wallet.rpc('query_key', { key_type: 'view_key' })).key,
  });

  test.each([
    ['a password', 'pass wörd', 'English'],
    ['an empty password', '', 'Deutsch'],
  ])('of this program with %s are opened by the reference', async (name, password, language) => {
    const filename = `ours ${name}`;
    await ours.rpc('create_wallet', { filename, password, language });
    const wanted = await identity(ours);
    await ours.rpc('close_wallet');
    // The reference cannot read the store: a user who moves back copies the keys file only.
    const moved = `${filename} moved`;
    copyFileSync(join(directory, `${filename}.keys`), join(directory, `${moved}.keys`));
    expect(
      (await theirs.call('open_wallet', { filename: moved, password: `${password}x` })).error?.code,
    ).toBe(-1);
    await theirs.rpc('open_wallet', { filename: moved, password });
    expect(await identity(theirs)).toEqual(wanted);
    await theirs.rpc('close_wallet');
  });

  test.each([
    ['a password', 'pass wörd', 'English'],
    ['an empty password', '', 'Russian'],
  ])(
    'of the reference with %s are opened by this program, and its cache is kept',
    async (name, password, language) => {
      const filename = `theirs ${name}`;
      await theirs.rpc('create_wallet', { filename, password, language });
      const wanted = await identity(theirs);
      await theirs.rpc('close_wallet');
      expect((await ours.call('open_wallet', { filename, password: `${password}x` })).error?.code).toBe(-1);
      await ours.rpc('open_wallet', { filename, password });
      expect(await identity(ours)).toEqual(wanted);
      expect(readdirSync(directory)).toContain(`${filename}.reference-cache`);
      await ours.rpc('change_wallet_password', { old_password: password, new_password: 'changed' });
      await ours.rpc('close_wallet');
      rmSync(join(directory, filename));
      await theirs.rpc('open_wallet', { filename, password: 'changed' });
      expect(await identity(theirs)).toEqual(wanted);
      await theirs.rpc('close_wallet');
    },
  );

  it('of view-only wallets are opened by both', async () => {
    await createWallet(theirs, 'full');
    const { address } = await theirs.rpc('get_address');
    const viewkey = (await theirs.rpc('query_key', { key_type: 'view_key' })).key as string;
    await theirs.rpc('generate_from_keys', {
      filename: 'view',
      address,
      viewkey,
      password: 'v',
      restore_height: 5,
    });
    await theirs.rpc('close_wallet');

    const file = await loadKeysFile(join(directory, 'view.keys'), 'v', rounds);
    expect(file).toMatchObject({ watchOnly: true, network: 'mainnet' });
    expect(file.spendSecret).toBeUndefined();
    expect(toHex(file.viewSecret)).toBe(viewkey);
    await ours.rpc('open_wallet', { filename: 'view', password: 'v' });
    expect((await ours.rpc('get_address')).address).toBe(address);
    expect((await ours.call('query_key', { key_type: 'spend_key' })).error?.code).toBe(-29);
    expect((await ours.rpc('query_key', { key_type: 'view_key' })).key).toBe(viewkey);
    await ours.rpc('close_wallet');

    await saveKeysFile(join(directory, 'view again.keys'), file, 'w', rounds, systemRng);
    await theirs.rpc('open_wallet', { filename: 'view again', password: 'w' });
    expect((await theirs.rpc('get_address')).address).toBe(address);
    expect((await theirs.call('query_key', { key_type: 'spend_key' })).error?.code).toBe(-29);
    await theirs.rpc('close_wallet');
  });
});
