import { createSecureContext } from 'node:tls';
import type { Logger } from 'pino';
import { assertTlsFiles, type DaemonSsl } from '../../daemon/connector.js';
import { DaemonError } from '../../daemon/errors.js';
import {
  makeSelfSigned,
  type CertifiedKey,
  type HttpServer,
  type TlsOptions,
} from '../../http/server/http-server.js';
import { PemError, readCertificateFile } from '../../util/certificates.js';
import { fileErrorCode, readOperatorFile } from '../../util/files.js';
import { ConfigError, optional, PIPE_PATIENCE_MS } from './config-values.js';
import type { SslConfig } from './ssl-options.js';

/** Files of the options `--rpc-ssl-…`, which belong together. */
interface TlsFiles {
  /** Certificate of the server and its key; absent: the server makes a certificate by itself. */
  readonly certificate?: CertifiedKey;
  /** CA certificates of clients. */
  readonly ca?: Buffer;
}

/** Reads the files of the options `--rpc-ssl-…`. @returns undefined if TLS is disabled. @throws ConfigError */
export function readTls(ssl: SslConfig, log: Logger): TlsOptions | undefined {
  if (ssl.mode === 'disabled') return undefined;
  const { certificate, ca } = readFiles(ssl, PIPE_PATIENCE_MS);
  return {
    certificate: certificate ?? (() => selfSigned(log)),
    ...optional('ca', ca),
    allowedFingerprints: ssl.allowedFingerprints,
    optional: ssl.mode === 'autodetect',
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
export function renewTls(http: HttpServer, ssl: SslConfig, log: Logger): void {
  if (ssl.mode === 'disabled' || (ssl.certificatePath === undefined && ssl.caFile === undefined)) return;
  try {
    http.renewTls(readFiles(ssl));
    log.info('TLS certificates were read again');
  } catch (error) {
    log.warn(`TLS certificates stay as they were: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Reads all files and checks that TLS works with them. @param patienceMs for pipes. @throws ConfigError */
function readFiles({ privateKeyPath, certificatePath, caFile }: SslConfig, patienceMs = 0): TlsFiles {
  const ca =
    caFile === undefined ? undefined : readCertificates('rpc-ssl-ca-certificates', caFile, patienceMs);
  if (privateKeyPath === undefined || certificatePath === undefined) return optional('ca', ca);
  const cert = readCertificates('rpc-ssl-certificate', certificatePath, patienceMs);
  const key = read('rpc-ssl-private-key', privateKeyPath, patienceMs);
  try {
    createSecureContext({ key, cert });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(
      `--rpc-ssl-private-key: ${privateKeyPath} is no key of the first certificate in ${certificatePath}: ${reason}`,
      { cause },
    );
  }
  return { certificate: { key, cert }, ...optional('ca', ca) };
}

/**
 * Reads a file of certificates. @param patienceMs for pipes. @throws ConfigError for a file without certificates, or
 * with a certificate that cannot be read
 */
export function readCertificates(option: string, path: string, patienceMs = 0): Buffer {
  try {
    return readCertificateFile(path, patienceMs);
  } catch (cause) {
    if (!(cause instanceof PemError)) throw cause;
    throw new ConfigError(`--${option}: ${path} ${cause.message}`, { cause });
  }
}

function read(option: string, path: string, patienceMs: number): Buffer {
  try {
    return readOperatorFile(path, { patienceMs });
  } catch (cause) {
    throw new ConfigError(`--${option}: ${path} cannot be read (${fileErrorCode(cause)})`, { cause });
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
