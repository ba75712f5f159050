import { WorkerPool } from '../util/worker-pool.js';

/** A private key and the certificate of its public key, both PEM. */
export interface CertifiedKey {
  readonly key: string | Buffer;
  readonly cert: string | Buffer;
  /** SHA-256 of the certificate, in upper-case hex with colons. */
  readonly fingerprint?: string;
}

/**
 * Makes a new key with a self-signed certificate, valid for ten years. A thread of its own does so and ends: loading
 * the library for certificates takes a tenth of a second and about 15 MB.
 * Source: net_ssl.cpp `create_rsa_ssl_certificate`; here with P-256, whose keys are made at once.
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
