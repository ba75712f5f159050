import { ThreadClient } from '../../util/thread-client.js';
import type { SelfSignedJobs } from './self-signed-thread.js';

/** A private key and the certificate of its public key, both in PEM form. */
export interface CertifiedKey {
  readonly key: string | Buffer;
  readonly cert: string | Buffer;
  /** SHA-256 of the certificate [upper-case hex with colons]. */
  readonly fingerprint?: string;
}

/**
 * Makes a new key with a self-signed certificate, valid for ten years, on a thread that ends afterwards: loading the
 * library for certificates takes a tenth of a second and about 15 MB. Source: net_ssl.cpp `create_rsa_ssl_certificate`;
 * with P-256 in place of RSA, since such a key is generated at once.
 */
export async function makeSelfSigned(): Promise<CertifiedKey> {
  const thread = new ThreadClient<SelfSignedJobs>(new URL('./self-signed-thread.js', import.meta.url), {
    threads: 1,
  });
  try {
    return await thread.run('make', undefined);
  } finally {
    await thread.close();
  }
}
