import { ThreadClient } from '../../util/thread-client.js';
import type { SelfSignedJobs } from './self-signed-thread.js';
import {
  createServer as createHttp,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http';
import { createServer as createHttps, type Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { createSecureContext, type TLSSocket } from 'node:tls';
import { fingerprintOf } from '../../util/certificates.js';
import { LOOPBACK, networkOf, peerAddress } from '../message/caller.js';
import { STALL_MS } from '../calls/answer.js';
import { CountedConnections, type ReachedLimit, type LoginDeadline } from './connection-limits.js';
import { Listener } from './listener.js';
import { RequestOrder } from './request-order.js';

/** A private key and the certificate of its public key, both in PEM form. */
export interface CertifiedKey {
  readonly key: string | Buffer;
  readonly cert: string | Buffer;
  /** SHA-256 of the certificate [upper-case hex with colons]. */
  readonly fingerprint?: string;
}

/**
 * Makes a new key with a self-signed certificate, valid for ten years, on a thread that ends afterwards: loading the
 * library for certificates takes a tenth of a second and about 15 MB. Source: net_ssl.cpp `create_rsa_ssl_certificate`;
 * with P-256 in place of RSA, since such a key is generated at once.
 */
export async function makeSelfSigned(): Promise<CertifiedKey> {
  const thread = new ThreadClient<SelfSignedJobs>(new URL('./self-signed-thread.js', import.meta.url), {
    threads: 1,
  });
  try {
    return await thread.run('make', undefined);
  } finally {
    await thread.close();
  }
}

export interface TlsOptions {
  /** Key and certificate, or a function that makes them at the first TLS connection. */
  readonly certificate: CertifiedKey | (() => Promise<CertifiedKey>);
  /** CA certificates (PEM). Client certificates must chain to one of them, or have one of `allowedFingerprints`. */
  readonly ca?: Buffer;
  /** SHA-256 fingerprints of allowed client certificates [lower-case hex]. */
  readonly allowedFingerprints: readonly string[];
  /** True: also serves plain HTTP on the same port. */
  readonly optional: boolean;
}

export interface HttpServerOptions {
  /** Handles the requests of one connection one after another, and requests of several connections at the same time. */
  readonly handler: RequestListener;
  readonly tls?: TlsOptions;
  /** Largest number of open connections of all clients; connections of this machine do not count. */
  readonly maxConnections: number;
  /** Largest number of open connections of this machine, or of a private network. */
  readonly maxPerPrivateIp: number;
  /** Largest number of open connections of a public network. */
  readonly maxPerPublicIp: number;
  /** Returns true for a client address whose new connections are closed before anything is read. */
  readonly isRefused?: (ip: string) => boolean;
  /** Called when connections were closed because of a limit. */
  readonly onTooMany?: (refused: TooManyConnections) => void;
  /** Deadline for the login of a connection; absent: no login is required. */
  readonly loginDeadline?: LoginDeadline;
  /**
   * Returns true for a request whose handler itself sends `100 Continue`, when it begins to read the body; absent: the
   * server itself sends it in answer to every request that expects it.
   */
  readonly continuesItself?: (req: IncomingMessage) => boolean;
  /** Headers of answers that `handler` does not give, such as the answer to bytes that are not a request. */
  readonly errorHeaders?: OutgoingHttpHeaders;
  /** Time in which a client must read a part of an answer [ms]; absent: {@link STALL_MS}. */
  readonly stallMs?: number;
  /** Called if the certificate cannot be made. */
  readonly onBug?: (error: unknown) => void;
}

/** Report of connections that were closed because of a limit; address and limit belong to the latest connection. */
export interface TooManyConnections extends ReachedLimit {
  readonly ip: string;
  /** Number of connections closed since the last report, including the latest one. */
  readonly refused: number;
}

const HEADERS_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 300_000;
const KEEP_ALIVE_MS = 60_000;
/** First byte of a TLS handshake record. */
const TLS_HANDSHAKE = 0x16;
/** Longest time from the opening of a connection to its first byte [ms]. */
const SNIFF_TIMEOUT_MS = 10_000;
/** Longest time from the first byte to the end of the TLS handshake [ms]. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** Interval between checks for requests that exceed a time limit [ms]; Node's default is 30 s. */
const CHECK_INTERVAL_MS = 5_000;
/** Largest number of connections whose clients have closed their side: they wait for an answer, or are gone. */
const MAX_HALF_CLOSED = 100;
/** Shortest interval between reports of connections over a limit [ms]. */
const REPORT_INTERVAL_MS = 10_000;

const HTTP_OPTIONS = {
  // The reference accepts requests without a Host header, too.
  requireHostHeader: false,
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionsCheckingInterval: CHECK_INTERVAL_MS,
};

/**
 * Makes Node enforce time limits and find idle connections. Node starts this with the event `listening`, which does not
 * occur here, since a listener of this server accepts the connections.
 */
function trackConnections<S extends Server>(server: S): S {
  server.emit('listening');
  return server;
}

/** Serves HTTP and TLS with limits on connections, and waits for pending answers when it stops. */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #order: RequestOrder;
  readonly #http: Server;
  /** Settings of TLS, with the files that were read last. */
  #tls: TlsOptions | undefined;
  /** Key and certificate of `#https`. */
  #certificate: CertifiedKey | undefined;
  #https: HttpsServer | undefined;
  #makingHttps: Promise<HttpsServer> | undefined;
  readonly #listeners: Listener[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #counted: CountedConnections;
  /** Functions that end the count of an open connection, by its end points. */
  readonly #releases = new Map<string, () => void>();
  /** Networks of connections whose clients have closed their side, oldest first; they do not count against the limits. */
  readonly #halfClosed = new Map<Socket, string>();
  #refused = 0;
  #reported = -Infinity;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    const { tls, loginDeadline, maxConnections, maxPerPrivateIp, maxPerPublicIp } = options;
    this.#counted = new CountedConnections({
      all: maxConnections,
      each: { private: maxPerPrivateIp, public: maxPerPublicIp },
    });
    this.#order = new RequestOrder(options.handler, options.errorHeaders);
    this.#http = this.#ordered(trackConnections(createHttp(HTTP_OPTIONS)));
    // Some clients close their side after the request, and wait for the answer. The types of Node.js lack this member.
    (this.#http as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
    this.#http.on('connection', (socket: Socket) => loginDeadline?.begin(socket));
    this.#tls = tls;
    if (tls !== undefined && typeof tls.certificate !== 'function')
      this.#https = this.#createHttps(tls, tls.certificate);
  }

  #createHttps(tls: TlsOptions, { key, cert }: CertifiedKey): HttpsServer {
    this.#certificate = { key, cert };
    const needsClientCertificate = tls.ca !== undefined || tls.allowedFingerprints.length > 0;
    const https = this.#ordered(
      trackConnections(
        createHttps({
          ...HTTP_OPTIONS,
          handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
          key,
          cert,
          ...(tls.ca === undefined ? {} : { ca: tls.ca }),
          requestCert: needsClientCertificate,
          rejectUnauthorized: false,
        }),
      ),
    );
    https.on('tlsClientError', (_error, socket: TLSSocket) => socket.destroy());
    https.on('secureConnection', (socket: TLSSocket) => {
      if (needsClientCertificate && !hasAllowedCertificate(socket, tls)) socket.destroy();
      else this.#options.loginDeadline?.begin(socket);
    });
    return https;
  }

  /**
   * Binds a port and serves it. @param port 0: a free port. @returns the bound port. @throws Error if the port cannot
   * be bound.
   */
  async listen(host: string, port: number): Promise<number> {
    const listener = await Listener.bind(host, port);
    this.serve(listener);
    return listener.port;
  }

  /**
   * Replaces key and certificate, CA certificates of clients, or both, for new connections.
   * @throws Error for files that are invalid or do not belong together: nothing is changed then.
   */
  renewTls(files: Pick<Partial<TlsOptions>, 'ca'> & { readonly certificate?: CertifiedKey }): void {
    if (this.#tls === undefined) return;
    const tls = { ...this.#tls, ...files };
    const certificate = files.certificate ?? this.#certificate;
    if (certificate !== undefined) {
      const { key, cert } = certificate;
      const context = { key, cert, ...(tls.ca === undefined ? {} : { ca: tls.ca }) };
      // The files are checked first, because the server would keep the valid part of invalid files.
      createSecureContext(context);
      this.#https?.setSecureContext(context);
    }
    this.#certificate = certificate;
    this.#tls = tls;
  }

  /** Serves the connections of a bound port. */
  serve(listener: Listener): void {
    this.#listeners.push(listener);
    listener.serve((socket) => this.#accept(socket));
  }

  /**
   * Closes the server: refuses new connections, waits for pending answers, then closes the remaining connections.
   * @param graceMs longest wait [ms].
   */
  async close(graceMs: number): Promise<void> {
    const closed = this.#listeners.map((listener) => listener.close());
    this.#http.closeIdleConnections();
    this.#https?.closeIdleConnections();
    for (const socket of this.#sockets) if (isIdle(socket)) socket.end();
    const timer = setTimeout(() => this.#sockets.forEach((socket) => socket.destroy()), graceMs);
    await Promise.all(closed);
    clearTimeout(timer);
  }

  /**
   * Ends the count of a connection against the limits, because it comes from another process of the same operator and
   * carries the requests of many clients. @param socket connection of a request.
   */
  exempt(socket: Socket): void {
    this.#releases.get(endPointsOf(socket))?.();
  }

  /** Makes a server pass its requests and errors on in the order of each connection, and limit the time of readers. */
  #ordered<S extends Server>(server: S): S {
    const { continuesItself, stallMs = STALL_MS } = this.#options;
    const { listener, failed, refuseExpectation } = this.#order;
    server.on('request', listener);
    server.on('clientError', failed);
    server.on('checkExpectation', refuseExpectation);
    server.timeout = stallMs;
    server.on('timeout', (socket: Socket) => this.#endStalled(socket));
    if (continuesItself !== undefined)
      server.on('checkContinue', (req, res) => {
        if (!continuesItself(req)) res.writeContinue();
        listener(req, res);
      });
    return server;
  }

  /**
   * Ends a connection on which nothing was read or written for a time, if it is idle or its client does not read. Keeps
   * a connection whose client waits for an answer.
   */
  #endStalled(socket: Socket): void {
    if (socket.writableLength > 0 || !this.#order.isBusy(socket)) socket.destroy();
  }

  #accept(socket: Socket): void {
    const ip = peerAddress(socket);
    if (this.#options.isRefused?.(ip) === true) return void socket.destroy();
    const release = this.#counted.take(ip);
    if (typeof release !== 'function') {
      socket.destroy();
      return this.#report(ip, release);
    }
    const endPoints = endPointsOf(socket);
    this.#releases.set(endPoints, release);
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('end', () => {
      release();
      this.#keepHalfClosed(socket, networkOf(ip));
    });
    socket.once('close', () => {
      release();
      this.#sockets.delete(socket);
      this.#releases.delete(endPoints);
      this.#halfClosed.delete(socket);
    });
    const tls = this.#tls;
    if (tls === undefined) this.#http.emit('connection', socket);
    else if (tls.optional) this.#sniff(socket, tls);
    else this.#secure(socket, tls);
  }

  /**
   * Keeps a half-closed connection until its answer is sent: only the sending shows whether the client is gone. If
   * there are too many half-closed connections, the oldest one of the network with most of them is ended; a connection
   * of this machine is ended only if there are no others.
   */
  #keepHalfClosed(socket: Socket, network: string): void {
    this.#halfClosed.set(socket, network);
    if (this.#halfClosed.size <= MAX_HALF_CLOSED) return;
    const sockets = Map.groupBy(this.#halfClosed.keys(), (one) => this.#halfClosed.get(one) ?? '');
    const weightOf = (name: string): number => (name === LOOPBACK ? 0 : (sockets.get(name)?.length ?? 0));
    const [most] = [...sockets.keys()].sort((a, b) => weightOf(b) - weightOf(a));
    sockets.get(most ?? '')?.[0]?.destroy();
  }

  #report(ip: string, reached: ReachedLimit): void {
    this.#refused += 1;
    const now = performance.now();
    if (now - this.#reported < REPORT_INTERVAL_MS) return;
    this.#options.onTooMany?.({ ip, ...reached, refused: this.#refused });
    this.#reported = now;
    this.#refused = 0;
  }

  /** Passes a connection to the HTTP server or the TLS server, depending on its first byte. */
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
    this.#makingHttps ??= (typeof certificate === 'function' ? certificate() : Promise.resolve(certificate))
      // The CA certificates may have been read again meanwhile.
      .then((made) => (this.#https = this.#createHttps({ ...tls, ...this.#tls }, made)));
    this.#makingHttps.then(
      (https) => socket.destroyed || https.emit('connection', socket),
      (error: unknown) => {
        if (this.#makingHttps !== undefined) this.#options.onBug?.(error);
        // After a failure, the next connection starts another attempt.
        this.#makingHttps = undefined;
        socket.destroy();
      },
    );
  }
}

/**
 * True if nothing was read from a connection. Connections that are idle after a request are closed by
 * `closeIdleConnections`.
 */
const isIdle = (socket: Socket): boolean => socket.bytesRead === 0;

/**
 * Returns a text that identifies an open connection; the text is the same for a TLS connection and the socket below it.
 */
const endPointsOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;

function hasAllowedCertificate(socket: TLSSocket, tls: TlsOptions): boolean {
  const fingerprint = fingerprintOf(socket.getPeerX509Certificate());
  if (fingerprint === undefined) return false;
  return tls.allowedFingerprints.includes(fingerprint) || (tls.ca !== undefined && socket.authorized);
}
