import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import { post, type Loose } from '../support/network/json-rpc.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* Odd values that real clients send, to the real monero-wallet-rpc and to ours: both answer alike. */

const SOMEONE =
  '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';
let servers: readonly [WalletRpc, WalletRpc];

beforeAll(async () => {
  servers = await Promise.all([startWalletRpc({ args: ['--api-version=1.32'] }), startReference()]);
  for (const server of servers) await createWallet(server, 'w', 'p');
});
afterAll(() => Promise.all((servers ?? []).map((server) => server.stop())));

/** Error as code and message, or `answers`. */
async function outcomes(method: string, params: unknown): Promise<string[]> {
  return Promise.all(
    servers.map(async ({ port }) => {
      const { text } = await post(port, '/json_rpc', { jsonrpc: '2.0', id: '0', method, params });
      const { error } = JSON.parse(text) as Loose;
      return error === undefined ? 'answers' : `${error.code} ${error.message}`;
    }),
  );
}

describe('a member without a value counts as absent, as in the reference', () => {
  test.each<[string, string, object]>([
    ['an index of null', 'label_address', { index: null, label: 'x' }],
    ['null in an index', 'label_address', { index: { major: null, minor: 0 }, label: 'x' }],
    ['an index of an empty list', 'label_address', { index: [], label: 'x' }],
    ['an account of an empty list', 'label_account', { account_index: [], label: 'x' }],
    ['an amount of null', 'transfer', { destinations: [{ amount: null, address: 'x' }] }],
    ['an address of null', 'transfer', { destinations: [{ amount: 1, address: null }] }],
    ['a key image of null', 'sweep_single', { key_image: null, address: SOMEONE }],
    ['a label of null', 'create_account', { label: null }],
    ['a count of null', 'create_address', { count: null }],
  ])('%s: %s', async (_, method, params) => {
    const [ours, theirs] = await outcomes(method, params);
    expect(ours).toBe(theirs);
  });
});

/** Keys of all objects of a text in the order in which they stand there. */
function keysInOrder(text: string): string[] {
  const keys: string[] = [];
  JSON.parse(text, (_, value: unknown) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      keys.push(...Object.keys(value));
    return value;
  });
  return keys;
}

describe('the members of a result stand in the order of the reference', () => {
  test.each<[string, object]>([
    ['get_version', {}],
    ['get_balance', { all_accounts: true }],
    ['get_accounts', {}],
    ['get_address', {}],
    ['create_address', {}],
    ['create_account', {}],
    ['get_height', {}],
    ['is_multisig', {}],
    ['validate_address', { address: SOMEONE }],
    ['make_integrated_address', {}],
    ['make_uri', { address: SOMEONE, amount: 7, recipient_name: 'a' }],
    ['parse_uri', { uri: `monero:${SOMEONE}?tx_amount=0.5&recipient_name=a` }],
    ['get_attribute', { key: 'wallet2.description' }],
    ['get_languages', {}],
    ['add_address_book', { address: SOMEONE, description: 'd' }],
    ['get_address_book', {}],
  ])('%s', async (method, params) => {
    const [ours, theirs] = await Promise.all(
      servers.map(async ({ port }) =>
        keysInOrder((await post(port, '/json_rpc', { jsonrpc: '2.0', id: '0', method, params })).text),
      ),
    );
    const both = (ours ?? []).filter((key) => theirs?.includes(key));
    expect(both).toEqual((theirs ?? []).filter((key) => ours?.includes(key)));
    expect(both).toContain('jsonrpc');
  });
});

describe('the name of a keys file names its wallet, as in the reference', () => {
  it('where a wallet is opened', async () => {
    for (const password of ['p', 'wrong'])
      for (const filename of ['w.keys', 'w.KEYS', 'w.keys.keys', '.keys']) {
        const [ours, theirs] = await outcomes('open_wallet', { filename, password });
        expect([filename, ours]).toEqual([filename, theirs]);
      }
  });

  it('where a wallet is created', async () => {
    const created = await outcomes('create_wallet', {
      ...{ filename: 'z.keys', password: 'p', language: 'English' },
    });
    expect(created).toEqual(['answers', 'answers']);
    for (const filename of ['z', 'z.keys'])
      expect(await outcomes('open_wallet', { filename, password: 'p' })).toEqual(['answers', 'answers']);
  });
});
