import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** PEM files of a key and of a certificate that it signed itself. */
export interface Certificate {
  readonly keyFile: string;
  readonly certFile: string;
}

/**
 * Makes a certificate, good for two days.
 * @param names other names than localhost, as OpenSSL writes them: `IP:127.0.0.1`.
 */
export function makeCertificate(directory: string, names?: string): Certificate {
  const keyFile = join(directory, 'key.pem');
  const certFile = join(directory, 'cert.pem');
  const wanted = '-x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost'.split(' ');
  const more = names === undefined ? [] : ['-addext', `subjectAltName=${names}`];
  execFileSync('openssl', ['req', ...wanted, ...more, '-keyout', keyFile, '-out', certFile], {
    stdio: 'ignore',
  });
  return { keyFile, certFile };
}
