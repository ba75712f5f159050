import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/*
 * Wallets whose names collide with the files of another wallet. The server does not create them; these are copied, as
 * an older release or another program would leave them.
 */

const password = 'p';
const language = 'English';

let server: WalletRpc;
let viewSecret: string;
let address: string;

const bytesOf = (name: string): readonly Buffer[] =>
  [name, `${name}.keys`].map((file) => readFileSync(join(server.walletDir, file)));

function putOld(name: string): void {
  copyFileSync(join(server.walletDir, 'old'), join(server.walletDir, name));
  copyFileSync(join(server.walletDir, 'old.keys'), join(server.walletDir, `${name}.keys`));
}

beforeAll(async () => {
  server = await startWalletRpc();
  await createWallet(server, 'old', password);
  await server.rpc('set_attribute', { key: 'k', value: 'kept' });
  ({ address } = await server.rpc('get_address'));
  viewSecret = (await server.rpc('query_key', { key_type: 'view_key' })).key as string;
  await server.rpc('close_wallet');
});

afterAll(async () => {
  await server?.stop();
});

const expectWhole = async (name: string): Promise<void> => {
  await server.rpc('open_wallet', { filename: name, password });
  expect(await server.rpc('get_attribute', { key: 'k' })).toEqual({ value: 'kept' });
  await server.rpc('close_wallet');
};

describe('a new wallet', () => {
  test.each([
    ['create_wallet', {}],
    ['generate_from_keys', { address: '', viewkey: '' }],
    ['restore_deterministic_wallet', { seed: '' }],
  ])('is not made by %s under the name of a file of another wallet', async (method, params) => {
    const given = method === 'generate_from_keys' ? { address, viewkey: viewSecret } : params;
    for (const filename of ['shop.new', 'shop-wal', 'shop-shm', 'shop-journal', 'shop.keys.new'])
      expect((await server.call(method, { ...given, filename, password, language })).error).toMatchObject({
        code: -1,
        data: { explanation: expect.stringMatching(/cannot end with .*: files of other wallets/) },
      });
  });

  test.each(['-wal', '-shm', '-journal'])(
    'is refused when its file NAME%s is another wallet, which stays unchanged',
    async (ending) => {
      putOld(`till${ending}`);
      const before = bytesOf(`till${ending}`);
      expect(
        (await server.call('create_wallet', { filename: 'till', password, language })).error,
      ).toMatchObject({
        code: -1,
        data: { explanation: expect.stringContaining(`'till${ending}'`) },
      });
      expect(bytesOf(`till${ending}`)).toEqual(before);
      await expectWhole(`till${ending}`);
      for (const file of [`till${ending}`, `till${ending}.keys`]) rmSync(join(server.walletDir, file));
    },
  );
});

describe('the files that a wallet writes', () => {
  it('never replace files of wallets whose names are those of earlier drafts', async () => {
    const names = ['shop.new', 'shop.keys.new'];
    names.forEach(putOld);
    const before = names.map(bytesOf);
    await createWallet(server, 'shop', password);
    await server.rpc('change_wallet_password', { old_password: password, new_password: 'q' });
    await server.rpc('setup_background_sync', {
      background_sync_type: 'custom-background-password',
      wallet_password: 'q',
      background_cache_password: 'r',
    });
    await server.rpc('store');
    await server.rpc('close_wallet');
    await server.rpc('open_wallet', { filename: 'shop', password: 'q' });
    await server.rpc('close_wallet');
    expect(names.map(bytesOf)).toEqual(before);
    for (const name of names) await expectWhole(name);
  });

  it('are not opened while a wallet of such a name exists, and neither is that wallet', async () => {
    await createWallet(server, 'kiosk', password);
    await server.rpc('close_wallet');
    putOld('kiosk-wal');
    const before = ['kiosk', 'kiosk-wal'].map(bytesOf);
    for (const filename of ['kiosk', 'kiosk-wal'])
      expect((await server.call('open_wallet', { filename, password })).error).toMatchObject({
        code: -1,
        data: { explanation: expect.stringMatching(/'kiosk(-wal)?'/) },
      });
    expect(['kiosk', 'kiosk-wal'].map(bytesOf)).toEqual(before);
  });
});
