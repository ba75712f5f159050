import type { X509Certificate } from 'node:crypto';

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
