import { connect, isIP, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls, type PeerCertificate } from 'node:tls';
import type { DatabaseAddress, DatabaseHost } from './address.js';

/** The request for TLS, which comes before anything else. Source: PostgreSQL, Message Formats, SSLRequest. */
const TLS_REQUEST = Uint8Array.of(0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f);

/** The answer of a server that goes on with TLS: the letter S. */
const TLS_FOLLOWS = 0x53;

/** Waits for an event of a socket. @throws the error of the socket, or that it was closed before. */
const eventOf = <T>(socket: Socket, event: string): Promise<T> =>
  new Promise((resolve, reject) => {
    socket.once(event, resolve);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection ended')));
  });

/**
 * Compares the certificate of a server with the host of its address. A host that is an IP address may be a DNS name of the
 * certificate, and its common name if the certificate has no IP address.
 * @returns undefined if they belong together. Source: libpq, `pq_verify_peer_name_matches_certificate`.
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
 * One connection to a server, with TLS where the address asks for it. The client of PostgreSQL gets the finished
 * connection, and this class alone ends it: a socket under TLS that is destroyed beside it fails the next write.
 */
export class DatabaseSocket {
  /** The connection, once it is encrypted and the server has proved its identity. @throws Error */
  readonly ready: Promise<Socket>;
  /** The connection that owns all those under it. */
  #outer: Socket;

  constructor(tls: DatabaseAddress['tls'], { host, port }: DatabaseHost) {
    this.#outer = connect(port, host).setNoDelay(true);
    // Callers that wait for the connection get its errors; without a listener a later error would end the process.
    this.#outer.on('error', () => undefined);
    this.ready = this.#open(tls, host);
  }

  /** Ends the connection at once. */
  destroy(): void {
    this.#outer.destroy();
  }

  async #open(tls: DatabaseAddress['tls'], host: string): Promise<Socket> {
    const plain = this.#outer;
    await eventOf(plain, 'connect');
    if (tls === undefined) return plain;
    plain.write(TLS_REQUEST);
    const answer = await eventOf<Buffer>(plain, 'data');
    // Whatever follows the letter was not encrypted, and may be anybody's.
    if (answer.length !== 1 || answer[0] !== TLS_FOLLOWS) {
      plain.destroy();
      throw new Error('the server does not offer TLS');
    }
    this.#outer = connectTls({
      ...tls,
      socket: plain,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      checkServerIdentity: (_, certificate) => identityError(host, certificate),
    });
    this.#outer.on('error', () => undefined);
    await eventOf(this.#outer, 'secureConnect');
    return this.#outer;
  }
}
