import type { Socket } from 'node:net';
import { OutboundAgent } from '../../util/outbound/agent.js';
import {
  anyHost,
  connectTcp,
  connectTls,
  withFingerprint,
  type ConnectTarget,
  type TlsIdentity,
} from '../../util/outbound/connect.js';
import { isSafeTransport } from '../../util/address.js';

/**
 * Settings of TLS to the other processes; without certificates: certificates that the authorities of Node.js certify.
 */
export interface MemberTls {
  /** CA certificates (PEM) of the cluster; the names in the certificates of the processes are not compared. */
  readonly ca?: string | Buffer;
  /** SHA-256 fingerprints of accepted certificates [lower-case hex], in place of a CA. */
  readonly fingerprints?: readonly string[];
  /** True: also sends requests without TLS to other machines. */
  readonly allowsHttp?: boolean;
}

/** Largest number of idle connections to one process. */
const MOST_IDLE = 64;

/** Time for a connection, with its TLS handshake [ms]. */
const CONNECT_MS = 5_000;

/** Host and port to which a request is sent, and the connections over which it is sent. */
export interface MemberRoute extends ConnectTarget {
  readonly agent: OutboundAgent;
}

/** Kept-alive connections to the other processes of a cluster. */
export class MemberConnections {
  readonly #http: OutboundAgent;
  readonly #https: OutboundAgent;
  readonly #allowsHttp: boolean;

  constructor({ allowsHttp = false, ...tls }: MemberTls = {}) {
    this.#allowsHttp = allowsHttp;
    const options = { keep: MOST_IDLE, connectMs: CONNECT_MS };
    const identity = identityOf(tls);
    this.#http = new OutboundAgent(options, connectTcp);
    this.#https = new OutboundAgent({ ...options, defaultPort: 443 }, async (to, signal): Promise<Socket> =>
      connectTls(await connectTcp(to, signal), { ...identity, host: to.host }, signal),
    );
  }

  /** True for the origin of a process to which requests may be sent: with TLS, or on this machine. */
  mayUse(origin: string): boolean {
    return this.#allowsHttp || isSafeTransport(new URL(origin));
  }

  /** Returns the route to a process. @param origin origin of the process. */
  routeTo(origin: string): MemberRoute {
    const { protocol, hostname, port } = new URL(origin);
    const isSecure = protocol === 'https:';
    return {
      // IPv6 addresses stand in brackets in a URL.
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? (isSecure ? 443 : 80) : Number(port),
      agent: isSecure ? this.#https : this.#http,
    };
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}

/** Returns the proof that every process must give: a certificate with a fingerprint, or of the authorities. */
function identityOf({ ca, fingerprints = [] }: MemberTls): Omit<TlsIdentity, 'host'> {
  const refusal = (fingerprint = 'none'): Error =>
    new Error(`the certificate has another fingerprint: ${fingerprint}`);
  return {
    ALPNProtocols: ['http/1.1'],
    ...(fingerprints.length > 0
      ? { judge: withFingerprint(fingerprints, refusal) }
      : ca === undefined
        ? {}
        : { ca, compareHost: anyHost }),
  };
}
