import type { WalletClientError } from './errors.js';
import type { EventType } from './methods.js';

/** Login of a client: user name and password (HTTP digest), or the token of a credential (bearer). */
export type ClientAuth =
  | { readonly username: string; readonly password: string }
  | { readonly token: string };

/** Options of a client. */
export interface ClientOptions {
  /** Address of the server, `http:` or `https:`. A path is put before every path of the server. */
  readonly url: string | URL;
  /** Absent: the server wants no login. */
  readonly auth?: ClientAuth | undefined;
  /** Name of the wallet that calls act on; absent: the current one of the server. */
  readonly wallet?: string | undefined;
  /** Longest time of a call with all its repetitions [ms]; 0, the default: any. */
  readonly timeout?: number | undefined;
  /** Most repetitions of a call after an error of the connection, if it may be repeated; default: 3. */
  readonly retries?: number | undefined;
  /** Most calls at one time, each with a connection; others wait. Event streams come on top. Default: 8. */
  readonly connections?: number | undefined;
  /** Certificates in PEM that the server's must chain to; absent: the authorities that Node.js knows. */
  readonly ca?: string | readonly string[] | undefined;
  /** SHA-256 fingerprints of certificates, one of which the server must have: for self-signed ones. */
  readonly fingerprint?: string | readonly string[] | undefined;
}

/** Options of an event stream. */
export interface EventOptions {
  /** Id of the last event that was processed; 0 and absent: all that the server keeps. */
  readonly after?: number | undefined;
  /** Absent or empty: all types. */
  readonly types?: readonly EventType[] | undefined;
  /** Ends the stream, which then throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Reports a lost connection and the time until the next attempt [ms]. */
  readonly onRetry?: ((error: WalletClientError, delayMs: number) => void) | undefined;
}
