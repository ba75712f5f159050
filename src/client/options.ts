import type { WalletClientError } from './errors.js';
import type { EventType, WalletEvent } from './methods.js';

/** Login of a client: user name and password (HTTP digest), or the token of a credential (bearer). */
export type ClientAuth =
  | { readonly username: string; readonly password: string }
  | { readonly token: string };

/** Options of a client. */
export interface ClientOptions {
  /** Address of the server, `http:` or `https:`. Its path precedes every path of the server. */
  readonly url: string | URL;
  /** Login; absent if the server requires none. */
  readonly auth?: ClientAuth | undefined;
  /** Name of the wallet for all calls; absent: the current wallet of the server. */
  readonly wallet?: string | undefined;
  /** Longest time of a call, including its repetitions [ms]; 0 (default): unlimited. */
  readonly timeout?: number | undefined;
  /**
   * Largest number of repetitions of a call that may be repeated, after connection errors and while a server or proxy is
   * unavailable; default: 3.
   */
  readonly retries?: number | undefined;
  /**
   * Longest time for which a call is repeated while the server opens its wallet [ms]; nothing of such a call has run, so
   * that this holds for every method. Default: 300000; 0: never.
   */
  readonly opening?: number | undefined;
  /**
   * Largest number of calls at one time, each on its own connection; further calls wait. Event streams do not count.
   * Default: 8.
   */
  readonly connections?: number | undefined;
  /** CA certificates (PEM) that the server's certificate must chain to; absent: the authorities that Node.js knows. */
  readonly ca?: string | readonly string[] | undefined;
  /** SHA-256 fingerprints of accepted certificates, for a server with a self-signed certificate. */
  readonly fingerprint?: string | readonly string[] | undefined;
}

/** Event of one of several types; of any type if no types are given. */
export type EventOf<Type extends EventType> = [Type] extends [never]
  ? WalletEvent
  : Extract<WalletEvent, { readonly type: Type }>;

/** Options of an event stream. */
export interface EventOptions<Type extends EventType = EventType> {
  /**
   * Id of the last event that was processed; 0 or absent: the stream begins with the first event that the server keeps.
   */
  readonly after?: number | undefined;
  /** Types of the events; absent or empty: all types. */
  readonly types?: readonly Type[] | undefined;
  /** Signal that ends the stream, which then throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Called when a connection is lost, with the time until the next attempt [ms]. */
  readonly onRetry?: ((error: WalletClientError, delayMs: number) => void) | undefined;
}
