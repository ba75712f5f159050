import type { Socket } from 'node:net';
import { connectTcp } from '../../util/outbound/connect.js';
import {
  guardedLookup,
  isPublicAddress,
  systemResolver,
  type ResolveHost,
} from '../../util/outbound/public-address.js';
import { assertHost, notPublic } from './target.js';

/** Opens a TCP connection to a host name or address. Rejects with the reason of the signal when that is aborted. */
export type Connect = (host: string, port: number, signal: AbortSignal) => Promise<Socket>;

/**
 * Connects without a proxy. Checks the addresses of a name in the lookup of the connection itself.
 * @throws TargetError if the server may not connect to any address of the host.
 */
export function directConnect(allowPrivate: boolean, resolveHost: ResolveHost = systemResolver): Connect {
  const isAllowed = (address: string): boolean => allowPrivate || isPublicAddress(address);
  const lookup = guardedLookup(resolveHost, isAllowed, notPublic);
  return async (host, port, signal) => {
    // Node looks up names only, so an IP address in the URL is checked here.
    assertHost(host, allowPrivate);
    return connectTcp({ host, port, lookup }, signal);
  };
}

/**
 * Connects through a proxy. The proxy resolves names, since a lookup by this server would reveal them.
 * @param connect opens a connection through the proxy. This function refuses addresses that are not public, and local
 * names; the proxy decides whether another name may lead to a private address.
 */
export function proxiedConnect(allowPrivate: boolean, connect: Connect): Connect {
  return async (host, port, signal) => {
    assertHost(host, allowPrivate);
    signal.throwIfAborted();
    const socket = await connect(host, port, signal);
    if (!signal.aborted) return socket;
    socket.destroy();
    throw signal.reason;
  };
}
