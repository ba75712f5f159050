import { groupsOf, isLoopback, plainAddress } from '../../util/address.js';

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
  if (isLoopback(address)) return LOOPBACK;
  const groups = groupsOf(address);
  if (groups === undefined) return address;
  const hex = groups.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${hex.join(':')}::/64`;
}

/** True for loopback, link-local and private addresses, such as those of a reverse proxy. */
export function isPrivateAddress(ip: string): boolean {
  const address = plainAddress(ip);
  const [first] = groupsOf(address) ?? [];
  if (first === undefined) return PRIVATE_IPV4.test(address);
  return (first & 0xfe00) === 0xfc00 || (first & 0xffc0) === 0xfe80 || isLoopback(address);
}
