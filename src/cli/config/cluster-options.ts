import { DEFAULT_LEASE_MS, DEFAULT_TIMEOUT_MS } from '../../cluster/cluster.js';
import type { OptionSpec } from './option-spec.js';

/** Options of a cluster. */
export const CLUSTER_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'cluster',
    argument: 'url',
    group: 'Cluster',
    help: 'serve the wallets of the cluster whose PostgreSQL database has this address, which may list several hosts (docs/cluster.md)',
    secret: true,
  },
  {
    name: 'cluster-secret-file',
    argument: 'file',
    group: 'Cluster',
    help: 'file with the secret of the cluster, the same on every machine; `wallet-rpc cluster init` makes it',
  },
  {
    name: 'cluster-url',
    argument: 'url',
    group: 'Cluster',
    help: 'address at which the other processes of the cluster reach this one, http(s)://host:port',
  },
  {
    name: 'cluster-allow-http',
    group: 'Cluster',
    help: 'allow addresses of processes with http that are not on this machine: whoever is on the network between them reads all calls, passwords included',
  },
  {
    name: 'cluster-ca-certificates',
    argument: 'file',
    group: 'Cluster',
    help: 'certificates that those of the other processes must chain to, PEM; absent: those of Node.js',
  },
  {
    name: 'cluster-allowed-fingerprints',
    argument: 'list',
    group: 'Cluster',
    help: 'SHA-256 fingerprints of the certificates of the other processes, comma separated, in place of a CA',
  },
  {
    name: 'cluster-capacity',
    argument: 'number',
    group: 'Cluster',
    help: 'largest number of wallets that this process takes by itself',
    default: '1000',
  },
  {
    name: 'cluster-timeout',
    argument: 'ms',
    group: 'Cluster',
    help: 'longest wait for the quorum of the database; a call that waits longer is answered with -66',
    default: String(DEFAULT_TIMEOUT_MS),
  },
  {
    name: 'cluster-lease',
    argument: 'ms',
    group: 'Cluster',
    help: 'time without a renewal after which another process takes a wallet over, the same in every process',
    default: String(DEFAULT_LEASE_MS),
  },
  {
    name: 'cluster-single',
    group: 'Cluster',
    help: 'accept a database without a quorum of standbys: a wallet is lost with its disk (for trials)',
  },
];
