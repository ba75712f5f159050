import { isIPv6 } from 'node:net';
import * as z from 'zod';
import { DAEMON_RPC_PORT } from '../../monero/cryptonote/constants.js';
import type { NetworkType } from '../../monero/cryptonote/types.js';
import type { Nameserver } from '../../net/dns/exchange.js';
import { ConfigError } from './config-error.js';
import { optional, readLogin, readNameserver, readZmq, type LoginConfig } from './config-values.js';
import {
  assertVerifiable,
  readDaemonAddresses,
  type DaemonAddress,
  type DaemonSslConfig,
} from './daemon-addresses.js';
import { flag, integer, list, text, texts } from './option-schemas.js';

export interface DaemonsConfig {
  /** At least one, in the order of preference. */
  readonly addresses: readonly DaemonAddress[];
  readonly login?: LoginConfig;
  readonly proxy?: string;
  /** ZeroMQ publisher of the daemon. */
  readonly zmq?: { readonly host: string; readonly port: number };
  readonly ssl: DaemonSslConfig;
  /** True if blocks of nodes that are not trusted are requested whole and verified. */
  readonly wholeBlocks: boolean;
  readonly allowMismatchedVersion: boolean;
  readonly offline: boolean;
}

export interface StartedNodeConfig {
  /** 0 picks a free port. */
  readonly port: number;
  readonly dataDir?: string;
}

export interface DnsConfig {
  /** Resolve OpenAlias names. False when offline, and behind a proxy, which DNS would bypass. */
  readonly enabled: boolean;
  /** Empty: use the system's resolvers. */
  readonly servers: readonly Nameserver[];
}

/**
 * Writes a host as in a URL, with an IPv6 address in brackets. Hosts without a colon are not parsed, since the first
 * call of `isIPv6` takes 3 ms.
 */
const inBrackets = (host: string): string => (host.includes(':') && isIPv6(host) ? `[${host}]` : host);

/**
 * Returns the schema of the settings for the daemon.
 * @param isRegtest the server starts the node itself, whose port may be 0.
 */
export const daemonConfig = (network: NetworkType, isRegtest: boolean, ssl: DaemonSslConfig) =>
  z
    .object({
      'daemon-login': text.transform((value) => readLogin('daemon-login', value)),
      'daemon-port': integer(isRegtest ? 0 : 1, 65535).optional(),
      'daemon-host': z.string().default('localhost'),
      'daemon-address': texts,
      'trusted-daemon': flag,
      'untrusted-daemon': flag,
      proxy: z
        .string()
        .regex(/^(?:.+:)?\d{1,5}$/, ' is [ip:]port')
        .optional(),
      'whole-blocks': flag,
      'daemon-zmq': text.transform(readZmq),
      'allow-mismatched-daemon-version': flag,
      offline: flag,
    })
    .transform((given): DaemonsConfig => {
      const { proxy, offline, 'daemon-zmq': zmq } = given;
      const port = given['daemon-port'] || DAEMON_RPC_PORT[network];
      const trusted = given['trusted-daemon'] ? true : given['untrusted-daemon'] ? false : undefined;
      const fallback = `${inBrackets(given['daemon-host'])}:${port}`;
      const addresses = readDaemonAddresses(given['daemon-address'], fallback, trusted);
      if (zmq !== undefined && proxy !== undefined)
        throw new ConfigError(
          '--daemon-zmq cannot be used with --proxy: its connection would bypass the proxy',
        );
      for (const { address } of addresses) assertVerifiable(address, ssl, proxy);
      return {
        addresses,
        ...optional('login', given['daemon-login']),
        ...optional('proxy', proxy),
        ...optional('zmq', zmq),
        ssl,
        wholeBlocks: given['whole-blocks'],
        allowMismatchedVersion: given['allow-mismatched-daemon-version'],
        offline,
      };
    });

/** Settings of the regtest node that the server starts. */
export const regtestConfig = z
  .object({ 'daemon-port': integer(0, 65535).default(DAEMON_RPC_PORT.mainnet), 'regtest-data-dir': text })
  .transform((given): StartedNodeConfig => ({
    port: given['daemon-port'],
    ...optional('dataDir', given['regtest-data-dir']),
  }));

export const dnsConfig = z
  .object({
    'no-dns': flag,
    offline: flag,
    proxy: text,
    'dns-server': list.transform((servers) => servers.map(readNameserver)),
  })
  .transform((given): DnsConfig => ({
    enabled: !given['no-dns'] && !given.offline && given.proxy === undefined,
    servers: given['dns-server'],
  }));
