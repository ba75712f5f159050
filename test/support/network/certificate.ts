import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { connect } from 'node:tls';

/** PEM files of a key and its self-signed certificate. */
export interface Certificate {
  readonly keyFile: string;
  readonly certFile: string;
}

/**
 * Makes a certificate that is valid for two days.
 * @param names subject names in place of localhost, in OpenSSL's syntax: `IP:127.0.0.1`.
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

/** Makes a certificate of a server under an authority of its own. @param names subject names, in OpenSSL's syntax. */
export function makeIssuedCertificate(
  directory: string,
  names: string,
): Certificate & { readonly authorityFile: string } {
  const authorityFile = join(directory, 'authority.pem');
  const authorityKey = join(directory, 'authority-key.pem');
  const keyFile = join(directory, 'server-key.pem');
  const certFile = join(directory, 'server.pem');
  const make = (subject: string, key: string, cert: string, more: readonly string[]): void =>
    void execFileSync(
      'openssl',
      [
        ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj'.split(' '),
        ...[subject, ...more, '-keyout', key, '-out', cert],
      ],
      { stdio: 'ignore' },
    );
  make('/CN=authority', authorityKey, authorityFile, []);
  const under = ['-CA', authorityFile, '-CAkey', authorityKey];
  make('/CN=database', keyFile, certFile, [
    ...under,
    ...['-addext', `subjectAltName=${names}`, '-addext', 'basicConstraints=critical,CA:false'],
  ]);
  return { keyFile, certFile, authorityFile };
}

/** Reads the certificate that a server on this machine shows to a new connection, in DER. */
export const certificateAt = (port: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().raw);
      socket.destroy();
    }).on('error', reject);
  });
