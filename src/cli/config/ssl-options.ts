import { parseFingerprint } from '../../util/certificates.js';
import { ConfigError, optional } from './config-values.js';
import { list, oneOf, type Given, type Options } from './option.js';

const MODE = {
  argument: 'mode',
  help: 'enabled, disabled or autodetect',
  default: 'autodetect',
  value: oneOf(['enabled', 'disabled', 'autodetect'], ' is one of enabled, disabled, autodetect'),
} as const;

/** Options of one side of TLS, without the beginning of their names. */
const PARTS = {
  'private-key': { argument: 'file', help: 'private key, PEM' },
  certificate: { argument: 'file', help: 'certificate, PEM' },
  'ca-certificates': { argument: 'file', help: 'certificates that the peer must chain to, PEM' },
  'allowed-fingerprints': {
    argument: 'list',
    help: 'SHA-256 fingerprints of accepted peer certificates, comma separated',
    value: list,
  },
  'allow-chained': { help: 'accept peer certificates that a listed CA issued' },
} as const satisfies Options;

type SslOptions<Name extends string> = { readonly [Mode in Name]: typeof MODE } & {
  readonly [Part in keyof typeof PARTS as `${Name}-${Part}`]: (typeof PARTS)[Part];
};

/**
 * Returns the options of one side of TLS.
 * @param name name of the option with the mode; the names of the other options begin with it.
 */
export const sslOptions = <const Name extends string>(name: Name): SslOptions<Name> =>
  ({
    [name]: MODE,
    ...Object.fromEntries(Object.entries(PARTS).map(([part, option]) => [`${name}-${part}`, option])),
  }) as SslOptions<Name>;

/** Use of TLS: required, off, or decided by the connection. */
export type SslMode = Given<{ mode: typeof MODE }>['mode'];

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

/**
 * Returns the settings of one side of TLS.
 * @param name name of the option with the mode; the names of the other options begin with it. @throws ConfigError
 */
export function sslConfig<const Name extends string>(name: Name, given: Given<SslOptions<Name>>): SslConfig {
  const part = <Part extends keyof typeof PARTS>(of: Part) =>
    given[`${name}-${of}` as keyof typeof given] as Given<typeof PARTS>[Part];
  const [key, certificate, caFile] = [part('private-key'), part('certificate'), part('ca-certificates')];
  const allowedFingerprints = readFingerprints(`${name}-allowed-fingerprints`, part('allowed-fingerprints'));
  if ((key === undefined) !== (certificate === undefined))
    throw new ConfigError(`--${name}-private-key and --${name}-certificate go together`);
  return {
    mode: sslMode(name, given[name], caFile !== undefined || allowedFingerprints.length > 0),
    ...optional('privateKeyPath', key),
    ...optional('certificatePath', certificate),
    ...optional('caFile', caFile),
    allowedFingerprints,
    allowChained: part('allow-chained'),
  };
}

/** Parses fingerprints of certificates. @param option that lists them. @returns lower-case hex. @throws ConfigError */
export const readFingerprints = (option: string, texts: readonly string[]): string[] =>
  texts.map((text) => {
    const fingerprint = parseFingerprint(text);
    if (fingerprint !== undefined) return fingerprint;
    throw new ConfigError(`--${option}: a SHA-256 fingerprint has 64 hex digits`);
  });
