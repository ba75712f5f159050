import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fillIn, uriVectors } from '../monero/cryptonote/uri-vectors.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { refusal, sideBySide, step } from '../support/wallets/side-by-side.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

const { ADDRESS: address, INTEGRATED, SUBADDRESS } = uriVectors.addresses;
const LONG_ID = 'ab'.repeat(32);

let ours: WalletRpc;
let latest: WalletRpc;
let theirs: WalletRpc;
const servers = (): readonly [WalletRpc, WalletRpc] => [ours, theirs];

beforeAll(async () => {
  [ours, latest, theirs] = await Promise.all([
    startWalletRpc(),
    startWalletRpc({ args: ['--api-version=1.32'] }),
    startReference(),
  ]);
  for (const wallet of [ours, latest, theirs]) await createWallet(wallet, 'w');
});

afterAll(async () => {
  await Promise.all([ours?.stop(), latest?.stop(), theirs?.stop()]);
});

describe('parsing links', () => {
  sideBySide(
    [
      ...uriVectors.valid.map(({ note, uri }) => step('parse_uri', note, { uri: fillIn(uri) })),
      ...uriVectors.invalid.map(({ note, uri }) => refusal('parse_uri', note, { uri: fillIn(uri) }, -11)),
      refusal('parse_uri', 'no link', {}, -11),
      refusal('parse_uri', 'a number', { uri: 5 }, -32602),
    ],
    servers,
  );
});

describe('writing links', () => {
  sideBySide(
    [
      step('make_uri', 'an address', { address }),
      step('make_uri', 'a subaddress', { address: SUBADDRESS }),
      step('make_uri', 'an integrated address', { address: INTEGRATED, amount: 11000000000 }),
      step('make_uri', 'the largest amount', { address, amount: '18446744073709551615' }),
      step('make_uri', 'texts', {
        address,
        amount: 1,
        recipient_name: 'えんしゅう /?*\'()-_.~|{}"<>',
        tx_description: ' 100% & more\u0001',
      }),
      refusal('make_uri', 'no address', {}, -11),
      refusal('make_uri', 'a bad address', { address: 'x' }, -11),
      refusal('make_uri', 'an amount below zero', { address, amount: -1 }, -32602),
      refusal(
        'make_uri',
        'a payment id beside an integrated address',
        { address: INTEGRATED, payment_id: LONG_ID },
        -11,
      ),
      refusal('make_uri', 'a payment id of a wrong length', { address, payment_id: '00' }, -11),
    ],
    servers,
  );

  it('produces links that the reference parses, and parses links of the reference that it refuses itself', async () => {
    const asked = { address, amount: 7, recipient_name: 'a=b&c', tx_description: 'x = y' };
    const expected = { ...asked, payment_id: '' };
    const [mine, other] = [await ours.rpc('make_uri', asked), await theirs.rpc('make_uri', asked)];
    expect((await theirs.rpc('parse_uri', mine)).uri).toEqual(expected);
    expect((await ours.rpc('parse_uri', mine)).uri).toEqual(expected);
    expect((await ours.rpc('parse_uri', other)).uri).toEqual(expected);
    expect((await theirs.call('parse_uri', other)).error?.code).toBe(-11);
  });
});

describe('payment ids in links', () => {
  it('are written and parsed under 1.3, long ones as the reference parses them', async () => {
    const { uri } = await ours.rpc('make_uri', { address, payment_id: LONG_ID });
    expect(uri).toBe(`monero:${address}?tx_payment_id=${LONG_ID}`);
    expect((await theirs.rpc('parse_uri', { uri })).uri.payment_id).toBe(LONG_ID);
    expect((await ours.rpc('parse_uri', { uri })).uri.payment_id).toBe(LONG_ID);
    const short = await ours.rpc('make_uri', { address, payment_id: '1234567890abcdef' });
    expect((await ours.rpc('parse_uri', short)).uri.payment_id).toBe('1234567890abcdef');
  });

  it('are refused under 1.32, as by the reference', async () => {
    const uri = `monero:${address}?tx_payment_id=1234567890abcdef`;
    for (const wallet of [latest, theirs]) {
      expect((await wallet.call('make_uri', { address, payment_id: LONG_ID })).error?.code).toBe(-11);
      expect((await wallet.call('parse_uri', { uri })).error?.code).toBe(-11);
    }
    expect((await latest.rpc('make_uri', { address })).uri).toBe(`monero:${address}`);
  });
});
