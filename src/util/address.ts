import { isIPv4, isIPv6 } from 'node:net';

/** Returns the eight 16-bit groups of an IPv6 address; undefined for any other text. */
export function groupsOf(ip: string): readonly number[] | undefined {
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

/**
 * Returns the form of a host that is equal for all spellings of it, as in a URL: names in lower case without a dot at the end,
 * IPv6 addresses compressed and in brackets, without a zone. Names are not resolved.
 */
export function canonicalHost(host: string): string {
  const address = plainAddress(host);
  const groups = groupsOf(address);
  const name = groups === undefined ? address : `[${groups.map((group) => group.toString(16)).join(':')}]`;
  const url = `http://${name}`;
  return (URL.canParse(url) ? new URL(url).hostname : name.toLowerCase()).replace(/\.$/, '');
}

/** True for the addresses of this machine, 127.0.0.0/8 and ::1, in every form; false for every host name. */
export function isLoopback(ip: string): boolean {
  const address = plainAddress(ip);
  const groups = groupsOf(address);
  if (groups === undefined) return isIPv4(address) && address.startsWith('127.');
  return groups.every((group, i) => group === (i === 7 ? 1 : 0));
}

/**
 * True if data sent to a URL is encrypted, or does not leave this machine.
 * @param url parsed URL, whose host is normalised.
 */
export const isSafeTransport = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || hostname === 'localhost' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));

/** Decodes `%XX` in UTF-8. @returns undefined if a percent sign begins no valid character. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
