import { isIPv6 } from 'node:net';

const PRIVATE = /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|::1$|f[cd]|fe80:)/i;

/** True for loopback, link-local and private addresses, such as those of a reverse proxy. */
export const isPrivateAddress = (ip: string): boolean => PRIVATE.test(ip);

/** Returns the address of the peer of a connection; an IPv4 address without the prefix of a mapped one. */
export const peerAddress = ({
  remoteAddress = '',
}: {
  readonly remoteAddress?: string | undefined;
}): string => remoteAddress.replace(/^::ffff:/, '');

/** Number of 16-bit groups of an IPv6 address that name a network: providers give each customer a /64 or more. */
const NETWORK_GROUPS = 4;

/** Returns the network whose addresses are limited together: the /64 of an IPv6 address, any other address itself. */
export function networkOf(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const [head = '', tail] = ip.split('::', 2);
  const before = head.split(':').filter((group) => group !== '');
  const after = (tail ?? '').split(':').filter((group) => group !== '');
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  const groups = tail === undefined ? before : [...before, ...zeros, ...after];
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}
