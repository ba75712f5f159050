import { WorkerPool } from '../util/worker-pool.js';

/** A private key and the certificate of its public key, both PEM. */
export interface CertifiedKey {
  readonly key: string | Buffer;
  readonly cert: string | Buffer;
  /** Of the certificate: SHA-256, in upper-case hex with colons. */
  readonly fingerprint?: string;
}

/**
 * Makes a new key with a certificate that it signed itself, good for ten years. A thread of its own does so and ends:
 * the library for certificates takes a tenth of a second, and some 15 MB, to be loaded.
 * Source: net_ssl.cpp `create_rsa_ssl_certificate`; here on P-256, which takes no seconds to make.
 */
export async function makeSelfSigned(): Promise<CertifiedKey> {
  const thread = new WorkerPool<undefined, CertifiedKey>(
    new URL('./self-signed-thread.js', import.meta.url),
    1,
  );
  try {
    return await thread.run(undefined);
  } finally {
    await thread.close();
  }
}
