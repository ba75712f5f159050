import type { LookupAddress } from 'node:dns';
import { lookup as lookupName } from 'node:dns/promises';
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { assertHost, isPublicAddress, TargetError } from './target.js';

/** Opens a TCP connection to a host, which may be a name. Rejects with the signal's reason once it is aborted. */
export type Connect = (host: string, port: number, signal: AbortSignal) => Promise<Socket>;

/** Resolves a name to all of its addresses. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

/** Resolves by the operating system. Names of Tor are not asked for (RFC 7686). */
export const systemResolver: ResolveHost = async (host) =>
  /\.onion\.?$/.test(host) ? [] : lookupName(host, { all: true, verbatim: true });

/**
 * Connects directly. The addresses of a name are checked in the lookup of the connection itself, so that a name cannot
 * change its addresses between the check and the connection (DNS rebinding).
 * @throws TargetError if no address of the host may be called.
 */
export function directConnect(allowPrivate: boolean, resolveHost: ResolveHost = systemResolver): Connect {
  const lookup: LookupFunction = (host, { all }, done) => {
    resolveHost(host).then(
      (resolved) => {
        const addresses = resolved.filter(({ address }) => allowPrivate || isPublicAddress(address));
        const [first] = addresses;
        if (first === undefined)
          return done(new TargetError('the webhook URL has a host that is not public'), []);
        if (all === true) done(null, [...addresses]);
        else done(null, first.address, first.family);
      },
      (error: Error) => done(error, []),
    );
  };
  return async (host, port, signal) => {
    // Node looks up names only: an address in the URL is checked here.
    assertHost(host, allowPrivate);
    signal.throwIfAborted();
    const socket = connectPlain({
      host,
      port,
      lookup,
      autoSelectFamily: true,
      noDelay: true,
      keepAlive: true,
    });
    await connected(socket, 'connect', signal);
    return socket;
  };
}

/**
 * Connects through a proxy, which resolves the names: a lookup of our own would reveal them.
 * @param connect opens a connection through the proxy. Addresses and local names that are not public are refused here;
 * whether another name leads to a private address is the proxy's rule.
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

/** TLS settings of the deliveries. */
export interface TlsOptions {
  /** Trusted certificates in PEM; absent: Node's own list. */
  readonly ca?: string;
}

/** Starts TLS on a connection. The certificate must be trusted and valid for the host. */
export async function secureConnection(
  raw: Socket,
  host: string,
  { ca }: TlsOptions,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const socket = connectTls({
    socket: raw,
    host,
    // A server name must not be an address.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  await connected(socket, 'secureConnect', signal);
  return socket;
}

/** Waits until a connection is open; destroys it if that fails or the signal is aborted. */
function connected(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  // A socket may report an error before the HTTP client listens, or after it was destroyed: it must not end the process.
  socket.on('error', () => undefined);
  return new Promise((resolve, reject) => {
    const end = (): void => {
      signal.removeEventListener('abort', abort);
      socket.removeListener('error', fail);
      socket.removeListener('close', closed);
      socket.removeListener(event, open);
    };
    const fail = (error: unknown): void => {
      end();
      socket.destroy();
      reject(error);
    };
    const abort = (): void => fail(signal.reason);
    const closed = (): void =>
      fail(Object.assign(new Error('closed while connecting'), { code: 'ECONNRESET' }));
    const open = (): void => {
      end();
      resolve();
    };
    socket.once('error', fail);
    socket.once('close', closed);
    socket.once(event, open);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
  });
}
