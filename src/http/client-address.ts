import { isIPv4, isIPv6 } from 'node:net';

/** Returns the eight 16-bit groups of an IPv6 address; undefined for any other text. */
function groupsOf(ip: string): readonly number[] | undefined {
  const [address = ''] = ip.split('%', 1);
  if (!address.includes(':') || !isIPv6(address)) return undefined;
  // An IPv4 address at the end stands for two groups.
  const text = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [before = [], after = []] = text
    .split('::', 2)
    .map((part) => part.split(':').flatMap((group) => (group === '' ? [] : [Number.parseInt(group, 16)])));
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

/** Returns the IPv4 address that an IPv6 address stands for (`::ffff:0:0/96`), and any other address unchanged. */
export function plainAddress(ip: string): string {
  const [a, b, c, d, e, f, high = 0, low = 0] = groupsOf(ip) ?? [];
  if (f !== 0xffff || [a, b, c, d, e].some((group) => group !== 0)) return ip;
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Returns the address of the peer of a connection; an IPv4 address in its own form. */
export const peerAddress = ({
  remoteAddress = '',
}: {
  readonly remoteAddress?: string | undefined;
}): string => plainAddress(remoteAddress);

/** Network of the addresses of this machine. */
export const LOOPBACK = 'loopback';
const PRIVATE_IPV4 = /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.)/;

/** Number of 16-bit groups of an IPv6 address that name a network: providers give each customer a /64 or more. */
const NETWORK_GROUPS = 4;

/**
 * Returns the network whose addresses are limited together, since one client can have all of them: the loopback addresses,
 * the /64 of an IPv6 address, and any other address by itself.
 */
export function networkOf(ip: string): string {
  const address = plainAddress(ip);
  const groups = groupsOf(address);
  if (groups === undefined) return isIPv4(address) && address.startsWith('127.') ? LOOPBACK : address;
  if (groups.every((group, i) => group === (i === 7 ? 1 : 0))) return LOOPBACK;
  const hex = groups.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${hex.join(':')}::/64`;
}

/** True for an address of this machine. */
export const isLoopback = (ip: string): boolean => networkOf(ip) === LOOPBACK;

/** True for loopback, link-local and private addresses, such as those of a reverse proxy. */
export function isPrivateAddress(ip: string): boolean {
  const address = plainAddress(ip);
  const [first] = groupsOf(address) ?? [];
  if (first === undefined) return PRIVATE_IPV4.test(address);
  return (first & 0xfe00) === 0xfc00 || (first & 0xffc0) === 0xfe80 || isLoopback(address);
}
