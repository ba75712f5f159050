import { BlockList, isIP, isIPv4 } from 'node:net';

/** Longest URL of an endpoint [characters]. */
const MAX_URL_LENGTH = 2048;

/** Error of a URL or an address that the server may not call. The message contains neither. */
export class TargetError extends Error {
  override readonly name = 'TargetError';
}

/** Networks without public hosts. Source: IANA IPv4 special-purpose address registry, RFC 6890. */
const NOT_PUBLIC_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8], // this network, unspecified
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, with the metadata services of clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
];

/**
 * IPv6 networks that contain all public addresses: global unicast, and the addresses of IPv4 hosts (mapped, NAT64).
 * Source: IANA IPv6 address space, RFC 4291, RFC 6052.
 */
const PUBLIC_V6: readonly (readonly [string, number])[] = [
  ['2000::', 3],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
];

/**
 * Parts of global unicast without public hosts, or whose addresses contain an IPv4 address that cannot be checked.
 * Source: IANA IPv6 special-purpose address registry.
 */
const NOT_PUBLIC_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23], // protocol assignments, Teredo, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
];

const publicV6 = new BlockList();
for (const [network, prefix] of PUBLIC_V6) publicV6.addSubnet(network, prefix, 'ipv6');

const notPublic = new BlockList();
for (const [network, prefix] of NOT_PUBLIC_V4) {
  notPublic.addSubnet(network, prefix, 'ipv4');
  notPublic.addSubnet(`::ffff:${network}`, 96 + prefix, 'ipv6');
  notPublic.addSubnet(`64:ff9b::${network}`, 96 + prefix, 'ipv6');
}
for (const [network, prefix] of NOT_PUBLIC_V6) notPublic.addSubnet(network, prefix, 'ipv6');

/**
 * True for the IP address of a public host. False for an address with a zone, and for any text that is not an address.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  if (isIPv4(address)) return !notPublic.check(address, 'ipv4');
  return publicV6.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
}

/**
 * Names that never belong to a public host: names without a dot, and names of local networks. Source: RFC 6761, RFC
 * 6762, RFC 8375, ICANN resolution 2024.07.29.06 (`internal`).
 */
const LOCAL_NAME = /^[^.]*\.?$|\.(?:localhost|localdomain|local|internal|home\.arpa)\.?$/;

/** URL of an endpoint, split into the parts that a connection needs. */
export interface Target {
  readonly secure: boolean;
  /** Host name in ASCII, or IP address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Path of the URL with its query. */
  readonly path: string;
  /** Value of the header `Host`. */
  readonly authority: string;
}

/**
 * Parses the URL of an endpoint: http or https, without credentials.
 * @param allowPrivate true: also accepts hosts that are not public. False: accepts a name, whose addresses are then
 * checked at every connection.
 * @throws TargetError
 */
export function parseTarget(text: string, allowPrivate: boolean): Target {
  if (text.length > MAX_URL_LENGTH)
    throw new TargetError(`a webhook URL has at most ${MAX_URL_LENGTH} characters`);
  if (!URL.canParse(text)) throw new TargetError('the webhook URL is invalid');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TargetError('a webhook URL begins with https:// or http://');
  if (url.username !== '' || url.password !== '')
    throw new TargetError('a webhook URL must not contain credentials');
  if (url.port === '0') throw new TargetError('a webhook URL must not have port 0');
  const secure = url.protocol === 'https:';
  const target: Target = {
    secure,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search,
    authority: url.host,
  };
  assertHost(target.host, allowPrivate);
  return target;
}

/** Checks a host as far as no name resolution is needed. @throws TargetError */
export function assertHost(host: string, allowPrivate: boolean): void {
  const allowed = allowPrivate || (isIP(host) === 0 ? !LOCAL_NAME.test(host) : isPublicAddress(host));
  if (!allowed) throw new TargetError('the webhook URL has a host that is not public');
}
