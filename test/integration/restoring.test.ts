import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import { refusal, sideBySide } from '../support/wallets/side-by-side.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { someRows } from '../support/jest/lanes.js';

const TESTNET =
  '9wviCeWe2D8XS82k2ovp5EUYLzBt9pYNW2LXUFsZiv8S3Mt21FZ5qQaAroko1enzw3eGr9qC7X1D7Geoo2RrAotYPwq9Gm8';
const SEED =
  'velvet lymph giddy number token physics poetry unquoted nibs useful sabotage limits benches lifestyle eden nitrogen anvil fewest avoid batch vials washing fences goat unquoted';
const ADDRESS =
  '42ey1afDFnn4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfJJQAWDm';
const VIEW_KEY = '49774391fa5e8d249fc2c5b45dadef13534bf2483dede880dac88f061e809100';
const OTHER_KEY = `01${'0'.repeat(62)}`;

let ours: WalletRpc;
let theirs: WalletRpc;
const servers = (): readonly [WalletRpc, WalletRpc] => [ours, theirs];

beforeAll(async () => {
  [ours, theirs] = await Promise.all([startWalletRpc(), startReference()]);
});

afterAll(async () => {
  await Promise.all([ours?.stop(), theirs?.stop()]);
});

/** Keys and address of a wallet. */
async function keysOf(wallet: WalletRpc): Promise<Loose> {
  const key = async (type: string): Promise<unknown> => {
    const { result, error } = await wallet.call('query_key', { key_type: type });
    return result?.['key'] ?? error?.code;
  };
  return {
    address: (await wallet.rpc('get_address')).address as string,
    mnemonic: await key('mnemonic'),
    view: await key('view_key'),
    spend: await key('spend_key'),
  };
}

describe('restoring from a seed', () => {
  test.each(
    someRows(
      [
        ['without an offset', {}],
        ['with an offset', { seed_offset: 'a secret word ☕' }],
        ['with a longer offset', { seed_offset: 'x'.repeat(300) }],
        ['into another language, which the seed overrides', { language: 'Deutsch' }],
      ],
      2,
    ),
  )('%s gives what the reference restores', async (_, more) => {
    const [mine, other] = await Promise.all(
      servers().map(async (wallet) => {
        const reply = await wallet.rpc('restore_deterministic_wallet', { filename: '', seed: SEED, ...more });
        return { reply, keys: await keysOf(wallet) };
      }),
    );
    expect(mine).toEqual(other);
  });

  it('with another offset gives another wallet', async () => {
    const address = async (seed_offset: string): Promise<string> =>
      (await ours.rpc('restore_deterministic_wallet', { filename: '', seed: SEED, seed_offset })).address;
    const found = [await address(''), await address('a'), await address('b')];
    expect(found[0]).toBe(ADDRESS);
    expect(new Set(found).size).toBe(3);
  });
});

describe('generating from keys', () => {
  it('creates the same wallet as the reference, and each opens the wallet of the other', async () => {
    const origin = await keysOfNew(ours);
    for (const [from, to] of [
      [ours, theirs],
      [theirs, ours],
    ] as const) {
      const name = `full-${from === ours ? 'ours' : 'theirs'}`;
      const reply = await from.rpc('generate_from_keys', {
        filename: name,
        password: 'pw',
        address: origin.address,
        viewkey: origin.view,
        spendkey: origin.spend,
        language: 'English',
        restore_height: 17,
      });
      expect(reply).toEqual({ address: origin.address, info: 'Wallet has been generated successfully.' });
      expect(await keysOf(from)).toEqual(origin);
      copyFileSync(join(from.walletDir, `${name}.keys`), join(to.walletDir, `${name}.keys`));
      await to.rpc('open_wallet', { filename: name, password: 'pw' });
      expect(await keysOf(to)).toEqual(origin);
    }
  });

  it('creates a view-only wallet without a spend key', async () => {
    const origin = await keysOfNew(theirs);
    const asked = { filename: 'view', password: 'pw', address: origin.address, viewkey: origin.view };
    for (const wallet of servers()) {
      expect(await wallet.rpc('generate_from_keys', asked)).toEqual({
        address: origin.address,
        info: 'Watch-only wallet has been generated successfully.',
      });
      expect(await keysOf(wallet)).toEqual({ ...origin, mnemonic: -29, spend: -29 });
    }
    copyFileSync(join(ours.walletDir, 'view.keys'), join(theirs.walletDir, 'view-of-ours.keys'));
    await theirs.rpc('open_wallet', { filename: 'view-of-ours', password: 'pw' });
    expect((await keysOf(theirs)).spend).toBe(-29);
  });

  it('needs only the spend key', async () => {
    const origin = await keysOfNew(theirs);
    const asked = { filename: '', spendkey: origin.spend, language: 'Español' };
    expect((await ours.rpc('generate_from_keys', asked)).address).toBe(origin.address);
    expect((await keysOf(ours)).spend).toBe(origin.spend);
  });

  it('keeps a view key that is not derived from the spend key, and then has no seed', async () => {
    const { spend } = await keysOfNew(theirs);
    const { view } = await keysOfNew(theirs);
    const asked = { filename: '', spendkey: spend, viewkey: view };
    const { address } = await ours.rpc('generate_from_keys', asked);
    expect((await ours.call('query_key', { key_type: 'mnemonic' })).error?.code).toBe(-43);
    await theirs.rpc('generate_from_keys', { ...asked, address });
    expect((await theirs.rpc('get_address')).address).toBe(address);
    expect((await theirs.call('query_key', { key_type: 'mnemonic' })).error?.code).toBe(-43);
  });

  const keys = { address: ADDRESS, viewkey: VIEW_KEY, language: 'English' };
  sideBySide(
    [
      refusal('generate_from_keys', 'nothing', {}, -1),
      refusal('generate_from_keys', 'no view key', { filename: 'x', address: ADDRESS }, -1),
      refusal('generate_from_keys', 'no address', { filename: 'x', viewkey: VIEW_KEY }, -1),
      refusal('generate_from_keys', 'a bad address', { ...keys, filename: 'x', address: 'x' }, -1),
      refusal(
        'generate_from_keys',
        'an address of another network',
        { ...keys, filename: 'x', address: TESTNET },
        -1,
      ),
      refusal(
        'generate_from_keys',
        'a view key that is no hex',
        { ...keys, filename: 'x', viewkey: 'x' },
        -1,
      ),
      refusal(
        'generate_from_keys',
        "another address's view key",
        { ...keys, filename: 'x', viewkey: OTHER_KEY },
        -1,
        '0.18 makes a wallet that sees nothing; the reference today refuses',
      ),
      refusal(
        'generate_from_keys',
        'a spend key that is no hex',
        { ...keys, filename: 'x', spendkey: 'x' },
        -1,
      ),
      refusal(
        'generate_from_keys',
        "another address's spend key",
        { ...keys, filename: 'x', spendkey: OTHER_KEY },
        -1,
        '0.18 makes a wallet that can spend nothing; the reference today refuses',
      ),
      refusal('generate_from_keys', 'a name that leaves the directory', { ...keys, filename: '../x' }, -1),
      refusal('generate_from_keys', 'a name that exists', { ...keys, filename: 'view' }, -1),
      refusal(
        'generate_from_keys',
        'an unknown language',
        { ...keys, filename: 'y', language: 'Klingon' },
        -1,
      ),
      refusal(
        'generate_from_keys',
        'a height of another type',
        { ...keys, filename: 'x', restore_height: 'x' },
        -32602,
      ),
    ],
    servers,
  );

  it('leaves the previous wallet open, and no file, when it is refused', async () => {
    const { address } = await keysOfNew(ours);
    await ours.call('generate_from_keys', { ...keys, filename: 'never', viewkey: OTHER_KEY });
    expect((await ours.rpc('get_address')).address).toBe(address);
    expect((await ours.call('open_wallet', { filename: 'never' })).error?.code).toBe(-1);
  });
});

async function keysOfNew(wallet: WalletRpc): Promise<Loose> {
  await createWallet(wallet);
  return keysOf(wallet);
}
