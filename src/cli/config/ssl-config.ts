import * as z from 'zod';
import { parseFingerprint } from '../../util/fingerprint.js';
import { ConfigError } from './config-error.js';
import { optional } from './config-values.js';
import { flag, list, oneOf, readOption, readOptions, text } from './option-schemas.js';
import type { RawOptions } from './option-spec.js';

const SSL_MODE = oneOf(['enabled', 'disabled', 'autodetect'], ' is one of enabled, disabled, autodetect');

/** Use of TLS: required, off, or decided by the connection. */
export type SslMode = z.output<typeof SSL_MODE>;

/** TLS settings of one side of a connection, from the options `--…-ssl-…`. */
export interface SslConfig {
  readonly mode: SslMode;
  readonly privateKeyPath?: string;
  readonly certificatePath?: string;
  readonly caFile?: string;
  /** SHA-256 fingerprints of allowed certificates [lower-case hex without separators]. */
  readonly allowedFingerprints: readonly string[];
  readonly allowChained: boolean;
}

/**
 * Returns the TLS mode of an option.
 * @param pinned true: the certificates of the peer are restricted, so that plain connections, which would bypass the
 * restriction, are not allowed. Source: rpc_args.cpp `do_process_ssl`.
 */
function sslMode(name: string, asked: SslMode, pinned: boolean): SslMode {
  if (!pinned) return asked;
  if (asked === 'disabled')
    throw new ConfigError(
      `--${name} disabled excludes --${name}-ca-certificates and --${name}-allowed-fingerprints`,
    );
  return 'enabled';
}

const PARTS = z.object({
  'allowed-fingerprints': list,
  'private-key': text,
  certificate: text,
  'ca-certificates': text,
  'allow-chained': flag,
});

/**
 * Reads the settings of one side of TLS.
 * @param name of the option with the mode, with which the names of the others begin. @throws ConfigError
 */
export function readSsl(name: string, raw: RawOptions): SslConfig {
  const parts = Object.keys(PARTS.shape).flatMap((part) => {
    const value = raw[`${name}-${part}`];
    return value === undefined ? [] : [[part, value] as const];
  });
  const {
    'private-key': key,
    certificate,
    'ca-certificates': caFile,
    'allowed-fingerprints': fingerprints,
    'allow-chained': allowChained,
  } = readOptions(PARTS, Object.fromEntries(parts));
  const allowedFingerprints = fingerprints.map((item) => readFingerprint(name, item));
  if ((key === undefined) !== (certificate === undefined))
    throw new ConfigError(`--${name}-private-key and --${name}-certificate go together`);
  const asked = readOption(name, SSL_MODE, raw);
  return {
    mode: sslMode(name, asked, caFile !== undefined || allowedFingerprints.length > 0),
    ...optional('privateKeyPath', key),
    ...optional('certificatePath', certificate),
    ...optional('caFile', caFile),
    allowedFingerprints,
    allowChained,
  };
}

function readFingerprint(name: string, text: string): string {
  const fingerprint = parseFingerprint(text);
  if (fingerprint !== undefined) return fingerprint;
  throw new ConfigError(`--${name}-allowed-fingerprints: a SHA-256 fingerprint has 64 hex digits`);
}
