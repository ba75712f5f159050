import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import type { Loose } from '../support/network/json-rpc.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* New wallets under a name that is taken, on our server and on the reference. */

let ours: WalletRpc;
let theirs: WalletRpc;
/** Parameters of each method, with the keys of one wallet. */
let params: Readonly<Record<string, Loose>>;

const at = ({ walletDir }: WalletRpc, name: string): string => join(walletDir, name);

beforeAll(async () => {
  [ours, theirs] = await Promise.all([startWalletRpc(), startReference()]);
  const made = { filename: 'whole', password: 'p', language: 'English' };
  await theirs.rpc('create_wallet', made);
  const key = async (type: string): Promise<string> =>
    (await theirs.rpc('query_key', { key_type: type })).key;
  const { address } = await theirs.rpc('get_address');
  const given = { password: 'p', language: 'English' };
  params = {
    create_wallet: given,
    restore_deterministic_wallet: { ...given, seed: await key('mnemonic') },
    generate_from_keys: {
      ...{ ...given, address, viewkey: await key('view_key') },
      spendkey: await key('spend_key'),
    },
  };
  await theirs.rpc('store');
  await ours.rpc('create_wallet', made);
  await ours.rpc('close_wallet');
  copyFileSync(at(ours, 'whole'), at(ours, 'of-ours'));
  for (const server of [ours, theirs]) {
    copyFileSync(at(theirs, 'whole.keys'), at(server, 'keys-only.keys'));
    copyFileSync(at(theirs, 'whole'), at(server, 'cache-only'));
    writeFileSync(at(server, 'other'), 'a text');
    mkdirSync(at(server, 'folder'));
  }
});

afterAll(async () => {
  await Promise.all([ours?.stop(), theirs?.stop()]);
});

describe('the name of a new wallet', () => {
  const METHODS = ['create_wallet', 'restore_deterministic_wallet', 'generate_from_keys'];
  const TAKEN: readonly (readonly [string, RegExp])[] = [
    ['whole', /^a wallet 'whole' is there already, with its keys file/],
    ['keys-only', /^a keys file 'keys-only.keys' is there already, without a store/],
    ['cache-only', /^an old cache 'cache-only' of monero-wallet-rpc is there already, without its keys file/],
    ['other', /^another file 'other' is there already, which is no wallet/],
    ['folder', /^a directory 'folder' is there already/],
  ];

  test.each(METHODS.flatMap((method) => TAKEN.map(([filename, text]) => [filename, method, text] as const)))(
    'may not be that of %s for %s: code and message are those of the reference, and the explanation names it',
    async (filename, method, text) => {
      const before = [ours, theirs].map(({ walletDir }) => readdirSync(walletDir));
      const given = { ...params[method], filename };
      const [mine, other] = await Promise.all([ours.call(method, given), theirs.call(method, given)]);
      const { data, ...error } = mine.error ?? {};
      expect(error).toEqual(other.error);
      expect(data).toEqual({ explanation: expect.stringMatching(text) });
      expect([ours, theirs].map(({ walletDir }) => readdirSync(walletDir))).toEqual(before);
    },
  );

  it('may not be that of a store of ours that lost its keys file', async () => {
    const { error } = await ours.call('create_wallet', { ...params['create_wallet'], filename: 'of-ours' });
    expect(error).toMatchObject({
      code: -21,
      data: { explanation: expect.stringMatching(/^a store 'of-ours' of this server is there already/) },
    });
  });
});

describe('keys without an address', () => {
  it('give it, where the reference wants it', async () => {
    const { address, viewkey, spendkey } = params['generate_from_keys'] as Loose;
    const asked = { password: 'p', viewkey, spendkey, language: 'English' };
    expect((await theirs.call('generate_from_keys', { ...asked, filename: 'given' })).error).toMatchObject({
      code: -1,
      message: "field 'address' is mandatory. Please provide a public address.",
    });
    expect(await ours.rpc('generate_from_keys', { ...asked, filename: 'given' })).toEqual({
      address,
      info: 'Wallet has been generated successfully.',
    });
    copyFileSync(at(ours, 'given.keys'), at(theirs, 'given.keys'));
    await theirs.rpc('open_wallet', { filename: 'given', password: 'p' });
    expect((await theirs.rpc('get_address')).address).toBe(address);
    await ours.rpc('generate_from_keys', { ...asked, filename: 'spend', viewkey: '' });
    expect((await ours.rpc('get_address')).address).toBe(address);
  });

  it('that lack the spend key are refused as by the reference, with the reason', async () => {
    const { viewkey } = params['generate_from_keys'] as Loose;
    const asked = { filename: 'lacking', password: 'p', viewkey };
    const [mine, other] = await Promise.all([
      ours.call('generate_from_keys', asked),
      theirs.call('generate_from_keys', asked),
    ]);
    expect(mine.error).toEqual({
      ...other.error,
      data: {
        explanation: 'an address is needed: a view key alone does not give the spend key of an address',
      },
    });
  });
});
