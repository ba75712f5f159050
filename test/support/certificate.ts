import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** PEM files of a key and of a certificate that it signed itself. */
export interface Certificate {
  readonly keyFile: string;
  readonly certFile: string;
}

/** Makes a certificate for localhost, good for two days. */
export function makeCertificate(directory: string): Certificate {
  const keyFile = join(directory, 'key.pem');
  const certFile = join(directory, 'cert.pem');
  const wanted = '-x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost'.split(' ');
  execFileSync('openssl', ['req', ...wanted, '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' });
  return { keyFile, certFile };
}
