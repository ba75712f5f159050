import type { LookupAddress } from 'node:dns';
import { lookup as lookupName } from 'node:dns/promises';
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { assertHost, isPublicAddress, TargetError } from './target.js';

/** Opens a TCP connection to a host name or address. Rejects with the reason of the signal when that is aborted. */
export type Connect = (host: string, port: number, signal: AbortSignal) => Promise<Socket>;

/** Resolves a name to all of its addresses. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

/** Resolves names with the operating system. Does not look up `.onion` names (RFC 7686). */
const systemResolver: ResolveHost = async (host) =>
  /\.onion\.?$/.test(host) ? [] : lookupName(host, { all: true, verbatim: true });

/**
 * Connects without a proxy. Checks the addresses of a name in the lookup of the connection itself, so that they cannot
 * change between check and connection (DNS rebinding).
 * @throws TargetError if the server may not connect to any address of the host.
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
    // Node looks up names only, so an IP address in the URL is checked here.
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

/** TLS settings for deliveries. */
export interface TlsOptions {
  /** Trusted CA certificates (PEM); absent: those of Node. */
  readonly ca?: string;
}

/** Starts TLS on a connection. The certificate must be trusted, and valid for the host. */
export async function secureConnection(
  raw: Socket,
  host: string,
  { ca }: TlsOptions,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const socket = connectTls({
    socket: raw,
    host,
    // TLS does not allow an IP address as server name.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  await connected(socket, 'secureConnect', signal);
  return socket;
}

/** Waits until a connection is open. Destroys it if that fails, or if the signal is aborted. */
function connected(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  // Ignores errors before the HTTP client listens, and after the socket was destroyed: unhandled, they would end the
  // process.
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
