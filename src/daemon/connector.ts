import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { SocksClient } from 'socks';
import { DaemonError } from './errors.js';

/** How a daemon's certificate is judged. Cloneable. */
export interface DaemonSsl {
  readonly mode: 'enabled' | 'disabled' | 'autodetect';
  readonly privateKeyPath?: string;
  readonly certificatePath?: string;
  readonly caFile?: string;
  /** SHA-256 of the certificate, lower-case hex. */
  readonly allowedFingerprints: readonly string[];
  readonly allowChained: boolean;
  readonly allowAnyCert: boolean;
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** The address said `https://`. */
  readonly secure: boolean;
}

/** @throws DaemonError for an address that cannot be one. */
export function parseEndpoint(address: string): Endpoint {
  const [, scheme, rest = ''] = /^(?:(https?):\/\/)?([^/]*)\/?$/.exec(address) ?? [];
  const [, bracketed, plain, port] = /^(?:\[([0-9a-fA-F:]+)\]|([^:\s[\]]+)):(\d{1,5})$/.exec(rest) ?? [];
  const host = bracketed ?? plain;
  // Port 0 can be named, as upstream has it; nothing is ever reached there.
  if (host === undefined || Number(port) > 65535)
    throw new DaemonError('unreachable', 'a daemon address is host:port');
  return { host, port: Number(port), secure: scheme === 'https' };
}

const CONNECT_TIMEOUT_MS = 10_000;

/** Opens connections to one endpoint: through the proxy if there is one, with TLS where that is wanted or offered. */
export class Connector {
  readonly #endpoint: Endpoint;
  readonly #ssl: DaemonSsl;
  readonly #proxy: { readonly host: string; readonly port: number } | undefined;
  /** Autodetection's finding. */
  #tls: boolean | undefined;

  constructor(endpoint: Endpoint, ssl: DaemonSsl, proxy: string | undefined) {
    this.#endpoint = endpoint;
    this.#ssl = ssl;
    this.#proxy = proxy === undefined ? undefined : parseProxy(proxy);
    if (ssl.mode === 'disabled') this.#tls = false;
    else if (ssl.mode === 'enabled' || endpoint.secure) this.#tls = true;
  }

  async open(): Promise<Socket> {
    if (this.#tls !== undefined) return this.#tls ? this.#openTls() : this.#openPlain();
    try {
      const socket = await this.#openTls();
      this.#tls = true;
      return socket;
    } catch (error) {
      // A certificate that is refused is an answer; anything else means that no TLS is spoken there.
      if (error instanceof DaemonError && error.kind === 'tls') throw error;
      const socket = await this.#openPlain();
      this.#tls = false;
      return socket;
    }
  }

  async #openPlain(): Promise<Socket> {
    const { host, port } = this.#endpoint;
    if (this.#proxy !== undefined) {
      const { socket } = await SocksClient.createConnection({
        proxy: { ...this.#proxy, type: 5 },
        command: 'connect',
        destination: { host, port },
        timeout: CONNECT_TIMEOUT_MS,
      });
      return socket;
    }
    const socket = connectPlain({ host, port, noDelay: true, keepAlive: true });
    await opened(socket, 'connect');
    return socket;
  }

  async #openTls(): Promise<TLSSocket> {
    const raw = await this.#openPlain();
    const { privateKeyPath, certificatePath, caFile } = this.#ssl;
    const options: ConnectionOptions = {
      socket: raw,
      rejectUnauthorized: false,
      ...(isIP(this.#endpoint.host) === 0 ? { servername: this.#endpoint.host } : {}),
      ...(privateKeyPath === undefined ? {} : { key: read(privateKeyPath) }),
      ...(certificatePath === undefined ? {} : { cert: read(certificatePath) }),
      ...(caFile === undefined ? {} : { ca: read(caFile) }),
      // Reading the system's list takes 10 ms, which a daemon without TLS need not wait for.
      ...(this.#takesAny ? { ca: [] } : {}),
    };
    const socket = connectTls(options);
    await opened(socket, 'secureConnect');
    const problem = this.#judge(socket);
    if (problem === undefined) return socket;
    socket.destroy();
    throw new DaemonError('tls', problem);
  }

  /** Without anything to check against, autodetected TLS keeps listeners out, not impostors. */
  get #takesAny(): boolean {
    const { mode, caFile } = this.#ssl;
    return mode === 'autodetect' && caFile === undefined && !this.#endpoint.secure;
  }

  /** Source: net_ssl.cpp `ssl_options_t::handshake`. @returns why the certificate is refused. */
  #judge(socket: TLSSocket): string | undefined {
    const { allowAnyCert, allowedFingerprints, caFile } = this.#ssl;
    if (allowAnyCert) return undefined;
    const { raw } = socket.getPeerCertificate();
    const fingerprint = new X509Certificate(raw).fingerprint256.replaceAll(':', '').toLowerCase();
    if (allowedFingerprints.includes(fingerprint)) return undefined;
    if (allowedFingerprints.length > 0 && caFile === undefined)
      return "the daemon's certificate is not an allowed one";
    if (socket.authorized) return undefined;
    if (this.#takesAny) return undefined;
    return "the daemon's certificate is not trusted";
  }
}

const read = (path: string): Buffer => {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new DaemonError('tls', 'a TLS file of the daemon settings cannot be read', { cause });
  }
};

function opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail(new Error('timed out')), CONNECT_TIMEOUT_MS);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const closed = (): void => fail(new Error('closed while connecting'));
    socket.once('error', fail);
    socket.once('close', closed);
    socket.once(event, () => {
      clearTimeout(timer);
      socket.removeListener('error', fail);
      socket.removeListener('close', closed);
      resolve();
    });
  });
}

function parseProxy(text: string): { host: string; port: number } {
  const [, host, port] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined) throw new DaemonError('unreachable', 'a proxy is [ip:]port');
  return { host: host ?? '127.0.0.1', port: Number(port) };
}
