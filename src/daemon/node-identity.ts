import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { canonicalHost, isLoopback } from '../util/address.js';
import { peerFingerprint } from '../util/outbound/connect.js';

/** Facts of a connection by which two addresses of one node are recognised. A plain value, so that a thread can post it. */
export interface NodeIdentity {
  /**
   * IP address and port to which the connection leads, equal for all forms of the address; for each address of this machine
   * `127.0.0.1`. Absent through a proxy, which hides it.
   */
  readonly address?: string;
  /** SHA-256 fingerprint of the certificate [lower-case hex]; absent without TLS. */
  readonly certificate?: string;
}

/** Callback that receives the identity of the node that has answered a call. */
export type ObserveNode = (node: NodeIdentity) => void;

/** Reads the identity of the node at the other end of an open connection. @param isProxied true: a proxy is that end. */
export function identityOf(socket: Socket, isProxied: boolean): NodeIdentity {
  const address = isProxied ? undefined : addressOf(socket);
  const certificate = socket instanceof TLSSocket ? peerFingerprint(socket) : undefined;
  return {
    ...(address === undefined ? {} : { address }),
    ...(certificate === undefined ? {} : { certificate }),
  };
}

function addressOf({ remoteAddress: ip, remotePort: port, localAddress }: Socket): string | undefined {
  // A connection that has ended already has no address.
  if (ip === undefined || port === undefined) return undefined;
  // A connection from an address to itself stays on this machine.
  const host = isLoopback(ip) || ip === localAddress ? '127.0.0.1' : canonicalHost(ip);
  return `${host}:${port}`;
}
