import {
  mayBePublicHost,
  guardedLookup,
  isPublicAddress,
  systemResolver,
  type ResolveHost,
} from '../../util/outbound/public-address.js';
import type { Socket } from 'node:net';
import { connectTcp } from '../../util/outbound/connect.js';

/** Longest URL of an endpoint [characters]. */
const MAX_URL_LENGTH = 2048;

/** Error of a URL or an address that the server may not call. The message contains neither the URL nor the address. */
export class TargetError extends Error {
  override readonly name = 'TargetError';
}

/** URL of an endpoint, split into the parts that a connection needs. */
export interface Target {
  readonly secure: boolean;
  /** Host name in ASCII, or IP address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Path of the URL with its query. */
  readonly path: string;
  /** Value of the header `Host`. */
  readonly authority: string;
}

/**
 * Parses the URL of an endpoint: http or https, without credentials.
 * @param allowPrivate true: also accepts hosts that are not public. False: accepts a name, whose addresses are then
 * checked at every connection.
 * @throws TargetError
 */
export function parseTarget(text: string, allowPrivate: boolean): Target {
  if (text.length > MAX_URL_LENGTH)
    throw new TargetError(`a webhook URL has at most ${MAX_URL_LENGTH} characters`);
  if (!URL.canParse(text)) throw new TargetError('the webhook URL is invalid');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TargetError('a webhook URL begins with https:// or http://');
  if (url.username !== '' || url.password !== '')
    throw new TargetError('a webhook URL must not contain credentials');
  if (url.port === '0') throw new TargetError('a webhook URL must not have port 0');
  const secure = url.protocol === 'https:';
  const target: Target = {
    secure,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search,
    authority: url.host,
  };
  assertHost(target.host, allowPrivate);
  return target;
}

/** Checks a host, as far as this is possible without name resolution. @throws TargetError */
function assertHost(host: string, allowPrivate: boolean): void {
  if (!allowPrivate && !mayBePublicHost(host)) throw notPublic();
}

/** Creates the error of a host that is not public. */
const notPublic = (): TargetError =>
  new TargetError('the webhook URL has a host that is not public (--webhook-allow-private)');

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
    // Node.js looks up names only, so an IP address in the URL is checked here.
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
