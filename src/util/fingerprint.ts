import type { X509Certificate } from 'node:crypto';

/** Reads a SHA-256 fingerprint of a certificate in hex, which may have colons. @returns lower-case digits. */
export function parseFingerprint(text: string): string | undefined {
  const digits = text.replaceAll(':', '').toLowerCase();
  return /^[0-9a-f]{64}$/.test(digits) ? digits : undefined;
}

/** SHA-256 fingerprint of a certificate in lower-case hex digits; undefined without a certificate. */
export const fingerprintOf = (certificate: X509Certificate | undefined): string | undefined =>
  certificate && parseFingerprint(certificate.fingerprint256);
