import { isIPv4, isIPv6 } from 'node:net';
import { canonicalName, endpointName, lacksVerification, parseEndpoint } from '../../daemon/connector.js';
import { isLoopback } from '../../util/address.js';
import { ConfigError } from './config-values.js';
import type { SslConfig } from './ssl-options.js';

/** Address of a ZeroMQ socket. */
export interface TcpEndpoint {
  /** Host name, IPv4 address, or IPv6 address without brackets. */
  readonly host: string;
  /** Port; 0: any free port, for a socket that listens. */
  readonly port: number;
}

const MAX_PORT = 65_535;

/** Host name: letters, digits, hyphens and underscores in parts separated by dots. Source: RFC 1123, section 2.1. */
const NAME = /^(?!-)[a-z\d_-]{1,63}(?:\.[a-z\d_-]{1,63})*\.?$/i;

/** Parses `tcp://host:port`; an IPv6 address is in brackets. @returns undefined for any other text. */
export function parseTcpEndpoint(text: string): TcpEndpoint | undefined {
  const [, bracketed, plain = '', digits] =
    /^tcp:\/\/(?:\[([^\]]*)\]|([^:/[\]]+)):(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > MAX_PORT) return undefined;
  if (bracketed !== undefined) return isIPv6(bracketed) ? { host: bracketed, port } : undefined;
  // A host of digits and dots must be an IPv4 address.
  const isHost = /^[\d.]+$/.test(plain) ? isIPv4(plain) : NAME.test(plain);
  return isHost ? { host: plain, port } : undefined;
}

/** Address of a node, and whether answers that cannot be verified are accepted from this node. */
export interface DaemonAddress {
  /** `host:port`, optionally with `http://` or `https://`. */
  readonly address: string;
  readonly trusted: boolean;
}

/** TLS settings for the connection to a daemon. */
export type DaemonSslConfig = SslConfig & { readonly allowAnyCert: boolean };

const badAddress = (cause?: unknown): ConfigError =>
  new ConfigError('--daemon-address is host:port, with http:// or https:// before it if you like', { cause });

/**
 * Parses the values of `--daemon-address`; one value may contain several nodes, separated by spaces.
 * @param fallback address if there is no value.
 * @param trusted trust in a node without a mark; undefined: only a node on this machine is trusted.
 * @throws ConfigError for a node that is listed twice.
 */
export function readDaemonAddresses(
  values: readonly string[],
  fallback: string,
  trusted: boolean | undefined,
): DaemonAddress[] {
  const items = values.length === 0 ? [fallback] : values.flatMap((value) => value.trim().split(/\s+/));
  const addresses = items.map((item) => {
    const [, address = '', mark] = /^(.*?)(?:,(trusted|untrusted))?$/s.exec(item) ?? [];
    return { address, trusted: mark === undefined ? (trusted ?? isLocal(address)) : mark === 'trusted' };
  });
  const names = addresses.map(({ address }) => endpointName(endpointIn(address)));
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new ConfigError(`--daemon-address names ${twice} twice`);
  return addresses;
}

/**
 * Checks that a quorum of nodes can be reached: that so many are listed, and none at two spellings of one address.
 * @throws ConfigError
 */
export function assertQuorum(needed: number, addresses: readonly DaemonAddress[]): void {
  const names = addresses.map(({ address }) => canonicalName(endpointIn(address)));
  const again = names.findIndex((name, i) => names.indexOf(name) < i);
  const first = addresses[names.indexOf(names[again] ?? '')];
  if (first !== undefined)
    throw new ConfigError(
      `--daemon-quorum needs different nodes: ${first.address} and ${addresses[again]?.address} are one address`,
    );
  if (names.length < needed)
    throw new ConfigError(
      `--daemon-quorum ${needed} needs as many different nodes: list them with --daemon-address`,
    );
}

/** True if an address is on this machine. */
function isLocal(address: string): boolean {
  const { host } = endpointIn(address);
  return host === 'localhost' || isLoopback(host);
}

function endpointIn(address: string): ReturnType<typeof parseEndpoint> {
  try {
    return parseEndpoint(address);
  } catch (cause) {
    throw badAddress(cause);
  }
}

/**
 * Checks that the daemon can be authenticated when TLS is enabled or a proxy is used. Source: wallet2.cpp `make_basic`.
 * @throws ConfigError
 */
export function assertVerifiable(address: string, ssl: DaemonSslConfig, proxy: string | undefined): void {
  const { host, port } = endpointIn(address);
  if (port === 0) throw badAddress();
  if (lacksVerification(host, ssl, proxy))
    throw new ConfigError(
      `--${ssl.mode === 'enabled' ? 'daemon-ssl enabled' : 'proxy'} needs --daemon-ssl-ca-certificates, ` +
        '--daemon-ssl-allowed-fingerprints, --daemon-ssl-allow-any-cert, or a .onion or .i2p address',
    );
}
