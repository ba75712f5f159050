import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import type { PaymentId } from '../../../src/monero/cryptonote/types.js';
import { namedKeys } from '../../support/wallets/keystores.js';
import { faultOf, TestWallet } from '../../support/wallets/test-wallet.js';

const PRIMARY = { major: 0, minor: 0 };

let wallet: TestWallet;
beforeEach(() => {
  wallet = new TestWallet();
});
afterEach(() => wallet.close());

/** Index that the store finds for an address of the wallet. */
const stored = (text: string) =>
  wallet.store.read((r) => r.subaddresses.find(wallet.accounts.parse(text).spendPublicKey));

describe('an index', () => {
  test('of an account must be below the number of accounts', async () => {
    expect(wallet.accounts.count()).toBe(1);
    wallet.accounts.assertAccount(0);
    expect(await faultOf(() => wallet.accounts.assertAccount(1))).toEqual({
      kind: 'account_out_of_range',
      account: 1,
      count: 1,
    });
  });

  test('of an address must be below the number of addresses of its account', async () => {
    await wallet.accounts.createAddresses(0, 2, '');
    wallet.accounts.assertIndex({ major: 0, minor: 2 });
    expect(await faultOf(() => wallet.accounts.assertIndex({ major: 0, minor: 3 }))).toEqual({
      kind: 'address_out_of_range',
      account: 0,
      index: 3,
      count: 3,
    });
    expect(await faultOf(() => wallet.accounts.assertIndex({ major: 1, minor: 0 }))).toMatchObject({
      kind: 'account_out_of_range',
    });
  });

  test('of an unknown account has no addresses', () => {
    expect([wallet.accounts.addressCount(0), wallet.accounts.addressCount(7)]).toEqual([1, 0]);
  });
});

describe('a new account', () => {
  it('takes the next index, has one labelled address, and is watched', () => {
    expect(wallet.accounts.create('savings')).toEqual({ major: 1, minor: 0, skipped: 0 });
    expect(wallet.accounts.create('')).toEqual({ major: 2, minor: 0, skipped: 0 });
    expect([wallet.accounts.count(), wallet.accounts.addressCount(1)]).toEqual([3, 1]);
    expect(wallet.accounts.label({ major: 1, minor: 0 })).toBe('savings');
    expect(stored(wallet.accounts.address({ major: 1, minor: 0 }))).toEqual({ major: 1, minor: 0 });
    expect(wallet.refresher.callsOf('expand')).toEqual([[{ major: 1, minor: 0 }], [{ major: 2, minor: 0 }]]);
  });
});

describe('the text of an address', () => {
  it('is that of its keys, one by one or many at once, handed out or not', async () => {
    const indices = [PRIMARY, { major: 3, minor: 9 }];
    const expected = indices.map((index) => formatAddress(wallet.accounts.decoded(index)));
    expect(await wallet.accounts.addresses(indices)).toEqual(expected);
    expect(indices.map((index) => wallet.accounts.address(index))).toEqual(expected);
    wallet.accounts.prepare(indices);
    expect(indices.map((index) => wallet.accounts.address(index))).toEqual(expected);
    expect(wallet.accounts.decoded(PRIMARY)).toMatchObject({ kind: 'standard', network: 'mainnet' });
  });
});

describe('the index of an address', () => {
  const foreign = namedKeys('another wallet');

  it('is found where the address was handed out or lies within the lookahead', () => {
    wallet.watch(2, 4);
    for (const index of [PRIMARY, { major: 0, minor: 3 }, { major: 1, minor: 2 }]) {
      expect(wallet.accounts.indexOf(wallet.accounts.address(index))).toEqual(index);
      expect(wallet.accounts.ownIndex(wallet.accounts.address(index))).toEqual(index);
    }
  });

  it('of an integrated address is that of the primary address', () => {
    const paymentId = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) as PaymentId;
    const text = formatAddress({ ...wallet.accounts.decoded(PRIMARY), kind: 'integrated', paymentId });
    expect(wallet.accounts.indexOf(text)).toEqual(PRIMARY);
  });

  it.each([
    ['beyond the lookahead', () => wallet.accounts.address({ major: 0, minor: 5 })],
    ['of another wallet', () => formatAddress({ ...foreign, kind: 'standard' })],
    [
      'with our spend key and a view key of another wallet',
      () => formatAddress({ ...wallet.keys, viewPublicKey: foreign.viewPublicKey, kind: 'standard' }),
    ],
  ])('is refused for an address %s', async (_, text) => {
    expect(await faultOf(() => wallet.accounts.indexOf(text()))).toEqual({
      kind: 'wrong_address',
      reason: "Address doesn't belong to the wallet",
    });
  });

  it.each([
    ['no address', () => 'nonsense', { reason: 'Invalid address' }],
    [
      'an address of another network, whose network is named beside the message of the reference',
      () => formatAddress({ ...wallet.keys, network: 'stagenet', kind: 'standard' }),
      { reason: 'the address belongs to stagenet, not to mainnet', text: 'Invalid address' },
    ],
  ])('is refused for %s', async (_, text, reason) => {
    const refused = { kind: 'wrong_address', ...reason };
    expect(await faultOf(() => wallet.accounts.indexOf(text()))).toEqual(refused);
    expect(await faultOf(() => wallet.accounts.parse(text()))).toEqual(refused);
  });

  it('is undefined for an address of another wallet', () => {
    expect(wallet.accounts.ownIndex(formatAddress({ ...foreign, kind: 'standard' }))).toBeUndefined();
  });

  // `ownIndex` documents WalletError `wrong_address`; it throws the CodecError of the address reader.
  it('is refused as a wrong address by `ownIndex` for a text that is no address', async () => {
    expect(await faultOf(() => wallet.accounts.ownIndex('nonsense'))).toMatchObject({
      kind: 'wrong_address',
    });
  });
});

describe('an address to resolve', () => {
  it('may be a name, whose record must be authenticated', async () => {
    const text = wallet.accounts.address(PRIMARY);
    const texts = [`oa1:xmr recipient_address=${text}; recipient_name=a shop;`];
    wallet.records.set('donate.example.org', { texts, authenticated: true });
    wallet.records.set('forged.example.org', { texts, authenticated: false });
    expect(await wallet.accounts.resolve('donate@example.org')).toEqual(wallet.accounts.decoded(PRIMARY));
    expect(await wallet.accounts.resolve(text)).toEqual(wallet.accounts.decoded(PRIMARY));
    expect(await faultOf(() => wallet.accounts.resolve('forged@example.org'))).toMatchObject({
      kind: 'wrong_address',
      text: 'Invalid DNSSEC for forged.example.org',
    });
  });
});

describe('a label', () => {
  it('is that set last, and empty before', async () => {
    await wallet.accounts.createAddresses(0, 2, '');
    expect(wallet.accounts.label({ major: 0, minor: 1 })).toBe('');
    wallet.accounts.setLabel({ major: 0, minor: 1 }, 'rent');
    wallet.accounts.setLabel({ major: 0, minor: 1 }, 'tea');
    expect(wallet.accounts.labels(0)).toEqual(
      new Map([
        [0, 'Primary account'],
        [1, 'tea'],
      ]),
    );
  });

  it('is listed in the order of any addresses, of several accounts', async () => {
    await wallet.accounts.createAddresses(0, 2, 'tea');
    const { major } = wallet.accounts.create('second');
    await wallet.accounts.createAddresses(major, 1, '');
    const indices = [
      ...[
        { major, minor: 1 },
        { major: 0, minor: 2 },
        { major, minor: 0 },
      ],
      ...[
        { major: 0, minor: 0 },
        { major: 7, minor: 7 },
      ],
    ];
    expect(wallet.accounts.labelsOf(indices)).toEqual(['', 'tea', 'second', 'Primary account', '']);
    expect(wallet.accounts.labelsOf([])).toEqual([]);
  });

  it('is refused for an address that was not handed out, and nothing changes', async () => {
    expect(await faultOf(() => wallet.accounts.setLabel({ major: 0, minor: 1 }, 'x'))).toMatchObject({
      kind: 'address_out_of_range',
    });
    expect(wallet.accounts.labels(0).size).toBe(1);
  });
});

describe('labels in a wallet that syncs under a password of its own', () => {
  it('are hidden', async () => {
    const hidden = new TestWallet({ backgroundSync: 'custom-background-password' });
    hidden.accounts.setLabel(PRIMARY, 'rent');
    expect(hidden.accounts.label(PRIMARY)).toBe('rent');
    const [shown] = await hidden.accounts.list(0, []);
    hidden.hide();
    expect([hidden.accounts.label(PRIMARY), hidden.accounts.labels(0).size]).toEqual(['', 0]);
    expect(hidden.accounts.labelsOf([PRIMARY])).toEqual(['']);
    expect([shown?.label, (await hidden.accounts.list(0, []))[0]?.label]).toEqual(['rent', '']);
    expect((await hidden.accounts.list(0, [0]))[0]?.label).toBe('');
    hidden.close();
  });

  it('are shown where the password is that of the wallet', () => {
    const reused = new TestWallet({ backgroundSync: 'reuse-wallet-password' });
    reused.hide();
    expect(reused.accounts.label(PRIMARY)).toBe('Primary account');
    reused.close();
  });
});
