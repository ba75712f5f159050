import { X509Certificate } from 'node:crypto';
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectSecure, type PeerCertificate, type SecureContext, type TLSSocket } from 'node:tls';
import { fingerprintOf } from '../certificates.js';
import { within } from './call-end.js';

/** Interval of TCP keep-alive probes, which detect a dead peer during a long call [ms]. */
const PROBE_MS = 30_000;

/** Creates the error of a connection that could not be opened. */
const failure = (message: string, code: string): Error => Object.assign(new Error(message), { code });

/** Error of a connection that is not open in time. */
const late = (): Error => failure('no connection in time', 'ETIMEDOUT');

/** Runs an attempt to connect with a time limit. @param ms longest time [ms]; undefined: unlimited. */
export const connectWithin = <T>(
  ms: number | undefined,
  sources: readonly AbortSignal[],
  open: (signal: AbortSignal) => Promise<T>,
): Promise<T> => within(ms, late, sources, open);

/** Place that a connection leads to. */
export interface ConnectTarget {
  /** Host name, or IP address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Resolves the name; absent: the operating system does. */
  readonly lookup?: LookupFunction;
}

/** Opens a TCP connection. @throws the system error, or the reason of the signal. */
export async function connectTcp(target: ConnectTarget, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  const socket = connectPlain({
    ...target,
    autoSelectFamily: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_MS,
  });
  await eventOf(socket, 'connect', signal);
  return socket;
}

/** Proof of identity that a TLS server must give. Absent parts: the defaults of Node.js. */
export interface TlsIdentity {
  /** Name or IP address of the server, which its certificate must have. A name is sent to the server (SNI). */
  readonly host: string;
  /** Authorities (PEM) that certify the server. */
  readonly ca?: string | Buffer | readonly string[];
  /**
   * Compares the certificate of the server with its host.
   * @returns the reason why certificate and host do not belong together.
   */
  readonly compareHost?: (host: string, certificate: PeerCertificate) => Error | undefined;
  /**
   * Decides on the certificate in place of authorities and host.
   * @returns the reason why the certificate is refused.
   */
  readonly judge?: (socket: TLSSocket) => Error | undefined;
  /** Own certificate, and authorities, in place of `ca`. */
  readonly secureContext?: SecureContext;
  readonly ALPNProtocols?: readonly string[];
}

/** Accepts a certificate of the authorities for any host, as a value of `compareHost`. */
export const anyHost = (): undefined => undefined;

/** Accepts every certificate, as a value of `judge`. */
export const anyCertificate = (): undefined => undefined;

/** Returns the SHA-256 fingerprint of the certificate of a server [lower-case hex]; undefined without a certificate. */
export function peerFingerprint(socket: TLSSocket): string | undefined {
  // `getPeerX509Certificate` would make a later `getPeerCertificate(true)` return no issuers.
  const { raw } = socket.getPeerCertificate() as Partial<PeerCertificate>;
  return fingerprintOf(raw && new X509Certificate(raw));
}

/**
 * Accepts certificates by their fingerprints, as a value of `judge`.
 * @param accepted SHA-256 fingerprints [lower-case hex]. @param refusal creates the error of another certificate.
 */
export const withFingerprint =
  (accepted: readonly string[], refusal: (fingerprint: string | undefined) => Error) =>
  (socket: TLSSocket): Error | undefined => {
    const fingerprint = peerFingerprint(socket);
    return fingerprint !== undefined && accepted.includes(fingerprint) ? undefined : refusal(fingerprint);
  };

/**
 * Begins TLS over a connection, which is closed after a failure. No data is sent before the server has proved its
 * identity.
 * @throws the system error, the error of OpenSSL, the reason for a refusal, or the reason of the signal.
 */
export async function connectTls(
  raw: Socket,
  { host, ca, compareHost, judge, secureContext, ALPNProtocols }: TlsIdentity,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const socket = connectSecure({
    socket: raw,
    // The certificate is compared with this name or IP address. `servername` (SNI) must not be an IP address.
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca: typeof ca === 'string' || Buffer.isBuffer(ca) ? ca : [...ca] }),
    ...(compareHost === undefined
      ? {}
      : { checkServerIdentity: (_: string, certificate: PeerCertificate) => compareHost(host, certificate) }),
    ...(secureContext === undefined ? {} : { secureContext }),
    ...(ALPNProtocols === undefined ? {} : { ALPNProtocols: [...ALPNProtocols] }),
    rejectUnauthorized: judge === undefined,
  });
  try {
    await eventOf(socket, 'secureConnect', signal);
    const refusal = judge?.(socket);
    if (refusal !== undefined) throw refusal;
    return socket;
  } catch (error) {
    socket.destroy();
    raw.destroy();
    throw error;
  }
}

/** Waits for an event of a connection, which is closed after an error, or if the signal is aborted. */
export function eventOf<T = void>(socket: Socket, event: string, signal: AbortSignal): Promise<T> {
  // Errors before a caller listens, and after the connection was closed, would end the process without a listener.
  socket.on('error', ignore);
  return new Promise((resolve, reject) => {
    const end = (): void => {
      signal.removeEventListener('abort', abort);
      socket.off('error', fail).off('close', closed).off(event, done);
    };
    const fail = (error: unknown): void => {
      end();
      socket.destroy();
      reject(error);
    };
    const abort = (): void => fail(signal.reason);
    const closed = (): void => fail(failure('the connection ended', 'ECONNRESET'));
    const done = (value: T): void => {
      end();
      resolve(value);
    };
    socket.once('error', fail).once('close', closed).once(event, done);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
  });
}

const ignore = (): void => undefined;
