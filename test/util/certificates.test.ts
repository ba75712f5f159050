import { describe, expect, it, test, afterAll, beforeAll } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { makeSelfSigned } from '../../src/http/server/http-server.js';
import {
  fingerprintOf,
  parseFingerprint,
  assertCertificates,
  PemError,
} from '../../src/util/certificates.js';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '../support/network/certificate.js';

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

const directory = mkdtempSync(join(tmpdir(), 'pem-'));
afterAll(() => rmSync(directory, { recursive: true }));

let cert = '';
let key = '';
beforeAll(() => {
  const { certFile, keyFile } = makeCertificate(directory);
  cert = readFileSync(certFile, 'utf8');
  key = readFileSync(keyFile, 'utf8');
});

const check = (text: string): void => assertCertificates(Buffer.from(text, 'latin1'));

describe('a file of certificates', () => {
  it('may have several, with other lines and a key between', () => {
    check(cert);
    check(`# mine\n${cert}\r\n${key}\n# theirs\n${cert.replaceAll('\n', '\r\n')}`);
    check(cert.trimEnd());
    check(cert.replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE'));
  });

  it.each<[string, (cert: string) => string, string]>([
    ['nothing', () => '', 'has no certificate in PEM'],
    ['line ends only', () => '\n\n', 'has no certificate in PEM'],
    ['garbage', () => '\u0000\u0001garbage', 'has no certificate in PEM'],
    ['a key only', () => key, 'has no certificate in PEM'],
    ['a certificate that is cut off', (one) => one.slice(0, 600), 'is cut off'],
    ['a certificate without its beginning', (one) => one.slice(200), 'is cut off'],
    ['a second one that is cut off', (one) => one + one.slice(0, -10), 'is cut off'],
    ['a mark without its certificate', (one) => `${one}-----BEGIN CERTIFICATE-----`, 'is cut off'],
    [
      'a certificate without lines in its middle',
      (one) => one.replace(/\n(.+\n){5}/, '\n'),
      'cannot be read',
    ],
    ['a second one that is none', (one) => one + one.replace(/\n[^-]+\n/, '\nAAAA\n'), 'cannot be read'],
    ['an empty certificate', (one) => one.replace(/\n[^-]+\n/, '\n'), 'cannot be read'],
  ])('is refused with %s', (_, make, reason) => {
    expect(() => check(make(cert))).toThrow(PemError);
    expect(() => check(make(cert))).toThrow(reason);
  });
});
