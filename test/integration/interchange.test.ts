import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { someRows } from '../support/jest/lanes.js';

/*
 * Seed words, keys files and addresses moved from one wallet program to the other, in both directions. Other
 * interchange is in relay-tx, cold-signing, proofs, uri and cache-import.
 */

/** One language per script; the mnemonic vectors cover every language. */
const SCRIPTS = ['Français', 'русский язык', '日本語', '简体中文 (中国)'];
const PAYMENT_ID = '0123456789abcdef';

let ours: WalletRpc;
let theirs: WalletRpc;

beforeAll(async () => {
  [ours, theirs] = await Promise.all([startWalletRpc(), startReference()]);
});

afterAll(async () => {
  await Promise.all([ours?.stop(), theirs?.stop()]);
});

const key = async (wallet: WalletRpc, type: string): Promise<string> =>
  (await wallet.rpc('query_key', { key_type: type })).key as string;

const address = async (wallet: WalletRpc): Promise<string> =>
  (await wallet.rpc('get_address')).address as string;

describe.each([
  ['ours', 'the reference', () => [ours, theirs] as const],
  ['the reference', 'ours', () => [theirs, ours] as const],
])('from %s to %s', (_, __, pair) => {
  test.each(someRows(SCRIPTS, 2))('go the words of a seed in %s', async (language) => {
    const [from, to] = pair();
    await from.rpc('create_wallet', { filename: '', password: '', language });
    const seed = await key(from, 'mnemonic');
    const restored = await to.rpc('restore_deterministic_wallet', { filename: '', password: '', seed });
    expect(restored).toMatchObject({ address: await address(from), seed });
    expect(await key(to, 'mnemonic')).toBe(seed);
    expect(await key(to, 'spend_key')).toBe(await key(from, 'spend_key'));
  });

  it('goes a keys file whose password was changed, more than once', async () => {
    const [from, to] = pair();
    const name = from === ours ? 'ours' : 'theirs';
    await createWallet(from, name, 'one');
    await from.rpc('change_wallet_password', { old_password: 'one', new_password: '' });
    await from.rpc('change_wallet_password', { old_password: '', new_password: 'zwölf ☕' });
    const seed = await key(from, 'mnemonic');
    await from.rpc('close_wallet');
    copyFileSync(join(from.walletDir, `${name}.keys`), join(to.walletDir, `${name}.keys`));
    for (const password of ['one', ''])
      expect((await to.call('open_wallet', { filename: name, password })).error?.code).toBe(-1);
    await to.rpc('open_wallet', { filename: name, password: 'zwölf ☕' });
    expect(await key(to, 'mnemonic')).toBe(seed);
  });

  it('goes an integrated address, of this wallet or another; a tampered one is refused', async () => {
    const [from, to] = pair();
    await createWallet(from);
    await createWallet(to);
    for (const standard_address of [await address(from), await address(to)]) {
      const { integrated_address } = await from.rpc('make_integrated_address', {
        standard_address,
        payment_id: PAYMENT_ID,
      });
      expect(await to.rpc('split_integrated_address', { integrated_address })).toEqual({
        is_subaddress: false,
        payment_id: PAYMENT_ID,
        standard_address,
      });
      const text = integrated_address as string;
      const tampered = text.slice(0, -1) + (text.endsWith('1') ? '2' : '1');
      const { error } = await to.call('split_integrated_address', { integrated_address: tampered });
      expect(error?.code).toBe(-2);
    }
    const { integrated_address, payment_id } = await from.rpc('make_integrated_address');
    expect(await to.rpc('split_integrated_address', { integrated_address })).toMatchObject({
      payment_id,
      standard_address: await address(from),
    });
  });
});
