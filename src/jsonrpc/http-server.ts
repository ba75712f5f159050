import { X509Certificate } from 'node:crypto';
import { createServer as createHttp, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Listener } from './listener.js';
import type { LoginDeadline } from './login-deadline.js';
import type { CertifiedKey } from './self-signed.js';

export interface TlsOptions {
  /** A function makes it for the first connection that speaks TLS. */
  readonly certificate: CertifiedKey | (() => Promise<CertifiedKey>);
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
  /** Reports connections that were closed because of a limit: the latest one, and how many since the last report. */
  readonly onTooMany?: (refused: TooManyConnections) => void;
  /** Absent: connections need no login. */
  readonly loginDeadline?: LoginDeadline;
  /** Reports a certificate that cannot be made. */
  readonly onBug?: (error: unknown) => void;
}

/** A connection over a limit. */
export interface TooManyConnections {
  readonly ip: string;
  /** Connections at once, of the address or of all. */
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
/** From the opening of a connection to its first byte, and from there to the end of the TLS handshake. */
const SNIFF_TIMEOUT_MS = 10_000;
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** Pause between looks for requests that exceed a time limit; Node's is 30 s. */
const CHECK_INTERVAL_MS = 5_000;
/** Pause between reports of connections over a limit. */
const REPORT_INTERVAL_MS = 10_000;

const TIME_LIMITS = {
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionsCheckingInterval: CHECK_INTERVAL_MS,
};

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
  #https: Server | undefined;
  #makingHttps: Promise<Server> | undefined;
  readonly #listeners: Listener[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #perIp = new Map<string, number>();
  #refused = 0;
  #reported = -Infinity;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    const { handler, tls, loginDeadline } = options;
    this.#http = trackConnections(createHttp(TIME_LIMITS, handler));
    this.#http.on('connection', (socket: Socket) => loginDeadline?.begin(socket));
    if (tls !== undefined && typeof tls.certificate !== 'function')
      this.#https = this.#createHttps(tls, tls.certificate);
  }

  #createHttps(tls: TlsOptions, { key, cert }: CertifiedKey): Server {
    const wantsClient = tls.ca !== undefined || tls.allowedFingerprints.length > 0;
    const https = trackConnections(
      createHttps(
        {
          ...TIME_LIMITS,
          handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
          key,
          cert,
          ...(tls.ca === undefined ? {} : { ca: tls.ca }),
          requestCert: wantsClient,
          rejectUnauthorized: false,
        },
        this.#options.handler,
      ),
    );
    https.on('tlsClientError', (_error, socket: TLSSocket) => socket.destroy());
    https.on('secureConnection', (socket: TLSSocket) => {
      if (wantsClient && !isWelcome(socket, tls)) socket.destroy();
      else this.#options.loginDeadline?.begin(socket);
    });
    return https;
  }

  /** @param port 0 takes a free one. @returns the port. @throws Error when it cannot be bound. */
  async listen(host: string, port: number): Promise<number> {
    const listener = await Listener.bind(host, port);
    this.serve(listener);
    return listener.port;
  }

  /** Answers at a port that is bound already. */
  serve(listener: Listener): void {
    this.#listeners.push(listener);
    listener.serve((socket) => this.#accept(socket));
  }

  /** Refuses new connections, lets answers under way finish for so long, then closes what is left. */
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
    const count = (this.#perIp.get(ip) ?? 0) + 1;
    const { maxConnections, maxPerPrivateIp, maxPerPublicIp } = this.#options;
    const limit = PRIVATE.test(ip) ? maxPerPrivateIp : maxPerPublicIp;
    const full = this.#sockets.size >= maxConnections;
    if (full || count > limit) {
      socket.destroy();
      return this.#report(full ? { ip, limit: maxConnections, of: 'all' } : { ip, limit, of: 'address' });
    }
    this.#perIp.set(ip, count);
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      this.#sockets.delete(socket);
      const left = (this.#perIp.get(ip) ?? 1) - 1;
      if (left === 0) this.#perIp.delete(ip);
      else this.#perIp.set(ip, left);
    });
    const { tls } = this.#options;
    if (tls === undefined) this.#http.emit('connection', socket);
    else if (tls.optional) this.#sniff(socket, tls);
    else this.#secure(socket, tls);
  }

  #report(refused: Omit<TooManyConnections, 'refused'>): void {
    this.#refused += 1;
    const now = performance.now();
    if (now - this.#reported < REPORT_INTERVAL_MS) return;
    this.#options.onTooMany?.({ ...refused, refused: this.#refused });
    this.#reported = now;
    this.#refused = 0;
  }

  /** Looks at the first byte and hands the connection on. */
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

  /** Hands a connection that speaks TLS on, once there is a certificate. */
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

/** Nothing was read that is not answered yet. */
const isIdle = (socket: Socket): boolean => socket.bytesRead === 0;

function isWelcome(socket: TLSSocket, tls: TlsOptions): boolean {
  const { raw } = socket.getPeerCertificate();
  if (raw === undefined) return false;
  const fingerprint = new X509Certificate(raw).fingerprint256.replaceAll(':', '').toLowerCase();
  return tls.allowedFingerprints.includes(fingerprint) || (tls.ca !== undefined && socket.authorized);
}
