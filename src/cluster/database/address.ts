import { decodePercent } from '../../util/address.js';
import { PemError, readCertificateFile } from '../../util/certificates.js';
import { ClusterRefused } from '../errors.js';

/** One database server. */
export interface DatabaseHost {
  readonly host: string;
  readonly port: number;
}

/** Where the database of a cluster is, and as which user it is used. */
export interface DatabaseAddress {
  /** The servers, of which one takes writes. */
  readonly hosts: readonly DatabaseHost[];
  readonly user: string;
  /** Undefined: the environment variable PGPASSWORD, or no password. */
  readonly password: string | undefined;
  readonly database: string;
  /** Undefined: without TLS. */
  readonly tls: { readonly ca?: string; readonly rejectUnauthorized: boolean } | undefined;
}

const DEFAULT_PORT = 5432;

/** Texts of `--cluster` contain a password, so that no message repeats them. */
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

/** Reads how the connection is encrypted. Source: libpq, `sslmode` and `sslrootcert`. */
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

/** Reads the file of the certificates that those of the servers chain to. Without any, others would be trusted. */
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
  // The name is not repeated: behind a question mark in a password that was not escaped it is a part of the password.
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
