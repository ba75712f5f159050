import { X509Certificate } from 'node:crypto';
import { createServer as createHttp, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createNet, type AddressInfo, type Server as NetServer, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

export interface TlsOptions {
  readonly key: Buffer;
  readonly cert: Buffer;
  /** Clients must present a certificate that chains to these. */
  readonly ca?: Buffer;
  /** Or one of these, SHA-256 in lower-case hex. */
  readonly allowedFingerprints: readonly string[];
  /** Plain HTTP is answered too, on the same port. */
  readonly optional: boolean;
}

export interface HttpServerOptions {
  readonly handler: RequestListener;
  readonly tls?: TlsOptions;
  readonly maxConnections: number;
  readonly maxPerPrivateIp: number;
  readonly maxPerPublicIp: number;
  /** Whose new connections are closed before anything is read. */
  readonly isRefused?: (ip: string) => boolean;
}

const HEADERS_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 300_000;
const KEEP_ALIVE_MS = 60_000;
/** First byte of a TLS handshake record. */
const TLS_HANDSHAKE = 0x16;
const SNIFF_TIMEOUT_MS = 10_000;

const PRIVATE = /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|::1$|f[cd]|fe80:)/i;

/**
 * Connections reach these servers from a listener of ours. Node keeps track of what a server's connections do, and
 * so of time limits and of idle ones, from the moment it is said to listen.
 */
function trackConnections<S extends Server>(server: S): S {
  server.emit('listening');
  return server;
}

/** Listens, tells TLS from plain HTTP, keeps connections within bounds, and stops without cutting answers off. */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #http: Server;
  readonly #https: Server | undefined;
  readonly #listeners: NetServer[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #perIp = new Map<string, number>();

  constructor(options: HttpServerOptions) {
    this.#options = options;
    const limits = {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    };
    this.#http = trackConnections(createHttp(limits, options.handler));
    const { tls } = options;
    if (tls === undefined) return;
    const wantsClient = tls.ca !== undefined || tls.allowedFingerprints.length > 0;
    this.#https = trackConnections(
      createHttps(
        {
          ...limits,
          key: tls.key,
          cert: tls.cert,
          ...(tls.ca === undefined ? {} : { ca: tls.ca }),
          requestCert: wantsClient,
          rejectUnauthorized: false,
        },
        options.handler,
      ),
    );
    this.#https.on('tlsClientError', (_error, socket: TLSSocket) => socket.destroy());
    if (wantsClient)
      this.#https.on('secureConnection', (socket: TLSSocket) => {
        if (!isWelcome(socket, tls)) socket.destroy();
      });
  }

  /** @param port 0 takes a free one. @returns the port. @throws Error when it cannot be bound. */
  async listen(host: string, port: number): Promise<number> {
    const listener = createNet({ noDelay: true }, (socket) => this.#accept(socket));
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen({ host, port }, () => resolve());
    });
    this.#listeners.push(listener);
    return (listener.address() as AddressInfo).port;
  }

  /** Refuses new connections, lets answers under way finish for so long, then closes what is left. */
  async close(graceMs: number): Promise<void> {
    const closed = this.#listeners.map(
      (listener) => new Promise<void>((resolve) => listener.close(() => resolve())),
    );
    this.#http.closeIdleConnections();
    this.#https?.closeIdleConnections();
    for (const socket of this.#sockets) if (isIdle(socket)) socket.end();
    const timer = setTimeout(() => this.#sockets.forEach((socket) => socket.destroy()), graceMs);
    await Promise.all(closed);
    clearTimeout(timer);
  }

  #accept(socket: Socket): void {
    const ip = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
    if (this.#options.isRefused?.(ip) === true) return void socket.destroy();
    const count = (this.#perIp.get(ip) ?? 0) + 1;
    const { maxConnections, maxPerPrivateIp, maxPerPublicIp } = this.#options;
    const limit = PRIVATE.test(ip) ? maxPerPrivateIp : maxPerPublicIp;
    if (this.#sockets.size >= maxConnections || count > limit) return void socket.destroy();
    this.#perIp.set(ip, count);
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      this.#sockets.delete(socket);
      const left = (this.#perIp.get(ip) ?? 1) - 1;
      if (left === 0) this.#perIp.delete(ip);
      else this.#perIp.set(ip, left);
    });
    if (this.#https === undefined) this.#http.emit('connection', socket);
    else if (this.#options.tls?.optional !== true) this.#https.emit('connection', socket);
    else this.#sniff(socket, this.#https);
  }

  /** Looks at the first byte and hands the connection on. */
  #sniff(socket: Socket, https: Server): void {
    socket.setTimeout(SNIFF_TIMEOUT_MS, () => socket.destroy());
    socket.once('readable', () => {
      const first = socket.read(1) as Buffer | null;
      if (first === null) return void socket.destroy();
      socket.setTimeout(0);
      socket.removeAllListeners('timeout');
      socket.unshift(first);
      (first[0] === TLS_HANDSHAKE ? https : this.#http).emit('connection', socket);
    });
  }
}

/** Nothing was read that is not answered yet. */
const isIdle = (socket: Socket): boolean => socket.bytesRead === 0;

function isWelcome(socket: TLSSocket, tls: TlsOptions): boolean {
  const { raw } = socket.getPeerCertificate();
  if (raw === undefined) return false;
  const fingerprint = new X509Certificate(raw).fingerprint256.replaceAll(':', '').toLowerCase();
  return tls.allowedFingerprints.includes(fingerprint) || (tls.ca !== undefined && socket.authorized);
}
