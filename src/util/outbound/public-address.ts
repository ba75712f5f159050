import type { LookupAddress } from 'node:dns';
import { lookup as lookupName } from 'node:dns/promises';
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';

/*
 * Guard of all requests whose address a client chooses. Such requests must not reach hosts that only this machine or
 * its network can reach.
 */

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

/**
 * True unless a host is known not to be public without name resolution. The addresses of a name are checked by {@link
 * guardedLookup}, in the connection itself. @param host name, or IP address without brackets.
 */
export const mayBePublicHost = (host: string): boolean =>
  isIP(host) === 0 ? !LOCAL_NAME.test(host) : isPublicAddress(host);

/** Resolves a name to all of its addresses. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

/** Resolves names with the operating system. Does not look up `.onion` names (RFC 7686). */
export const systemResolver: ResolveHost = async (host) =>
  /\.onion\.?$/.test(host) ? [] : lookupName(host, { all: true, verbatim: true });

/**
 * Resolves names within a connection, so that the addresses cannot change between check and connection (DNS rebinding).
 * @param isAllowed decides on each address. @param refusal creates the error of a name without an allowed address.
 */
export function guardedLookup(
  resolveHost: ResolveHost,
  isAllowed: (address: string) => boolean,
  refusal: () => Error,
): LookupFunction {
  return (host, { all }, done) => {
    resolveHost(host).then(
      (resolved) => {
        const addresses = resolved.filter(({ address }) => isAllowed(address));
        const [first] = addresses;
        if (first === undefined) return done(refusal(), []);
        if (all === true) done(null, [...addresses]);
        else done(null, first.address, first.family);
      },
      (error: Error) => done(error, []),
    );
  };
}
