import { isIP, type Socket } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { anyCertificate, connectTcp, connectTls, eventOf } from '../../util/outbound/connect.js';
import type { DatabaseAddress, DatabaseHost } from './address.js';

/** The request for TLS, which comes before anything else. Source: PostgreSQL, Message Formats, SSLRequest. */
const TLS_REQUEST = Uint8Array.of(0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f);

/** The answer of a server that goes on with TLS: the letter S. */
const TLS_FOLLOWS = 0x53;

/**
 * Compares the certificate of a server with the host of its address. A host that is an IP address may be a DNS name of the
 * certificate, and its common name if the certificate has no IP address.
 * @returns undefined if certificate and host belong together. Source: libpq, `pq_verify_peer_name_matches_certificate`.
 */
export function identityError(host: string, certificate: PeerCertificate): Error | undefined {
  const error = checkServerIdentity(host, certificate);
  if (error === undefined || isIP(host) === 0) return error;
  const names = (certificate.subjectaltname ?? '').split(', ');
  const hasAddress = names.some((name) => name.startsWith('IP Address:'));
  const isNamed =
    names.includes(`DNS:${host}`) || (!hasAddress && [certificate.subject.CN].flat().includes(host));
  return isNamed ? undefined : error;
}

/**
 * One connection to a server, with TLS if the address asks for TLS. The client of PostgreSQL gets the finished
 * connection, and this class alone ends it: a socket under TLS that is destroyed beside it fails the next write.
 */
export class DatabaseSocket {
  /** The connection, once it is encrypted and the server has proved its identity. @throws Error */
  readonly ready: Promise<Socket>;
  readonly #closing = new AbortController();
  /** The TCP connection, or the TLS connection over it; undefined before the connection is open. */
  #outer: Socket | undefined;

  constructor(tls: DatabaseAddress['tls'], host: DatabaseHost) {
    this.ready = this.#open(tls, host);
  }

  /** Ends the connection at once. */
  destroy(): void {
    this.#closing.abort(new Error('the connection ended'));
    this.#outer?.destroy();
  }

  async #open(tls: DatabaseAddress['tls'], { host, port }: DatabaseHost): Promise<Socket> {
    const { signal } = this.#closing;
    this.#outer = await connectTcp({ host, port }, signal);
    if (tls === undefined) return this.#outer;
    const plain = this.#outer;
    plain.write(TLS_REQUEST);
    const answer = await eventOf<Buffer>(plain, 'data', signal);
    // Bytes that follow the letter were not encrypted, and may come from an attacker.
    if (answer.length !== 1 || answer[0] !== TLS_FOLLOWS) {
      plain.destroy();
      throw new Error('the server does not offer TLS');
    }
    const { ca, rejectUnauthorized } = tls;
    this.#outer = await connectTls(
      plain,
      {
        ...{ host, compareHost: identityError },
        ...(ca === undefined ? {} : { ca }),
        ...(rejectUnauthorized ? {} : { judge: anyCertificate }),
      },
      signal,
    );
    return this.#outer;
  }
}
