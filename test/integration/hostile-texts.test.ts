import { existsSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { createWallet } from '../support/wallets/create-wallet.js';
import { expectWithstands, type Attack } from '../support/values/hostile-input.js';
import type { Loose } from '../support/network/json-rpc.js';
import { mutatedHex, mutatedText } from '../support/values/mutations.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { watchState, type WalletState } from '../support/wallets/wallet-state.js';
import { itAtNight } from '../support/jest/lanes.js';

/* Mutated texts that users copy: addresses, links, signatures, seed words, keys. */

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const LETTERS = 'abcdefghijklmnopqrstuvwxyz ';
const PAYMENT_ID = '1122334455667788';
const FOREIGN =
  '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';
const PASSWORD = 'a password';

let server: WalletRpc;
let state: WalletState;
let address: string;
let subaddress: string;
let integrated: string;
let seed: string;
let viewkey: string;
let spendkey: string;

beforeAll(async () => {
  server = await startWalletRpc({ args: ['--api-version=1.32', '--no-dns'] });
  await createWallet(server, 'w', PASSWORD);
  await server.rpc('add_address_book', { address: FOREIGN, description: 'a friend' });
  ({ address } = await server.rpc('get_address'));
  ({ address: subaddress } = await server.rpc('create_address', { account_index: 0 }));
  ({ integrated_address: integrated } = await server.rpc('make_integrated_address', {
    payment_id: PAYMENT_ID,
  }));
  const key = async (key_type: string): Promise<string> => (await server.rpc('query_key', { key_type })).key;
  [seed, viewkey, spendkey] = [await key('mnemonic'), await key('view_key'), await key('spend_key')];
  state = await watchState(server, 'w');
});

afterAll(async () => {
  await server?.stop();
});

const withstands = (attack: Attack): Promise<void> => expectWithstands(server, state, attack);

describe('changed addresses', () => {
  const addresses = (): fc.Arbitrary<string> =>
    fc.constantFrom(address, subaddress, integrated, FOREIGN).chain((text) => mutatedText(text, BASE58));

  it('are never valid', () =>
    withstands({
      method: 'validate_address',
      params: fc
        .record({ address: addresses(), any_net_type: fc.boolean() })
        .map((given) => ({ ...given, allow_openalias: false })),
      codes: [],
      harmless: ({ valid }) => valid === false,
      runs: 60,
    }));

  test.each<[string, (text: string) => object]>([
    ['get_address_index', (text) => ({ address: text })],
    ['transfer', (text) => ({ destinations: [{ address: text, amount: 1 }] })],
    ['sweep_all', (text) => ({ address: text })],
    ['add_address_book', (text) => ({ address: text })],
    ['edit_address_book', (text) => ({ index: 0, set_address: true, address: text })],
    ['split_integrated_address', (text) => ({ integrated_address: text })],
    ['verify', (text) => ({ address: text, data: '', signature: 'SigV2' })],
    ['check_reserve_proof', (text) => ({ address: text, signature: 'ReserveProofV2' })],
  ])('are refused by %s', (method, params) =>
    withstands({ method, params: addresses().map(params), codes: [-2] }),
  );

  it('are refused by make_integrated_address', () =>
    withstands({
      method: 'make_integrated_address',
      params: addresses()
        .filter((text) => text !== '')
        .map((standard_address) => ({ standard_address, payment_id: PAYMENT_ID })),
      codes: [-2],
    }));
});

describe('changed payment ids', () => {
  /** A mutated id that is still 8 bytes long is a valid id of another payment. */
  const isId = (text: string, lengths: readonly number[]): boolean =>
    lengths.includes(text.length) && /^[0-9a-f]*$/.test(text);

  it('are refused in integrated addresses', () =>
    withstands({
      method: 'make_integrated_address',
      params: mutatedHex(PAYMENT_ID).map((payment_id) => ({ payment_id })),
      codes: [-5],
      harmless: ({ payment_id }) => isId(payment_id as string, [16]),
    }));

  test.each<[string, (payment_id: string) => object]>([
    ['get_payments', (payment_id) => ({ payment_id })],
    ['get_bulk_payments', (payment_id) => ({ payment_ids: [payment_id] })],
  ])('are refused by %s, or name no payment', (method, params) =>
    withstands({
      method,
      params: mutatedHex(PAYMENT_ID).map(params),
      codes: [-5],
      harmless: (result) => Object.keys(result as object).length === 0,
    }),
  );

  it('are refused by a payment', () =>
    withstands({
      method: 'transfer',
      params: mutatedHex(PAYMENT_ID)
        .filter((text) => text !== '')
        .map((payment_id) => ({ payment_id, destinations: [{ address: FOREIGN, amount: 1 }] })),
      codes: [-5],
    }));
});

describe('changed links', () => {
  it('are refused, or ask for a payment to the same address', async () => {
    const { uri } = await server.rpc('make_uri', {
      address: subaddress,
      amount: 1_230_000_000_000,
      tx_description: 'a b&c=d é',
      recipient_name: 'a friend',
    });
    await withstands({
      method: 'parse_uri',
      params: mutatedText(uri, `${BASE58}%&=?_:.`).map((text) => ({ uri: text })),
      codes: [-11],
      harmless: ({ uri: read }) => read.address === subaddress && read.payment_id === '',
      runs: 150,
    });
  });

  itAtNight('are refused when replaced by arbitrary text', () =>
    withstands({
      method: 'parse_uri',
      params: fc
        .tuple(
          fc.constantFrom('', 'monero:', `monero:${FOREIGN}?`),
          fc.string({ unit: 'binary', maxLength: 80 }),
        )
        .map(([head, tail]) => ({ uri: head + tail })),
      codes: [-11],
      harmless: ({ uri: read }) => read.address === FOREIGN,
    }),
  );
});

describe('changed message signatures', () => {
  it.each(['spend', 'view'])('by the %s key are bad', async (signature_type) => {
    const { signature } = await server.rpc('sign', { data: 'a text', signature_type });
    const about = { data: 'a text', address };
    expect((await server.rpc('verify', { ...about, signature })).good).toBe(true);
    await withstands({
      method: 'verify',
      params: mutatedText(signature, BASE58).map((text) => ({ ...about, signature: text })),
      codes: [-1],
      harmless: ({ good }) => good === false,
      runs: 60,
    });
  });
});

describe('changed names and passwords', () => {
  test.each<[string, (text: string) => object, readonly number[]]>([
    ['open_wallet', (filename) => ({ filename, password: PASSWORD }), [-1]],
    [
      'restore_deterministic_wallet',
      (filename) => ({ filename: `../${filename}`, password: '', seed }),
      [-1],
    ],
    ['create_wallet', (filename) => ({ filename: `${filename}/x`, language: 'English' }), [-1, -21]],
  ])('are refused by %s', async (method, params, codes) => {
    const before = readdirSync(server.walletDir).sort();
    await withstands({ method, params: mutatedText('missing', 'm./\\').map(params), codes });
    expect(readdirSync(server.walletDir).sort()).toEqual(before);
  });

  it('are refused when the password is changed', () =>
    withstands({
      method: 'change_wallet_password',
      params: mutatedText(PASSWORD, LETTERS).map((old_password) => ({ old_password, new_password: 'x' })),
      codes: [-22],
    }));
});

describe('changed keys', () => {
  let made = 0;

  /** A refused call leaves no file and the wallet open; a created wallet is closed again. */
  async function expectNewWallet(
    method: string,
    params: fc.Arbitrary<object>,
    isRight: (result: Loose) => boolean,
  ): Promise<void> {
    const stored = state.stored();
    await fc.assert(
      fc.asyncProperty(params, async (given) => {
        const filename = `new ${++made}`;
        const { error, result } = await server.call(method, { filename, password: '', ...given });
        if (error === undefined) {
          expect(isRight(result)).toBe(true);
          await server.rpc('open_wallet', { filename: 'w', password: PASSWORD });
          return;
        }
        expect(error).toMatchObject({ code: -1, message: expect.stringMatching(/./) });
        // Error messages contain no seed words or keys.
        // One word alone may occur in any message.
        expect(error.message).not.toContain(seed.split(' ').slice(0, 2).join(' '));
        expect(existsSync(`${server.walletDir}/${filename}.keys`)).toBe(false);
        expect(existsSync(`${server.walletDir}/${filename}`)).toBe(false);
      }),
      { numRuns: 25 },
    );
    expect((await server.rpc('get_address')).address).toBe(address);
    expect(state.stored()).toEqual(stored);
  }

  it('in seed words are refused, or restore the wallet of the changed words', () =>
    // Words are compared by prefix, and one in 24 changed seeds has a valid checksum: those are wallets.
    expectNewWallet(
      'restore_deterministic_wallet',
      mutatedText(seed, LETTERS).map((text) => ({ seed: text })),
      (result) => (result.address === address) === (result.seed === seed),
    ));

  test.each<[string, () => fc.Arbitrary<object>]>([
    ['view key', () => mutatedHex(viewkey).map((text) => ({ address, spendkey, viewkey: text }))],
    ['spend key', () => mutatedHex(spendkey).map((text) => ({ address, viewkey, spendkey: text }))],
    ['address', () => mutatedText(address, BASE58).map((text) => ({ address: text, viewkey, spendkey }))],
  ])('in hex that do not fit each other are refused: the %s', (_, params) =>
    // Omitted values are derived from the others.
    expectNewWallet('generate_from_keys', params(), (result) => result.address === address),
  );
});
