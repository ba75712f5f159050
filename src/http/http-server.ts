import { createServer as createHttp, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps, type Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { createSecureContext, type TLSSocket } from 'node:tls';
import { fingerprintOf } from '../util/fingerprint.js';
import { CountedConnections } from './counted-connections.js';
import { Listener } from './listener.js';
import type { LoginDeadline } from './login-deadline.js';
import type { CertifiedKey } from './self-signed.js';

export interface TlsOptions {
  /** A function is called for the first TLS connection. */
  readonly certificate: CertifiedKey | (() => Promise<CertifiedKey>);
  /** Client certificates must chain to one of these, or have one of `allowedFingerprints`. */
  readonly ca?: Buffer;
  /** SHA-256 of allowed client certificates, in lower-case hex. */
  readonly allowedFingerprints: readonly string[];
  /** Serves plain HTTP too, on the same port. */
  readonly optional: boolean;
}

export interface HttpServerOptions {
  readonly handler: RequestListener;
  readonly tls?: TlsOptions;
  readonly maxConnections: number;
  readonly maxPerPrivateIp: number;
  readonly maxPerPublicIp: number;
  /** True for an address whose new connections are closed before anything is read. */
  readonly isRefused?: (ip: string) => boolean;
  /** Reports connections that were closed because of a limit. */
  readonly onTooMany?: (refused: TooManyConnections) => void;
  /** Absent: connections need no login. */
  readonly loginDeadline?: LoginDeadline;
  /** Reports that the certificate cannot be made. */
  readonly onBug?: (error: unknown) => void;
}

/** Connections that were closed because of a limit; address and limit are those of the latest one. */
export interface TooManyConnections {
  readonly ip: string;
  /** Most open connections, of the address or of all clients. */
  readonly limit: number;
  readonly of: 'address' | 'all';
  /** Connections that were closed since the last report, this one included. */
  readonly refused: number;
}

const HEADERS_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 300_000;
const KEEP_ALIVE_MS = 60_000;
/** First byte of a TLS handshake record. */
const TLS_HANDSHAKE = 0x16;
/** From the opening of a connection to its first byte. */
const SNIFF_TIMEOUT_MS = 10_000;
/** From the first byte to the end of the TLS handshake. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** Interval between checks for requests that exceed a time limit; Node's default is 30 s. */
const CHECK_INTERVAL_MS = 5_000;
/** Most connections whose clients have closed their side and wait for an answer, or are gone. */
const MAX_HALF_CLOSED = 100;
/** Shortest interval between reports of connections over a limit. */
const REPORT_INTERVAL_MS = 10_000;

const HTTP_OPTIONS = {
  // As with the reference.
  requireHostHeader: false,
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionsCheckingInterval: CHECK_INTERVAL_MS,
};

const PRIVATE = /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|::1$|f[cd]|fe80:)/i;

/**
 * Makes Node enforce time limits and find idle connections. Node begins this with the event `listening`, which does not
 * occur here because our own listener accepts the connections.
 */
function trackConnections<S extends Server>(server: S): S {
  server.emit('listening');
  return server;
}

/** Serves HTTP and TLS with limits on connections, and stops without cutting answers off. */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #http: Server;
  #https: HttpsServer | undefined;
  #makingHttps: Promise<HttpsServer> | undefined;
  readonly #listeners: Listener[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #counted = new CountedConnections();
  /** Connections whose clients send nothing more, the first one first; they do not count against the limits. */
  readonly #halfClosed = new Set<Socket>();
  #refused = 0;
  #reported = -Infinity;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    const { handler, tls, loginDeadline } = options;
    this.#http = trackConnections(createHttp(HTTP_OPTIONS, handler));
    // Some clients close their side after the request, and wait for the answer. The types lack this member of Node's.
    (this.#http as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
    this.#http.on('connection', (socket: Socket) => loginDeadline?.begin(socket));
    if (tls !== undefined && typeof tls.certificate !== 'function')
      this.#https = this.#createHttps(tls, tls.certificate);
  }

  #createHttps(tls: TlsOptions, { key, cert }: CertifiedKey): HttpsServer {
    const needsClientCertificate = tls.ca !== undefined || tls.allowedFingerprints.length > 0;
    const https = trackConnections(
      createHttps(
        {
          ...HTTP_OPTIONS,
          handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
          key,
          cert,
          ...(tls.ca === undefined ? {} : { ca: tls.ca }),
          requestCert: needsClientCertificate,
          rejectUnauthorized: false,
        },
        this.#options.handler,
      ),
    );
    https.on('tlsClientError', (_error, socket: TLSSocket) => socket.destroy());
    https.on('secureConnection', (socket: TLSSocket) => {
      if (needsClientCertificate && !hasAllowedCertificate(socket, tls)) socket.destroy();
      else this.#options.loginDeadline?.begin(socket);
    });
    return https;
  }

  /** @param port 0 binds a free one. @returns the bound port. @throws Error when it cannot be bound. */
  async listen(host: string, port: number): Promise<number> {
    const listener = await Listener.bind(host, port);
    this.serve(listener);
    return listener.port;
  }

  /**
   * Replaces key, certificate and the certificates that clients' chain to, for new connections.
   * @throws Error for files that are not valid or do not belong together: nothing is changed.
   */
  renewCertificate({ key, cert }: CertifiedKey, ca: Buffer | undefined): void {
    const files = { key, cert, ...(ca === undefined ? {} : { ca }) };
    // The server would keep a part of files that are not valid.
    createSecureContext(files);
    this.#https?.setSecureContext(files);
  }

  /** Serves connections of a port that is bound already. */
  serve(listener: Listener): void {
    this.#listeners.push(listener);
    listener.serve((socket) => this.#accept(socket));
  }

  /** Refuses new connections, waits `graceMs` for pending answers, then closes the remaining connections. */
  async close(graceMs: number): Promise<void> {
    const closed = this.#listeners.map((listener) => listener.close());
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
    const { maxConnections, maxPerPrivateIp, maxPerPublicIp } = this.#options;
    const limit = PRIVATE.test(ip) ? maxPerPrivateIp : maxPerPublicIp;
    const full = this.#counted.all >= maxConnections;
    if (full || this.#counted.of(ip) >= limit) {
      socket.destroy();
      return this.#report(full ? { ip, limit: maxConnections, of: 'all' } : { ip, limit, of: 'address' });
    }
    const release = this.#counted.add(ip);
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('end', () => {
      release();
      this.#keepHalfClosed(socket);
    });
    socket.once('close', () => {
      release();
      this.#sockets.delete(socket);
      this.#halfClosed.delete(socket);
    });
    const { tls } = this.#options;
    if (tls === undefined) this.#http.emit('connection', socket);
    else if (tls.optional) this.#sniff(socket, tls);
    else this.#secure(socket, tls);
  }

  /** Keeps a connection until its answer is sent: whether its client is gone is known only then. */
  #keepHalfClosed(socket: Socket): void {
    this.#halfClosed.add(socket);
    const [oldest] = this.#halfClosed;
    if (this.#halfClosed.size > MAX_HALF_CLOSED) oldest?.destroy();
  }

  #report(refused: Omit<TooManyConnections, 'refused'>): void {
    this.#refused += 1;
    const now = performance.now();
    if (now - this.#reported < REPORT_INTERVAL_MS) return;
    this.#options.onTooMany?.({ ...refused, refused: this.#refused });
    this.#reported = now;
    this.#refused = 0;
  }

  /** Passes a connection to the HTTP or the TLS server, by its first byte. */
  #sniff(socket: Socket, tls: TlsOptions): void {
    socket.setTimeout(SNIFF_TIMEOUT_MS, () => socket.destroy());
    socket.once('readable', () => {
      const first = socket.read(1) as Buffer | null;
      if (first === null) return void socket.destroy();
      socket.setTimeout(0);
      socket.removeAllListeners('timeout');
      socket.unshift(first);
      if (first[0] === TLS_HANDSHAKE) this.#secure(socket, tls);
      else this.#http.emit('connection', socket);
    });
  }

  /** Passes a connection to the TLS server as soon as the certificate exists. */
  #secure(socket: Socket, tls: TlsOptions): void {
    if (this.#https !== undefined) return void this.#https.emit('connection', socket);
    const { certificate } = tls;
    this.#makingHttps ??= (
      typeof certificate === 'function' ? certificate() : Promise.resolve(certificate)
    ).then((made) => (this.#https = this.#createHttps(tls, made)));
    this.#makingHttps.then(
      (https) => socket.destroyed || https.emit('connection', socket),
      (error: unknown) => {
        if (this.#makingHttps !== undefined) this.#options.onBug?.(error);
        // The next connection tries again.
        this.#makingHttps = undefined;
        socket.destroy();
      },
    );
  }
}

/** True if nothing was read from the connection; `closeIdleConnections` ends those that are idle after a request. */
const isIdle = (socket: Socket): boolean => socket.bytesRead === 0;

function hasAllowedCertificate(socket: TLSSocket, tls: TlsOptions): boolean {
  const fingerprint = fingerprintOf(socket.getPeerX509Certificate());
  if (fingerprint === undefined) return false;
  return tls.allowedFingerprints.includes(fingerprint) || (tls.ca !== undefined && socket.authorized);
}
