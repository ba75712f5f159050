import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { canonicalHost } from '../util/address.js';
import { fileErrorCode, readOperatorFile } from '../util/files.js';
import { anyHost, connectTcp, connectTls, connectWithin, peerFingerprint } from '../util/outbound/connect.js';
import { PemError, readCertificateFile } from '../util/certificates.js';
import { DaemonError } from './errors.js';

/**
 * TLS settings for a daemon, with the rules for its certificate. A plain value, so that it can be posted to a thread.
 */
export interface DaemonSsl {
  readonly mode: 'enabled' | 'disabled' | 'autodetect';
  readonly privateKeyPath?: string;
  readonly certificatePath?: string;
  readonly caFile?: string;
  /** SHA-256 fingerprints of accepted certificates, in lower-case hex. */
  readonly allowedFingerprints: readonly string[];
  readonly allowChained: boolean;
  readonly allowAnyCert: boolean;
}

/**
 * True if TLS authenticates a daemon, or if its name does: an onion or i2p name contains the key of its service.
 * @param host name of the daemon, in lower case. Source: net_ssl.cpp `has_strong_verification`.
 */
const isVerifiable = (
  host: string,
  {
    caFile,
    allowedFingerprints,
    allowAnyCert,
  }: Pick<DaemonSsl, 'caFile' | 'allowedFingerprints' | 'allowAnyCert'>,
): boolean =>
  allowAnyCert || caFile !== undefined || allowedFingerprints.length > 0 || /\.(?:onion|i2p)$/.test(host);

/**
 * True if the settings demand a daemon that TLS authenticates, but do not allow TLS to authenticate it: TLS is enabled,
 * or a proxy could impersonate the daemon. @param host name of the daemon. Source: wallet_rpc_server.cpp
 * `on_set_daemon`, wallet2.cpp `make_basic`.
 */
export const lacksVerification = (host: string, ssl: DaemonSsl, proxy: string | undefined): boolean =>
  (ssl.mode === 'enabled' || proxy !== undefined) && !isVerifiable(host.toLowerCase(), ssl);

/** Host and port of a daemon, and whether its address demands TLS. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** True if the address begins with `https://`. */
  readonly secure: boolean;
}

/**
 * Parses an address `[http[s]://]host[:port][/path]`; the path is ignored.
 * @param defaultPort port of an address with neither port nor scheme; an address with a scheme alone has port 80 or
 * 443. Absent: the address must have a port.
 * @throws DaemonError `unreachable` for an invalid address. Source: abstract_http_client.cpp `set_server`,
 * net_parse_helpers.cpp `parse_url`.
 */
export function parseEndpoint(address: string, defaultPort?: number): Endpoint {
  const [, scheme, rest = ''] = /^(?:(https?):\/\/)?([^/]*)(?:\/.*)?$/s.exec(address) ?? [];
  const [, bracketed, plain, port] =
    /^(?:\[([0-9a-fA-F:]+)\]|([^:\s[\]@]+))(?::(\d{1,5}))?$/.exec(rest) ?? [];
  const host = bracketed ?? plain;
  const fallback = scheme === undefined ? defaultPort : scheme === 'https' ? 443 : 80;
  const number = port === undefined && defaultPort !== undefined ? fallback : Number(port);
  // Port 0 is valid, as in the reference, although every connection to it fails.
  if (host === undefined || number === undefined || !(number <= 65535))
    throw new DaemonError('unreachable', 'a daemon address is host:port');
  return { host, port: number, secure: scheme === 'https' };
}

/** Writes an endpoint as `host:port`. All spellings of an address give the same text. */
export const endpointName = ({ host, port }: Endpoint): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`.toLowerCase();

/** Writes an endpoint as `host:port`, equal for all spellings of the host, with a dot at its end and of an IPv6 address too. */
export const canonicalName = ({ host, port }: Endpoint): string => `${canonicalHost(host)}:${port}`;

/** Longest time for TCP, and for TLS [ms]. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Opens connections to one endpoint, through the proxy if a proxy is configured, and with TLS if TLS is required or
 * detected.
 */
export class Connector {
  readonly #endpoint: Endpoint;
  readonly #ssl: DaemonSsl;
  readonly #proxy: Proxy | undefined;
  /** True if the daemon uses TLS; undefined until that is detected. */
  #tls: boolean | undefined;

  constructor(endpoint: Endpoint, ssl: DaemonSsl, proxy: string | undefined) {
    this.#endpoint = endpoint;
    this.#ssl = ssl;
    this.#proxy = proxy === undefined ? undefined : parseProxy(proxy);
    if (ssl.mode === 'disabled') this.#tls = false;
    else if (ssl.mode === 'enabled' || endpoint.secure) this.#tls = true;
  }

  /** Opens a connection. @throws DaemonError `tls` for a refused certificate; the system error; the reason of the signal. */
  async open(signal: AbortSignal): Promise<Socket> {
    // The files are read before the connection is opened, so that the daemon has no work if a file cannot be used.
    const context = this.#tls === false ? undefined : tlsContext(this.#ssl, this.#acceptsUntrusted);
    const raw = await this.#openPlain(signal);
    if (context === undefined) return raw;
    if (this.#tls === true) return this.#overTls(raw, context, signal);
    try {
      const socket = await this.#overTls(raw, context, signal);
      this.#tls = true;
      return socket;
    } catch (error) {
      // A refused certificate proves that the daemon uses TLS; any other error is taken as proof that it does not use
      // TLS.
      if (error instanceof DaemonError && error.kind === 'tls') throw error;
      signal.throwIfAborted();
      const socket = await this.#openPlain(signal);
      this.#tls = false;
      return socket;
    }
  }

  /**
   * Detects TLS again at the next connection. Called after a failed connection, because an interrupted TLS handshake
   * looks like a daemon without TLS.
   */
  redetectTls(): void {
    const { mode } = this.#ssl;
    if (mode === 'autodetect' && this.#tls === false) this.#tls = undefined;
  }

  async #openPlain(signal: AbortSignal): Promise<Socket> {
    const { host, port } = this.#endpoint;
    if (this.#proxy !== undefined) return connectThrough(this.#proxy, host, port);
    return connectWithin(CONNECT_TIMEOUT_MS, [signal], (end) => connectTcp({ host, port }, end));
  }

  /** Begins TLS over a connection, which is closed if that fails. */
  #overTls(raw: Socket, secureContext: SecureContext, signal: AbortSignal): Promise<TLSSocket> {
    const identity = {
      host: this.#endpoint.host,
      // A certificate of the configured authority is accepted for any host, as in the reference.
      ...(this.#ssl.caFile === undefined ? {} : { compareHost: anyHost }),
      judge: (socket: TLSSocket): Error | undefined => {
        const refusal = this.#checkCertificate(socket);
        return refusal === undefined ? undefined : new DaemonError('tls', refusal, { code: codeOf(socket) });
      },
      secureContext,
    };
    return connectWithin(CONNECT_TIMEOUT_MS, [signal], (end) => connectTls(raw, identity, end));
  }

  /**
   * True for detected TLS without a configured authority. Such TLS protects against eavesdropping, not against
   * impersonation.
   */
  get #acceptsUntrusted(): boolean {
    const { mode, caFile } = this.#ssl;
    return mode === 'autodetect' && caFile === undefined && !this.#endpoint.secure;
  }

  /**
   * Checks the daemon's certificate against the configured fingerprints and authority.
   * @returns the reason for a refusal, or undefined. Source: net_ssl.cpp `ssl_options_t::configure`, `create_context`.
   */
  #checkCertificate(socket: TLSSocket): string | undefined {
    const { allowAnyCert, allowedFingerprints, allowChained, caFile } = this.#ssl;
    if (allowAnyCert) return undefined;
    const fingerprint = peerFingerprint(socket);
    if (fingerprint !== undefined && allowedFingerprints.includes(fingerprint)) return undefined;
    if (allowedFingerprints.length > 0 && caFile === undefined)
      return "the daemon's certificate is not one of the allowed ones";
    if (socket.authorized && (caFile === undefined || allowChained || isDirect(socket))) return undefined;
    if (this.#acceptsUntrusted) return undefined;
    return "the daemon's certificate is not trusted";
  }
}

/** Returns true if the certificate is a configured certificate, or was signed directly by a configured certificate. */
function isDirect(socket: TLSSocket): boolean {
  const leaf = socket.getPeerCertificate(true);
  const issuer = leaf.issuerCertificate;
  // A self-signed certificate is its own issuer.
  return issuer === undefined || issuer.issuerCertificate === issuer;
}

/** Returns OpenSSL's error code for a certificate that is not trusted; undefined for a trusted one. */
const codeOf = ({ authorizationError: code }: TLSSocket): string | undefined =>
  typeof code === 'string' ? code : undefined;

/** Settings of TLS that name files. */
type TlsFiles = Pick<DaemonSsl, 'privateKeyPath' | 'certificatePath' | 'caFile'>;

/**
 * Reads the files of the TLS settings for a connection.
 * @param withoutAuthorities true: no certificate is verified, so the authorities of the system, which take 10 ms to read,
 * are left out.
 * @throws DaemonError `tls` for a file that cannot be read or used.
 */
function tlsContext(
  { privateKeyPath, certificatePath, caFile }: TlsFiles,
  withoutAuthorities: boolean,
): SecureContext {
  const files = {
    ...(privateKeyPath === undefined ? {} : { key: read(privateKeyPath, 'private key') }),
    ...(certificatePath === undefined ? {} : { cert: readCertificates(certificatePath, 'certificate') }),
    // The file is checked here, since Node.js ignores bytes among the authorities that are not a certificate.
    ...(caFile === undefined ? {} : { ca: readCertificates(caFile, 'authorities') }),
  };
  try {
    return createSecureContext({ ...files, ...(withoutAuthorities ? { ca: [] } : {}) });
  } catch (cause) {
    throw new DaemonError('tls', 'a TLS file of the daemon settings is not what it should be', { cause });
  }
}

/**
 * Checks that the TLS files of the settings can be used, unless TLS is disabled.
 * @throws DaemonError `tls` for a file that cannot be read or used.
 */
export function assertTlsFiles(ssl: DaemonSsl): void {
  if (ssl.mode !== 'disabled') tlsContext(ssl, ssl.caFile === undefined);
}

/** Creates the error of a TLS file. @param problem completes "the file …". */
const badFile = (content: string, problem: string, cause: unknown): DaemonError =>
  new DaemonError('tls', `the TLS file of the daemon settings with the ${content} ${problem}`, { cause });

function readCertificates(path: string, content: string): Buffer {
  try {
    return readCertificateFile(path);
  } catch (cause) {
    if (!(cause instanceof PemError)) throw cause;
    throw badFile(content, cause.message, cause);
  }
}

function read(path: string, content: string): Buffer {
  try {
    return readOperatorFile(path);
  } catch (cause) {
    throw badFile(content, `cannot be read (${fileErrorCode(cause)})`, cause);
  }
}

/** Address of a SOCKS 5 proxy. */
export interface Proxy {
  readonly host: string;
  readonly port: number;
}

/** Time limit for the connection to the proxy, and for the proxy's connection to a host [ms]. */
const PROXY_TIMEOUT_MS = 10_000;

/**
 * Parses a proxy address `[ip:]port`. Default address: 127.0.0.1.
 * @throws DaemonError `unreachable` for an invalid address.
 */
export function parseProxy(text: string): Proxy {
  const [, host, port] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined) throw new DaemonError('unreachable', 'a proxy is [ip:]port');
  return { host: host ?? '127.0.0.1', port: Number(port) };
}

/** Opens a connection to a host through a proxy, which resolves the host's name. */
export async function connectThrough(proxy: Proxy, host: string, port: number): Promise<Socket> {
  // Loaded on demand: the package takes 0.7 MiB in each of two threads, and most servers use no proxy. In a bundle, a
  // CommonJS module is the default member.
  const { default: socks } = await import('socks');
  const { socket } = await socks.SocksClient.createConnection({
    proxy: { ...proxy, type: 5 },
    command: 'connect',
    destination: { host, port },
    timeout: PROXY_TIMEOUT_MS,
  });
  return socket;
}
