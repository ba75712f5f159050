import { ConfigError } from './options.js';

/** Use of TLS: required, off, or decided by the connection. */
export type SslMode = 'enabled' | 'disabled' | 'autodetect';

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
export function sslMode(name: string, asked: string | undefined, pinned: boolean): SslMode {
  if (asked !== 'enabled' && asked !== 'disabled' && asked !== 'autodetect')
    throw new ConfigError(`--${name} is one of enabled, disabled, autodetect`);
  if (!pinned) return asked;
  if (asked === 'disabled')
    throw new ConfigError(
      `--${name} disabled excludes --${name}-ca-certificates and --${name}-allowed-fingerprints`,
    );
  return 'enabled';
}
