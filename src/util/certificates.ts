import { X509Certificate } from 'node:crypto';
import { fileErrorCode, readOperatorFile } from './files.js';

/**
 * Parses the SHA-256 fingerprint of a certificate: hex digits, with or without colons.
 * @returns lower-case hex digits; undefined for any other text.
 */
export function parseFingerprint(text: string): string | undefined {
  const digits = text.replaceAll(':', '').toLowerCase();
  return /^[0-9a-f]{64}$/.test(digits) ? digits : undefined;
}

/** Returns the SHA-256 fingerprint of a certificate [lower-case hex]; undefined without a certificate. */
export const fingerprintOf = (certificate: X509Certificate | undefined): string | undefined =>
  certificate && parseFingerprint(certificate.fingerprint256);

/**
 * Error of a file that cannot be read, or that does not contain only certificates. The message completes "the file …".
 */
export class PemError extends Error {
  override readonly name = 'PemError';
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^]*?-----END \1-----/g;

/** Labels of certificates that OpenSSL reads. Source: pem.h. */
const LABELS = ['CERTIFICATE', 'X509 CERTIFICATE', 'TRUSTED CERTIFICATE'];

/**
 * Checks that a file has certificates in PEM, all of which can be read. OpenSSL accepts a file without certificates,
 * and the readable certificates of a file that was cut off: peers with the missing certificates would be locked out.
 * @throws PemError
 */
export function assertCertificates(file: Uint8Array): void {
  const text = Buffer.from(file).toString('latin1');
  const rest = text.replaceAll(BLOCK, '');
  if (/-----(?:BEGIN|END) /.test(rest)) throw new PemError('is cut off');
  const blocks = [...text.matchAll(BLOCK)].filter(([, label = '']) => LABELS.includes(label));
  if (blocks.length === 0) throw new PemError('has no certificate in PEM');
  for (const [block] of blocks)
    try {
      new X509Certificate(block);
    } catch (cause) {
      throw new PemError('has a certificate that cannot be read', { cause });
    }
}

/**
 * Reads a file of certificates that the operator names.
 * @param patienceMs longest wait for a pipe to be written to [ms]. @throws PemError with the reason
 */
export function readCertificateFile(path: string, patienceMs = 0): Buffer {
  let file: Buffer;
  try {
    file = readOperatorFile(path, { patienceMs });
  } catch (cause) {
    throw new PemError(`cannot be read (${fileErrorCode(cause)})`, { cause });
  }
  assertCertificates(file);
  return file;
}
