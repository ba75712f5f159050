import { decodePercent } from '../../util/address.js';
import { PemError, readCertificateFile } from '../../util/certificates.js';
import { ClusterRefused } from '../errors.js';

/** One database server. */
export interface DatabaseHost {
  readonly host: string;
  readonly port: number;
}

/** Address of the database of a cluster, and the user as which processes log in. */
export interface DatabaseAddress {
  /** The servers, of which one takes writes. */
  readonly hosts: readonly DatabaseHost[];
  readonly user: string;
  /** Password of the user; undefined: the environment variable PGPASSWORD, or no password. */
  readonly password: string | undefined;
  readonly database: string;
  /** Settings of TLS; undefined: connections without TLS. */
  readonly tls: { readonly ca?: string; readonly rejectUnauthorized: boolean } | undefined;
}

const DEFAULT_PORT = 5432;

/** Creates the error of an invalid address. The address contains a password, so no message repeats it. */
const refused = (problem: string, cause?: unknown): ClusterRefused =>
  new ClusterRefused(
    'address',
    `--cluster: ${problem}; expected postgres://user@host:port,host:port/database?sslmode=verify-full`,
    { cause },
  );

/** Parses `host`, `host:port`, `[address]` or `[address]:port`. */
function readHost(text: string): DatabaseHost {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/]+))(?::(\d{1,5}))?$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3] ?? DEFAULT_PORT);
  if (host === undefined || port < 1 || port > 65535) throw refused('a host is not host:port');
  return { host, port };
}

/** Decodes the escaped characters of a user, password or name. */
function decode(text: string): string {
  const decoded = decodePercent(text);
  if (decoded === undefined) throw refused('a percent sign is not followed by two hex digits');
  return decoded;
}

/** Reads the settings of TLS of an address. Source: libpq, `sslmode` and `sslrootcert`. */
function readTls(options: URLSearchParams): DatabaseAddress['tls'] {
  const mode = options.get('sslmode') ?? 'disable';
  const path = options.get('sslrootcert');
  if (mode === 'disable') return undefined;
  if (mode === 'require' && path === null) return { rejectUnauthorized: false };
  if (mode !== 'verify-full' && mode !== 'require')
    throw refused('sslmode is not disable, require or verify-full');
  if (path === null) return { rejectUnauthorized: true };
  return { rejectUnauthorized: true, ca: readCertificates(path) };
}

/**
 * Reads the file of the authorities that certify the servers. A file without certificates is refused, because the
 * authorities of Node.js would be trusted in its place.
 */
function readCertificates(path: string): string {
  try {
    return readCertificateFile(path).toString();
  } catch (cause) {
    if (!(cause instanceof PemError)) throw cause;
    throw refused(`the file of sslrootcert ${cause.message}`, cause);
  }
}

/** Options that the address may have. `target_session_attrs` is always read-write. */
const OPTIONS = ['sslmode', 'sslrootcert', 'target_session_attrs'];

/** Parses the address of a database with one or several hosts. @throws ClusterRefused `address` */
export function readAddress(text: string): DatabaseAddress {
  const match = /^postgres(?:ql)?:\/\/(?:([^@/?]*)@)?([^@/?]+)\/([^/?]+)(?:\?(.*))?$/.exec(text);
  if (match === null) throw refused('not the address of a database');
  const [, login = '', hosts = '', database = '', query = ''] = match;
  const options = new URLSearchParams(query);
  // The message does not repeat the name: behind a question mark in a password that was not escaped, it is a part of
  // the password.
  if ([...options.keys()].some((name) => !OPTIONS.includes(name)))
    throw refused(`its options are ${OPTIONS.join(', ')} alone`);
  if ((options.get('target_session_attrs') ?? 'read-write') !== 'read-write')
    throw refused('target_session_attrs is not read-write');
  const colon = login.indexOf(':');
  const user = decode(colon < 0 ? login : login.slice(0, colon));
  return {
    hosts: hosts.split(',').map(readHost),
    user: user === '' ? 'wallet_rpc' : user,
    password: colon < 0 ? undefined : decode(login.slice(colon + 1)),
    database: decode(database),
    tls: readTls(options),
  };
}
