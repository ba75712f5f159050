import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import { decompress, G, multiply } from '../../../src/monero/crypto/curve/point.js';
import { toScalar } from '../../../src/monero/crypto/scalar.js';
import type { PublicKey, SecretKey } from '../../../src/monero/crypto/types.js';
import { viewSecretFromSpend } from '../../../src/monero/cryptonote/account-keys.js';
import {
  formatAddress,
  integrate,
  parseAddress,
  standardOf,
} from '../../../src/monero/cryptonote/address.js';
import { encodeBase58Check } from '../../../src/monero/cryptonote/base58.js';
import {
  subaddressKeys,
  subaddressSecret,
  subaddressSpendPublicKey,
  subaddressSpendPublicKeys,
} from '../../../src/monero/cryptonote/subaddress-keys.js';
import type { AddressKind, NetworkType, PaymentId } from '../../../src/monero/cryptonote/types.js';
import { bytes32, concatBytes, fixedBytes, fromHex, toHex } from '../../../src/util/bytes.js';
import { CodecError } from '../../../src/util/codec.js';

interface Wallet {
  network: NetworkType;
  primary: string;
  spendKey: string;
  viewKey: string;
  addresses: { major: number; minor: number; address: string }[];
  integrated: { paymentId: string; address: string }[];
}

const { wallets } = JSON.parse(
  readFileSync(new URL('../../../../test/vectors/cryptonote/addresses.json', import.meta.url), 'utf8'),
) as { wallets: Wallet[] };

const secretOf = (hex: string): SecretKey => bytes32(fromHex(hex), 'SecretKey');
const paymentIdOf = (hex: string): PaymentId => fixedBytes(fromHex(hex), 8, 'PaymentId');

const wallet = wallets[0] as Wallet;
const primary = parseAddress(wallet.primary);
const viewSecret = secretOf(wallet.viewKey);
const subaddress = wallet.addresses[1]?.address ?? '';
const integrated = wallet.integrated[1]?.address ?? '';
const keys = concatBytes(primary.spendPublicKey, primary.viewPublicKey);

describe.each(wallets)('a $network wallet of the reference', ({ network, addresses, ...its }) => {
  const spendSecret = secretOf(its.spendKey);
  const view = secretOf(its.viewKey);
  const spendPublicKey = publicKeyOf(spendSecret);

  it('derives its view key from its spend key', () => {
    expect(toHex(viewSecretFromSpend(spendSecret))).toBe(its.viewKey);
  });

  it('has the address that its keys make', () => {
    const viewPublicKey = publicKeyOf(view);
    expect(formatAddress({ network, kind: 'standard', spendPublicKey, viewPublicKey })).toBe(its.primary);
    expect(parseAddress(its.primary, network)).toEqual({
      network,
      kind: 'standard',
      spendPublicKey,
      viewPublicKey,
    });
  });

  test.each(addresses)('has $address at {$major, $minor}', ({ major, minor, address }) => {
    const kind: AddressKind = major === 0 && minor === 0 ? 'standard' : 'subaddress';
    const its = { network, kind, ...subaddressKeys(spendPublicKey, view, { major, minor }) };
    expect(formatAddress(its)).toBe(address);
    expect(parseAddress(address, network)).toEqual(its);
    expect(subaddressSpendPublicKey(spendPublicKey, view, { major, minor })).toEqual(its.spendPublicKey);
    expect(subaddressSpendPublicKeys(spendPublicKey, view, major, minor, minor + 1)).toEqual([
      its.spendPublicKey,
    ]);
  });

  test.each(its.integrated)('integrates payment id $paymentId', ({ paymentId, address }) => {
    const standard = parseAddress(its.primary);
    const made = integrate(standard, paymentIdOf(paymentId));
    expect(formatAddress(made)).toBe(address);
    expect(parseAddress(address, network)).toEqual(made);
    expect(standardOf(made)).toEqual(standard);
  });

  test.each(['mainnet', 'testnet', 'stagenet'] as const)('is refused on %s', (other) => {
    const texts = [its.primary, addresses[1]?.address ?? '', its.integrated[0]?.address ?? ''];
    for (const text of texts) {
      if (other === network) expect(parseAddress(text, other).network).toBe(network);
      else expect(() => parseAddress(text, other)).toThrow(`belongs to ${network}, not to ${other}`);
    }
  });
});

describe('parseAddress', () => {
  // The data of upstream's own refusals: tests/unit_tests/base58.cpp.
  const upstream =
    'f724bc5c6cfbb9d97602c300423a2f28641874513a035778a0c1778d833201e9' +
    '220939689edf1abd5bc1d031f73ecd6c993add66d6808870456afeb8e7eeb68d';
  const upstreamText =
    '4AzKEX4gXdJdNeM6dfiBFL7kqund3HYGvMBF3ttsNd9SfzgYB6L7ep1Yg1osYJzLdaKAYSLVh6e6jKnAuzj3bw1oGy9kXCb';

  it("reads and writes upstream's example", () => {
    const address = parseAddress(upstreamText, 'mainnet');
    expect(toHex(address.spendPublicKey) + toHex(address.viewPublicKey)).toBe(upstream);
    expect(formatAddress(address)).toBe(upstreamText);
  });

  const withByte = (at: number, byte: number): Uint8Array => {
    const changed = fromHex(upstream);
    changed[at] = byte;
    return changed;
  };
  const id = fromHex('0123456789abcdef');

  test.each<[string, string, string]>([
    ['the empty text', '', 'too short'],
    ['a foreign character', `0${upstreamText.slice(1)}`, 'foreign character'],
    ['a space behind it', `${upstreamText} `, 'impossible length'],
    ['a space before it', ` ${upstreamText.slice(1)}`, 'foreign character'],
    ['a changed character', `${upstreamText.slice(0, -1)}c`, 'wrong checksum'],
    ['two characters swapped', `4zA${upstreamText.slice(3)}`, 'wrong checksum'],
    ['a missing character', upstreamText.slice(0, -1), 'block overflows'],
    ['the form of the first wallets', `00${upstream}0236fc3d`, 'too long'],
    ['a very long text', '1'.repeat(1_000_000), 'too long'],
    ['an unknown prefix', encodeBase58Check(0n, keys), 'unknown prefix'],
    ['a prefix of eight bytes', encodeBase58Check(0x1122334455667788n, fromHex('11')), 'unknown prefix'],
    ['a key of 31 bytes', encodeBase58Check(18n, keys.subarray(1)), 'wrong length'],
    ['a byte too many', encodeBase58Check(18n, concatBytes(keys, Uint8Array.of(0))), 'wrong length'],
    ['a standard address with a payment id', encodeBase58Check(18n, concatBytes(keys, id)), 'wrong length'],
    ['a subaddress with a payment id', encodeBase58Check(42n, concatBytes(keys, id)), 'wrong length'],
    ['an integrated address without one', encodeBase58Check(19n, keys), 'wrong length'],
    ['a payment id of 7 bytes', encodeBase58Check(19n, concatBytes(keys, id.subarray(1))), 'wrong length'],
    ['a spend key off the curve', encodeBase58Check(18n, withByte(0, 0)), 'spend key is not a point'],
    ['a view key off the curve', encodeBase58Check(18n, withByte(63, 1)), 'view key is not a point'],
    [
      'a spend key with y = p + 1',
      encodeBase58Check(18n, concatBytes(fromHex(`ee${'ff'.repeat(30)}7f`), keys.subarray(32))),
      'spend key is not a point',
    ],
    [
      'a negative zero',
      encodeBase58Check(18n, concatBytes(fromHex(`01${'00'.repeat(30)}80`), keys.subarray(32))),
      'spend key is not a point',
    ],
  ])('refuses %s', (_, text, why) => {
    expect(() => parseAddress(text, 'mainnet')).toThrow(CodecError);
    expect(() => parseAddress(text, 'mainnet')).toThrow(why);
  });

  it('accepts keys with torsion, as upstream does', () => {
    const torsion = fromHex(`ec${'ff'.repeat(30)}7f`);
    expect(parseAddress(encodeBase58Check(18n, concatBytes(torsion, torsion))).spendPublicKey).toEqual(
      torsion,
    );
  });

  it('answers any text with an address or a CodecError', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 120 }), (text) => {
        expect(() => parseAddress(text)).toThrow(CodecError);
      }),
    );
  });

  it('detects any changed character', () => {
    fc.assert(
      fc.property(fc.nat(wallet.primary.length - 1), fc.constantFrom(...'123ABCabcxyz'), (at, char) => {
        fc.pre(wallet.primary[at] !== char);
        const changed = wallet.primary.slice(0, at) + char + wallet.primary.slice(at + 1);
        expect(() => parseAddress(changed)).toThrow(CodecError);
      }),
    );
  });
});

describe('formatAddress', () => {
  it('refuses an integrated address without its payment id', () => {
    expect(() => formatAddress({ ...primary, kind: 'integrated' })).toThrow(RangeError);
  });

  test.each<AddressKind>(['standard', 'subaddress'])('refuses a %s address with a payment id', (kind) => {
    const paymentId = paymentIdOf('0123456789abcdef');
    expect(() => formatAddress({ ...primary, kind, paymentId })).toThrow(RangeError);
  });
});

describe('integrate', () => {
  test.each([subaddress, integrated])('refuses %s', (text) => {
    expect(() => integrate(parseAddress(text), paymentIdOf('0123456789abcdef'))).toThrow(RangeError);
  });

  it('refuses a payment id of another length', () => {
    expect(() => integrate(primary, new Uint8Array(32) as PaymentId)).toThrow(RangeError);
  });
});

describe('standardOf', () => {
  test.each([wallet.primary, subaddress])('leaves %s as it is', (text) => {
    expect(standardOf(parseAddress(text))).toEqual(parseAddress(text));
  });
});

describe('subaddress keys', () => {
  const { spendPublicKey } = primary;

  it('adds m·G to the spend key and multiplies the sum by the view key', () => {
    fc.assert(
      fc.property(fc.nat(0xffffffff), fc.integer({ min: 1, max: 0xffffffff }), (major, minor) => {
        const index = { major, minor };
        const { spendPublicKey: D, viewPublicKey: C } = subaddressKeys(spendPublicKey, viewSecret, index);
        const m = subaddressSecret(viewSecret, index);
        expect(decompress(D).subtract(decompress(spendPublicKey)).equals(multiply(G, m))).toBe(true);
        expect(multiply(decompress(D), toScalar(viewSecret)).equals(decompress(C))).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  test.each([
    [0, 0, 40],
    [1, 0, 40],
    [0, 1, 2],
    [7, 1000, 1040],
    [0xffffffff, 0xfffffff0, 0x100000000],
  ])('gives the same keys in a batch as one by one: account %i, %i to %i', (major, from, to) => {
    const batch = subaddressSpendPublicKeys(spendPublicKey, viewSecret, major, from, to);
    const single = Array.from({ length: to - from }, (_, i) =>
      subaddressSpendPublicKey(spendPublicKey, viewSecret, { major, minor: from + i }),
    );
    expect(batch).toEqual(single);
  });

  it('gives nothing for an empty range', () => {
    expect(subaddressSpendPublicKeys(spendPublicKey, viewSecret, 0, 5, 5)).toEqual([]);
  });

  test.each([
    [2, 1],
    [-1, 1],
    [0, 2 ** 32 + 1],
    [0.5, 2],
    [0, Number.NaN],
    [0, Number.POSITIVE_INFINITY],
  ])('refuses the range %d to %d', (from, to) => {
    expect(() => subaddressSpendPublicKeys(spendPublicKey, viewSecret, 0, from, to)).toThrow(RangeError);
  });

  test.each([
    { major: -1, minor: 0 },
    { major: 0, minor: -1 },
    { major: 2 ** 32, minor: 0 },
    { major: 0, minor: 2 ** 32 },
    { major: 0, minor: 0.5 },
  ])('refuses the index {$major, $minor}', (index) => {
    expect(() => subaddressKeys(spendPublicKey, viewSecret, index)).toThrow(RangeError);
  });

  it('refuses a spend key that is not a point', () => {
    const bad = new Uint8Array(32).fill(2) as PublicKey;
    expect(() => subaddressKeys(bad, viewSecret, { major: 0, minor: 1 })).toThrow(RangeError);
    expect(() => subaddressSpendPublicKeys(bad, viewSecret, 0, 0, 2)).toThrow(RangeError);
  });
});
