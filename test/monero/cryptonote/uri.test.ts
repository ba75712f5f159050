import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { formatUri, parseUri, type PaymentUri } from '../../../src/monero/cryptonote/uri.js';
import { amount, U64_MAX, ZERO } from '../../../src/util/amount.js';
import { CodecError } from '../../../src/util/codec.js';
import { fillIn, uriVectors } from './uri-vectors.js';

const { ADDRESS, INTEGRATED } = uriVectors.addresses;
const PLAIN: PaymentUri = {
  address: ADDRESS,
  amount: ZERO,
  paymentId: '',
  recipientName: '',
  description: '',
};

describe('a payment link', () => {
  test.each(uriVectors.valid)('with $note is read', ({ uri }) => {
    expect(parseUri(fillIn(uri), 'mainnet').address).toMatch(/^[48]/);
  });

  test.each(uriVectors.invalid)('with $note is refused', ({ uri }) => {
    expect(() => parseUri(fillIn(uri), 'mainnet')).toThrow(CodecError);
  });

  it('is parsed with every field', () => {
    const uri = fillIn(
      'monero:ADDRESS?tx_amount=0.011&recipient_name=a%3Db=c&tx_description=%E2%98%95%ff&foo=%20&tx_payment_id=1234567890abcdef',
    );
    expect(parseUri(uri, 'mainnet')).toEqual({
      address: ADDRESS,
      amount: 11_000_000_000n,
      paymentId: '1234567890abcdef',
      recipientName: 'a=b=c',
      description: '☕\ufffd',
      unknown: ['foo=%20'],
    });
  });

  it('is written with fields in order, amounts exact and texts escaped', () => {
    const request = {
      address: ADDRESS,
      amount: amount(1n),
      paymentId: '1234567890abcdef',
      recipientName: ' a=b&c%',
      description: 'あ~',
    };
    expect(formatUri(request, 'mainnet')).toBe(
      fillIn(
        'monero:ADDRESS?tx_payment_id=1234567890abcdef&tx_amount=0.000000000001&recipient_name=%20a%3Db%26c%25&tx_description=%E3%81%82%7E',
      ),
    );
    expect(formatUri(PLAIN, 'mainnet')).toBe(fillIn('monero:ADDRESS'));
  });

  test.each<[string, Partial<PaymentUri>]>([
    ['no address', { address: '' }],
    ['a payment id that is not hex', { paymentId: 'x'.repeat(16) }],
    ['a payment id of a wrong length', { paymentId: '00' }],
    ['a second payment id', { address: INTEGRATED, paymentId: '1234567890abcdef' }],
  ])('is not written with %s', (_, change) => {
    expect(() => formatUri({ ...PLAIN, ...change }, 'mainnet')).toThrow(CodecError);
  });

  it('is read with a thousand parameters, and refused with one more', () => {
    const withUnknown = (count: number): string =>
      `monero:${ADDRESS}?${Array.from({ length: count }, (_, i) => `p${i}=1`).join('&')}`;
    expect(parseUri(withUnknown(1000), 'mainnet').unknown).toHaveLength(1000);
    for (const count of [1001, 100_000])
      expect(() => parseUri(withUnknown(count), 'mainnet')).toThrow('at most 1000 parameters');
  });

  it('is not written for another network', () => {
    expect(() => formatUri(PLAIN, 'testnet')).toThrow(CodecError);
  });

  it('round-trips', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: U64_MAX }),
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'binary-ascii' }),
        fc.constantFrom('', '1234567890abcdef', 'ab'.repeat(32)),
        (value, recipientName, description, paymentId) => {
          const request = { address: ADDRESS, amount: amount(value), paymentId, recipientName, description };
          expect(parseUri(formatUri(request, 'mainnet'), 'mainnet')).toEqual({ ...request, unknown: [] });
        },
      ),
    );
  });
});
