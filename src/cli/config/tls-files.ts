import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import { assertTlsFiles, type DaemonSsl } from '../../daemon/connector.js';
import { DaemonError } from '../../daemon/errors.js';
import type { HttpServer, TlsOptions } from '../../http/http-server.js';
import { makeSelfSigned, type CertifiedKey } from '../../http/self-signed.js';
import { ConfigError } from './config-error.js';
import type { SslConfig } from './ssl-config.js';

/** Reads the files of the options `--rpc-ssl-…`. @returns undefined if TLS is disabled. @throws ConfigError */
export function readTls(ssl: SslConfig, log: Logger): TlsOptions | undefined {
  const { mode, caFile, allowedFingerprints } = ssl;
  if (mode === 'disabled') return undefined;
  return {
    certificate: readCertificate(ssl) ?? (() => selfSigned(log)),
    ...(caFile === undefined ? {} : { ca: read(caFile) }),
    allowedFingerprints,
    optional: mode === 'autodetect',
  };
}

/** Checks the files of the options `--daemon-ssl-…`, which are read anew for each connection. @throws ConfigError */
export function checkDaemonTls(ssl: DaemonSsl): void {
  try {
    assertTlsFiles(ssl);
  } catch (cause) {
    if (!(cause instanceof DaemonError)) throw cause;
    throw new ConfigError(`--daemon-ssl-…: ${cause.message}`, { cause });
  }
}

/**
 * Reads the files of the options `--rpc-ssl-…` again, for new connections. Logs invalid files, after which nothing is
 * changed.
 */
export function renewCertificate(http: HttpServer, ssl: SslConfig, log: Logger): void {
  if (ssl.mode === 'disabled') return;
  try {
    const certificate = readCertificate(ssl);
    if (certificate === undefined) return;
    const ca = ssl.caFile === undefined ? undefined : read(ssl.caFile);
    http.renewCertificate(certificate, ca);
    log.info('TLS certificates were read again');
  } catch (error) {
    log.error(
      `TLS certificates stay as they were: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Reads the certificate and its key. @returns undefined if no files are given. @throws ConfigError */
function readCertificate({ privateKeyPath, certificatePath }: SslConfig): CertifiedKey | undefined {
  if (privateKeyPath === undefined || certificatePath === undefined) return undefined;
  return { key: read(privateKeyPath), cert: read(certificatePath) };
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new ConfigError(`--rpc-ssl-…: ${path} cannot be read`, { cause });
  }
}

async function selfSigned(log: Logger): Promise<CertifiedKey> {
  const made = await makeSelfSigned();
  log.info(
    { fingerprint: made.fingerprint },
    'made a self-signed TLS certificate: --rpc-ssl-certificate names another',
  );
  return made;
}
