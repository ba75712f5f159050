import { isIPv4 } from 'node:net';

/** True for addresses of 127.0.0.0/8 and ::1; false for every host name. */
export const isLoopback = (ip: string): boolean =>
  (isIPv4(ip) && ip.startsWith('127.')) || ip === '::1' || ip === '::ffff:127.0.0.1';

/** True if what is sent to a URL is encrypted, or does not leave this machine. @param url parsed: its host is normalised. */
export const isSafeTransport = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || hostname === 'localhost' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
