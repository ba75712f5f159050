import { describe, expect, it, test } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { makeSelfSigned } from '../../src/http/server/self-signed.js';
import { fingerprintOf, parseFingerprint } from '../../src/util/fingerprint.js';

const DIGITS = '0123456789abcdef'.repeat(4);

describe('a fingerprint', () => {
  it('is read with and without colons, in either case', () => {
    const text = DIGITS.toUpperCase().match(/../g)?.join(':') ?? '';
    expect(parseFingerprint(text)).toBe(DIGITS);
    expect(parseFingerprint(DIGITS)).toBe(DIGITS);
  });

  test.each(['', DIGITS.slice(1), `${DIGITS}0`, `${DIGITS.slice(1)}g`, ` ${DIGITS}`])(
    'has 64 hex digits, unlike %p',
    (text) => {
      expect(parseFingerprint(text)).toBeUndefined();
    },
  );

  it('of a certificate is the digest of its bytes', async () => {
    const { cert, fingerprint = '' } = await makeSelfSigned();
    const certificate = new X509Certificate(cert);
    expect(fingerprintOf(certificate)).toBe(parseFingerprint(fingerprint));
    expect(fingerprintOf(undefined)).toBeUndefined();
  });
});
