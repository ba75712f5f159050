import {
  Agent as HttpAgent,
  request as requestHttp,
  type ClientRequest,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect, type ConnectionOptions } from 'node:tls';
import { fingerprintOf } from '../../util/fingerprint.js';
import { isSafeTransport } from '../../util/ip-address.js';

/** How the other processes are reached; certificates are absent: those that the authorities of Node.js certify. */
export interface MemberTls {
  /** CA certificates (PEM) of the cluster, whatever names their certificates have. */
  readonly ca?: string | Buffer;
  /** SHA-256 fingerprints of accepted certificates [lower-case hex], in place of a CA. */
  readonly fingerprints?: readonly string[];
  /** True: also sends requests without TLS to other machines. */
  readonly allowsHttp?: boolean;
}

/** Largest number of idle connections to one process. */
const MOST_IDLE = 64;

/** Time for the handshake of a connection whose certificate is compared with fingerprints [ms]. */
const HANDSHAKE_MS = 5_000;

type OnConnection = (error: Error | null, socket: Duplex) => void;

/** Agent whose connections have certificates with given fingerprints. Nothing is sent before one was compared. */
class FingerprintAgent extends HttpsAgent {
  readonly #fingerprints: readonly string[];

  constructor(options: ConstructorParameters<typeof HttpsAgent>[0], fingerprints: readonly string[]) {
    super(options);
    this.#fingerprints = fingerprints;
  }

  override createConnection(options: RequestOptions, onConnection?: OnConnection): undefined {
    const socket = connect({ ...(options as ConnectionOptions), rejectUnauthorized: false });
    const fail = (error: Error): void => {
      socket.destroy();
      onConnection?.(error, socket);
    };
    socket.setTimeout(HANDSHAKE_MS, () => fail(new Error('the TLS handshake takes too long')));
    socket.once('error', fail);
    socket.once('secureConnect', () => {
      socket.setTimeout(0);
      socket.removeAllListeners('timeout');
      socket.off('error', fail);
      const fingerprint = fingerprintOf(socket.getPeerX509Certificate());
      if (fingerprint !== undefined && this.#fingerprints.includes(fingerprint)) onConnection?.(null, socket);
      else fail(new Error(`the certificate has another fingerprint: ${fingerprint ?? 'none'}`));
    });
    return undefined;
  }
}

/** Kept-alive connections to the other processes of a cluster. */
export class MemberConnections {
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;
  readonly #allowsHttp: boolean;

  constructor(tls: MemberTls = {}) {
    this.#allowsHttp = tls.allowsHttp ?? false;
    const options = { keepAlive: true, maxFreeSockets: MOST_IDLE, scheduling: 'lifo' } as const;
    const { ca, fingerprints = [] } = tls;
    this.#http = new HttpAgent(options);
    this.#https =
      fingerprints.length > 0
        ? new FingerprintAgent(options, fingerprints)
        : new HttpsAgent({
            ...options,
            ...(ca === undefined ? {} : { ca, checkServerIdentity: () => undefined }),
          });
  }

  /** True for the origin of a process to which requests may be sent: with TLS, or on this machine. */
  mayUse(origin: string): boolean {
    return this.#allowsHttp || isSafeTransport(new URL(origin));
  }

  /** Begins a request. @param to origin of the process. @param path with query, sent as it is. */
  begin(
    to: string,
    path: string,
    { method, headers }: Required<Pick<RequestOptions, 'method' | 'headers'>>,
  ): ClientRequest {
    const { protocol, hostname, port } = new URL(to);
    const target = {
      // IPv6 addresses stand in brackets in a URL.
      hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
      ...(port === '' ? {} : { port }),
      ...{ path, method, headers },
    };
    return protocol === 'https:'
      ? requestHttps({ ...target, agent: this.#https })
      : requestHttp({ ...target, agent: this.#http });
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}
