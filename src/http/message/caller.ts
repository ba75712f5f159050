import { groupsOf, isLoopback, plainAddress } from '../../util/address.js';
import type { IncomingMessage } from 'node:http';
import { readTraceparent, type RequestTrace } from '../../util/trace.js';

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

/** True for loopback, link-local and private addresses, such as the address of a reverse proxy. */
export function isPrivateAddress(ip: string): boolean {
  const address = plainAddress(ip);
  const [first] = groupsOf(address) ?? [];
  if (first === undefined) return PRIVATE_IPV4.test(address);
  return (first & 0xfe00) === 0xfc00 || (first & 0xffc0) === 0xfe80 || isLoopback(address);
}

/** Client of a request. */
export interface Caller {
  /** IP address of the client's connection. */
  readonly address: string;
  /** Login of the client; absent if the server requires none. */
  readonly login?: Login;
}

/** Login whose secret the client has proven. */
export interface Login {
  readonly name: string;
  /**
   * Returns the reason why a client may not use this login now; undefined if it may. @param ip address of the client.
   */
  refusalFrom(ip: string): { readonly status: number; readonly reason: string } | undefined;
}

/** Logins that a server accepts. */
export interface Logins {
  /** Finds a login for HTTP digest by its user name. @returns the login, and its HA1 [hex]. */
  byUser(user: string): { readonly ha1: string; readonly login: Login } | undefined;
  /** Finds the login of a bearer token; absent if the server accepts no tokens. */
  byToken?(token: string): Login | undefined;
}

const callers = new WeakMap<IncomingMessage, Caller>();

/** Returns the client of a request, with the login that the request used. */
export const callerOf = (req: IncomingMessage): Caller => callers.get(req) ?? { address: addressOf(req) };

/** Returns client and trace of a request. */
export function senderOf(req: IncomingMessage): { readonly caller: Caller; readonly trace?: RequestTrace } {
  const { traceparent } = req.headers;
  const trace = readTraceparent(typeof traceparent === 'string' ? traceparent : undefined);
  return { caller: callerOf(req), ...(trace === undefined ? {} : { trace }) };
}

/** Records the client of a request, once its login is proven. */
export const setCaller = (req: IncomingMessage, caller: Caller): void => void callers.set(req, caller);

/** Returns the IP address of the connection of a request. */
export const addressOf = ({ socket }: IncomingMessage): string => peerAddress(socket);
