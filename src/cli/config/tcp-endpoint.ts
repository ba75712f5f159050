import { isIPv4, isIPv6 } from 'node:net';

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
