import { isIPv6 } from 'node:net';
import * as z from 'zod';
import { DAEMON_RPC_PORT } from '../../monero/cryptonote/constants.js';
import { defaultRules, KNOWN_RULES, newestForkOf } from '../../monero/cryptonote/known-forks.js';
import type { NetworkType } from '../../monero/cryptonote/types.js';
import type { Nameserver } from '../../net/dns/exchange.js';
import { parseNameserver } from '../../net/dns/resolver.js';
import { ConfigError, optional, readLogin } from './config-values.js';
import { GRACE_BLOCKS, readForkHeights } from './fork-heights.js';
import {
  assertQuorum,
  assertVerifiable,
  readDaemonAddresses,
  type DaemonSslConfig,
  parseTcpEndpoint,
  type TcpEndpoint,
} from './daemon-addresses.js';
import {
  integer,
  list,
  oneOf,
  readInteger,
  texts,
  type Given,
  type Options,
  type RawOptions,
} from './option.js';
import { sslOptions } from './ssl-options.js';

const MAX_PORT = 65_535;

/** Parses the address of a ZeroMQ publisher. @throws ConfigError */
function readZmq(text: string | undefined): TcpEndpoint | undefined {
  const endpoint = text === undefined ? undefined : parseTcpEndpoint(text);
  if (text !== undefined && (endpoint === undefined || endpoint.port === 0))
    throw new ConfigError('--daemon-zmq is tcp://host:port');
  return endpoint;
}

/** Parses the address of a DNS server. @throws ConfigError */
function readNameserver(text: string): Nameserver {
  try {
    return parseNameserver(text);
  } catch (cause) {
    throw new ConfigError('--dns-server is a list of ip[:port]', { cause });
  }
}

/** Names of the rules of the next fork, as a message lists them. */
const RULES_TEXT = KNOWN_RULES.join(' or ');

/** Options of the connection to the node. */
export const DAEMON_OPTIONS = {
  'daemon-address': {
    argument: 'host:port',
    help: 'the node; http:// and https:// are understood, and ,trusted or ,untrusted behind it; repeatable, in the order of preference (docs/failover.md)',
    repeatable: true,
    value: texts,
  },
  'daemon-host': {
    argument: 'host',
    help: 'its host, where --daemon-address is not given',
  },
  'daemon-port': {
    argument: 'port',
    help: 'its port (18081, testnet 28081, stagenet 38081)',
  },
  'daemon-login': {
    argument: 'user[:password]',
    help: 'HTTP digest credentials for the node, the same for every --daemon-address',
    secret: true,
    value: z
      .string()
      .optional()
      .transform((value) => readLogin('daemon-login', value)),
  },
  'trusted-daemon': {
    help: 'trust answers of the node that cannot be verified; of each that --daemon-address does not mark itself',
  },
  'untrusted-daemon': { help: 'do not, even when it runs on this machine' },
  'whole-blocks': {
    help: 'request whole transactions from nodes that are not trusted, and compare each with its hash, so that such a node cannot hide a payment in a block; payments that are credited are proven without it. Several times the traffic (docs/security.md)',
  },
  'verify-work': {
    help: 'credit blocks only once their proof of work is verified, in a process of its own; needs librandomx0 and koffi (docs/confirmations.md)',
  },
  'verify-depth': {
    argument: 'n',
    help: 'number of newest blocks whose work is verified at the start and after a gap of more than twelve times as many; of older ones, a sample is',
    default: '60',
    value: integer(1, 10_000),
  },
  checkpoint: {
    argument: 'file',
    help: 'block from which the work is verified, made by "wallet-rpc checkpoint make"',
  },
  'daemon-quorum': {
    argument: 'n',
    help: 'credit blocks only once so many of the listed nodes name them, have decoys confirmed by another one, and request whole transactions (docs/failover.md)',
    value: integer(2, 16).optional(),
  },
  proxy: {
    argument: '[ip:]port',
    help: 'SOCKS proxy towards the node',
    value: z
      .string()
      .regex(/^(?:.+:)?\d{1,5}$/, ' is [ip:]port')
      .optional(),
  },
  'daemon-zmq': {
    argument: 'tcp://host:port',
    help: "the node's --zmq-pub: new blocks and transactions are read at once, beside the periodic refresh",
    value: z.string().optional().transform(readZmq),
  },
  ...sslOptions('daemon-ssl'),
  'daemon-ssl-allow-any-cert': { help: "do not check the node's certificate" },
  'allow-mismatched-daemon-version': {
    help: 'go on with a node whose blocks follow rules newer than this server knows',
  },
  'fork-rules': {
    argument: 'name',
    help: `read the blocks of the next fork by these rules, which may still move: ${RULES_TEXT}; without it, ${defaultRules(true)} on the main network, and ${defaultRules(false)} elsewhere (docs/fork.md)`,
    value: oneOf(KNOWN_RULES, ` is ${RULES_TEXT}`).optional(),
  },
  offline: { help: 'never speak to a node' },
  regtest: {
    help: 'start a regtest node with the server, on this machine, and use it',
  },
  'regtest-data-dir': {
    argument: 'dir',
    help: 'keep the chain of that node in this directory; otherwise it is gone with the process',
  },
  'regtest-fork-height': {
    argument: 'h[,h2]',
    help: `rehearse the next fork on that node: its blocks have version 17 from height h on, and 18 from h2, or ${GRACE_BLOCKS} blocks later`,
    value: z
      .string()
      .optional()
      .transform((text) => readForkHeights('regtest-fork-height', text)),
  },
  'no-dns': {
    help: 'do not look up OpenAlias names; with --offline or --proxy none are anyhow',
  },
  'dns-server': {
    argument: 'list',
    help: 'resolvers that verify DNSSEC, ip[:port], comma separated; otherwise those of the system',
    value: list.transform((servers) => servers.map(readNameserver)),
  },
} as const satisfies Options;

/**
 * Writes a host as in a URL, with an IPv6 address in brackets. Hosts without a colon are not parsed, since the first
 * call of `isIPv6` takes 3 ms.
 */
const inBrackets = (host: string): string => (host.includes(':') && isIPv6(host) ? `[${host}]` : host);

/** Returns the settings of the checks of proof of work; undefined without `--verify-work`. @throws ConfigError */
function workOf(given: Given<typeof DAEMON_OPTIONS>) {
  const { 'verify-work': isOn, 'verify-depth': depth, checkpoint } = given;
  if (isOn) return { depth, ...optional('checkpoint', checkpoint) };
  if (checkpoint !== undefined) throw new ConfigError('--checkpoint is used with --verify-work only');
  return undefined;
}

/** Returns the rules by which blocks of the next fork are read: by default, those whose name is known, but on the main network none. */
function forkOf({ 'fork-rules': given, regtest }: Given<typeof DAEMON_OPTIONS>, network: NetworkType) {
  const rules = given ?? defaultRules(network === 'mainnet' && !regtest);
  return {
    ...optional('rules', rules === 'none' ? undefined : rules),
    /** Newest version of blocks whose rules the server knows. */
    newest: newestForkOf(rules),
  };
}

/**
 * Returns the settings for the daemon.
 * @param raw options, for the port, which may be 0 if the server starts the node itself. @throws ConfigError
 */
export function daemonConfig(
  given: Given<typeof DAEMON_OPTIONS>,
  raw: RawOptions,
  network: NetworkType,
  ssl: DaemonSslConfig,
) {
  const isRegtest = given.regtest;
  const { proxy, offline, 'daemon-zmq': zmq, 'daemon-host': host = 'localhost' } = given;
  const port = readInteger('daemon-port', raw, isRegtest ? 0 : 1, MAX_PORT);
  const trusted = given['trusted-daemon'] ? true : given['untrusted-daemon'] ? false : undefined;
  const fallback = `${inBrackets(host)}:${port || DAEMON_RPC_PORT[network]}`;
  const addresses = readDaemonAddresses(given['daemon-address'], fallback, trusted);
  if (zmq !== undefined && proxy !== undefined)
    throw new ConfigError('--daemon-zmq cannot be used with --proxy: its connection would bypass the proxy');
  const quorum = given['daemon-quorum'];
  if (quorum !== undefined) assertQuorum(quorum, addresses);
  for (const { address } of addresses) assertVerifiable(address, ssl, proxy);
  return {
    daemon: {
      /** Addresses of the nodes, at least one, in the order of preference. */
      addresses,
      ...optional('login', given['daemon-login']),
      ...optional('proxy', proxy),
      /** ZeroMQ publisher of the daemon. */
      ...optional('zmq', zmq),
      ssl,
      /** True if blocks of nodes that are not trusted are requested whole and verified. */
      wholeBlocks: given['whole-blocks'],
      /** Number of nodes that must name the same block; absent: one is enough. */
      ...optional('quorum', given['daemon-quorum']),
      /** Checks of the proof of work; absent: none. */
      ...optional('work', workOf(given)),
      allowMismatchedVersion: given['allow-mismatched-daemon-version'],
      offline,
    },
    /** Rules of the next fork; without `rules`, its blocks are not read. */
    fork: forkOf(given, network),
    dns: {
      /** Resolve OpenAlias names. False when offline, and behind a proxy, which DNS would bypass. */
      enabled: !given['no-dns'] && !offline && proxy === undefined,
      /** DNS servers; empty: the resolvers of the system. */
      servers: given['dns-server'],
    },
    /** Regtest node that starts with the server; absent: use the nodes of `daemon.addresses`. */
    ...optional(
      'regtest',
      isRegtest
        ? {
            /** 0 picks a free port. */
            port: port ?? DAEMON_RPC_PORT.mainnet,
            ...optional('dataDir', given['regtest-data-dir']),
            ...optional('fork', given['regtest-fork-height']),
          }
        : undefined,
    ),
  };
}
