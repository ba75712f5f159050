import { utf8 } from '../../util/bytes.js';
import { isSafeTransport } from '../../util/address.js';
import { Secret } from '../../util/secret.js';
import { ConfigError, optional } from './config-values.js';
import { integer, list, type Given, type Options } from './option.js';
import { readFingerprints } from './ssl-options.js';
import { readCertificates } from './tls-files.js';
import { DEFAULT_LEASE_MS, DEFAULT_TIMEOUT_MS } from '../../cluster/cluster.js';

/** Options of a cluster. */
export const CLUSTER_OPTIONS = {
  cluster: {
    argument: 'url',
    help: 'serve the wallets of the cluster whose PostgreSQL database has this address, which may list several hosts (docs/cluster.md)',
    secret: true,
  },
  'cluster-secret-file': {
    argument: 'file',
    help: 'file with the secret of the cluster, the same on every machine; `wallet-rpc cluster init` makes it',
  },
  'cluster-url': {
    argument: 'url',
    help: 'address at which the other processes of the cluster reach this one, http(s)://host:port',
  },
  'cluster-allow-http': {
    help: 'allow addresses of processes with http that are not on this machine: whoever is on the network between them reads all calls, passwords included',
  },
  'cluster-ca-certificates': {
    argument: 'file',
    help: 'certificates that those of the other processes must chain to, PEM; absent: those of Node.js',
  },
  'cluster-allowed-fingerprints': {
    argument: 'list',
    help: 'SHA-256 fingerprints of the certificates of the other processes, comma separated, in place of a CA',
    value: list,
  },
  'cluster-capacity': {
    argument: 'number',
    help: 'largest number of wallets that this process takes by itself',
    default: '1000',
    value: integer(1, 1_000_000),
  },
  'cluster-timeout': {
    argument: 'ms',
    help: 'longest wait for the quorum of the database; a call that waits longer is answered with -66',
    default: String(DEFAULT_TIMEOUT_MS),
    value: integer(100, 600_000),
  },
  'cluster-lease': {
    argument: 'ms',
    help: 'time without a renewal after which another process takes a wallet over, the same in every process',
    default: String(DEFAULT_LEASE_MS),
    value: integer(1000, 600_000),
  },
  'cluster-single': {
    help: 'accept a database without a quorum of standbys: a wallet is lost with its disk (for trials)',
  },
} as const satisfies Options;

export interface ClusterConfig {
  /** Address of the database, which may contain a password. */
  readonly database: Secret;
  readonly secretFile: string;
  /** Address of this process, without a slash at its end. */
  readonly url: string;
  /**
   * Certificates of the other processes; without both members: certificates that the authorities of Node.js certify.
   */
  readonly tls: {
    /** PEM. */
    readonly ca?: string;
    /** SHA-256 fingerprints [lower-case hex]. */
    readonly fingerprints?: readonly string[];
    /** True: other machines may be reached without TLS. */
    readonly allowsHttp: boolean;
  };
  readonly capacity: number;
  /** Longest wait for the quorum [ms]. */
  readonly timeoutMs: number;
  readonly leaseMs: number;
  readonly isSingle: boolean;
}

const NEEDED = ['cluster-secret-file', 'cluster-url'] as const;

/** Options without a default that have no effect without `--cluster`. */
const BELONGING = [
  ...NEEDED,
  'cluster-allow-http',
  'cluster-ca-certificates',
  'cluster-allowed-fingerprints',
  'cluster-single',
] as const;

/** Returns the settings of the cluster; undefined if this process is not in a cluster. @throws ConfigError */
export function clusterConfig(given: Given<typeof CLUSTER_OPTIONS>): ClusterConfig | undefined {
  const { cluster: database, 'cluster-secret-file': secretFile, 'cluster-url': url } = given;
  if (database === undefined) {
    const other = BELONGING.find((name) => isGiven(given[name]));
    if (other === undefined) return undefined;
    throw new ConfigError(`--${other} belongs to a cluster: --cluster is the address of its database`);
  }
  if (secretFile === undefined || url === undefined) {
    const missing = NEEDED.find((name) => given[name] === undefined);
    throw new ConfigError(`--cluster needs --${missing}, too`);
  }
  const allowsHttp = given['cluster-allow-http'];
  return {
    ...{ database: new Secret(utf8(database)), secretFile, url: readMemberUrl(url, allowsHttp) },
    tls: {
      ...tlsOf(given['cluster-ca-certificates'], given['cluster-allowed-fingerprints']),
      allowsHttp,
    },
    capacity: given['cluster-capacity'],
    timeoutMs: given['cluster-timeout'],
    leaseMs: given['cluster-lease'],
    isSingle: given['cluster-single'],
  };
}

const isGiven = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;

/** Reads the accepted certificates. @param caFile path of a PEM file. @throws ConfigError */
function tlsOf(
  caFile: string | undefined,
  fingerprints: readonly string[],
): Omit<ClusterConfig['tls'], 'allowsHttp'> {
  const parsed = readFingerprints('cluster-allowed-fingerprints', fingerprints);
  return {
    ...optional(
      'ca',
      caFile === undefined ? undefined : readCertificates('cluster-ca-certificates', caFile).toString(),
    ),
    ...(parsed.length === 0 ? {} : { fingerprints: parsed }),
  };
}

/** Parses the address of this process. @returns the address without a slash at its end. @throws ConfigError */
function readMemberUrl(value: string, allowsHttp: boolean): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  const hasLogin = url?.username !== '' || url.password !== '';
  if (url === undefined || !isHttp || hasLogin || url.pathname !== '/' || /[?#]/.test(value))
    throw new ConfigError('--cluster-url is http(s)://host:port, without login and path');
  if (!allowsHttp && !isSafeTransport(url))
    throw new ConfigError(
      '--cluster-url: without TLS, whoever is on the network reads all calls, passwords included: give an https address, or add --cluster-allow-http if that network is yours',
    );
  return url.origin;
}
