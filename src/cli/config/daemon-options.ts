import type { OptionSpec } from './option-spec.js';
import { sslOptions } from './ssl-options.js';

/** Options of the connection to the node. */
export const DAEMON_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'daemon-address',
    argument: 'host:port',
    group: 'Daemon',
    help: 'the node; http:// and https:// are understood, and ,trusted or ,untrusted behind it; repeatable, in the order of preference (docs/failover.md)',
    repeatable: true,
  },
  {
    name: 'daemon-host',
    argument: 'host',
    group: 'Daemon',
    help: 'its host, where --daemon-address is not given',
  },
  {
    name: 'daemon-port',
    argument: 'port',
    group: 'Daemon',
    help: 'its port (18081, testnet 28081, stagenet 38081)',
  },
  {
    name: 'daemon-login',
    argument: 'user[:password]',
    group: 'Daemon',
    help: 'HTTP digest credentials for the node, the same for every --daemon-address',
    secret: true,
  },
  {
    name: 'trusted-daemon',
    group: 'Daemon',
    help: 'trust answers of the node that cannot be verified; of each that --daemon-address does not mark itself',
  },
  { name: 'untrusted-daemon', group: 'Daemon', help: 'do not, even when it runs on this machine' },
  {
    name: 'whole-blocks',
    group: 'Daemon',
    help: 'request whole transactions from nodes that are not trusted, and compare each with its hash, so that such a node cannot change what a block contains; several times the traffic (docs/security.md)',
  },
  { name: 'proxy', argument: '[ip:]port', group: 'Daemon', help: 'SOCKS proxy towards the node' },
  {
    name: 'daemon-zmq',
    argument: 'tcp://host:port',
    group: 'Daemon',
    help: "the node's --zmq-pub: new blocks and transactions are read at once, beside the periodic refresh",
  },
  {
    name: 'daemon-ssl',
    argument: 'mode',
    group: 'Daemon',
    help: 'enabled, disabled or autodetect',
    default: 'autodetect',
  },
  ...sslOptions('daemon-ssl', 'Daemon'),
  { name: 'daemon-ssl-allow-any-cert', group: 'Daemon', help: "do not check the node's certificate" },
  {
    name: 'allow-mismatched-daemon-version',
    group: 'Daemon',
    help: 'go on with a node whose blocks follow rules newer than this server knows',
  },
  { name: 'offline', group: 'Daemon', help: 'never speak to a node' },
  {
    name: 'regtest',
    group: 'Daemon',
    help: 'start a regtest node with the server, on this machine, and use it',
  },
  {
    name: 'regtest-data-dir',
    argument: 'dir',
    group: 'Daemon',
    help: 'keep the chain of that node in this directory; otherwise it is gone with the process',
  },
  {
    name: 'no-dns',
    group: 'Daemon',
    help: 'do not look up OpenAlias names; with --offline or --proxy none are anyhow',
  },
  {
    name: 'dns-server',
    argument: 'list',
    group: 'Daemon',
    help: 'resolvers that verify DNSSEC, ip[:port], comma separated; otherwise those of the system',
  },
];
