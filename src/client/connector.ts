import { Agent, type ClientRequestArgs } from 'node:http';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Duplex } from 'node:stream';
import { fingerprintOf } from '../util/fingerprint.js';

/** Address of a server, with the certificates that are accepted from it. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** CA certificates (PEM) that the server's certificate must chain to; absent: those of the system. */
  readonly ca?: string | readonly string[];
  /** SHA-256 fingerprints of accepted certificates [lower-case hex]; they replace all other checks. */
  readonly fingerprints: readonly string[];
}

/** Longest time of an attempt to connect, including TLS [ms]. */
const CONNECT_MS = 10_000;
/** Interval of TCP keep-alive probes, which detect a dead peer during a long call [ms]. */
const PROBE_MS = 30_000;
/**
 * Time after which an unused connection is closed [ms]; shorter than the time at which servers and proxies close it.
 */
const IDLE_MS = 4_000;

function isAccepted(socket: TLSSocket, fingerprints: readonly string[]): boolean {
  const fingerprint = fingerprintOf(socket.getPeerX509Certificate());
  return fingerprints.length === 0 || (fingerprint !== undefined && fingerprints.includes(fingerprint));
}

function open({ host, port, tls, ca, fingerprints }: ServerAddress): Socket {
  if (!tls) return connectTcp({ host, port });
  return connectTls({
    ...{ host, port },
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
    rejectUnauthorized: fingerprints.length === 0,
  });
}

type Connected = (error: Error | null, socket?: Duplex) => void;

/**
 * Connects to a server, and reports the socket only when bytes may be sent: connected, and with an accepted
 * certificate. A request that got no socket was therefore not sent.
 */
export function connect(address: ServerAddress, done: Connected): void {
  const socket = open(address);
  const timer = setTimeout(() => socket.destroy(new Error('no connection in time')), CONNECT_MS);
  const onError = (error: Error): void => settle(() => done(error));
  const onClose = (): void => settle(() => done(new Error('the connection was closed')));
  const settle = (report: () => void): void => {
    clearTimeout(timer);
    socket.off('error', onError).off('close', onClose);
    report();
  };
  socket.once('error', onError).once('close', onClose);
  socket.once(address.tls ? 'secureConnect' : 'connect', () => {
    if (address.tls && !isAccepted(socket as TLSSocket, address.fingerprints))
      return void socket.destroy(new Error('the certificate of the server has another fingerprint'));
    socket.setNoDelay(true).setKeepAlive(true, PROBE_MS);
    settle(() => done(null, socket));
  });
}

/** Pool of connections to one server, for HTTP both in plain text and over TLS. */
export class ConnectionPool extends Agent {
  readonly #address: ServerAddress;

  /** @param keep largest number of unused connections; 0: each connection is used only once. */
  constructor(address: ServerAddress, keep: number) {
    super({ keepAlive: keep > 0, maxFreeSockets: keep, timeout: IDLE_MS, scheduling: 'lifo' });
    this.#address = address;
  }

  override createConnection(
    _options: ClientRequestArgs,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    connect(this.#address, callback as Connected);
    return undefined;
  }
}
