import type { IncomingMessage } from 'node:http';
import { peerAddress } from './client-address.js';
import { readTraceparent, type RequestTrace } from '../../util/trace.js';

/** Client of a request. */
export interface Caller {
  /** IP address of the client's connection. */
  readonly address: string;
  /** Login of the client; absent if the server requires none. */
  readonly login?: Login;
}

/** Login whose secret the client has proven. */
export interface Login {
  readonly name: string;
  /**
   * Returns the reason why a client may not use this login now; undefined if it may. @param ip address of the client.
   */
  refusalFrom(ip: string): { readonly status: number; readonly reason: string } | undefined;
}

/** Logins that a server accepts. */
export interface Logins {
  /** Finds a login for HTTP digest by its user name. @returns the login, and its HA1 [hex]. */
  byUser(user: string): { readonly ha1: string; readonly login: Login } | undefined;
  /** Finds the login of a bearer token; absent if the server accepts no tokens. */
  byToken?(token: string): Login | undefined;
}

const callers = new WeakMap<IncomingMessage, Caller>();

/** Returns the client of a request, with the login that the request used. */
export const callerOf = (req: IncomingMessage): Caller => callers.get(req) ?? { address: addressOf(req) };

/** Returns client and trace of a request. */
export function senderOf(req: IncomingMessage): { readonly caller: Caller; readonly trace?: RequestTrace } {
  const { traceparent } = req.headers;
  const trace = readTraceparent(typeof traceparent === 'string' ? traceparent : undefined);
  return { caller: callerOf(req), ...(trace === undefined ? {} : { trace }) };
}

/** Records the client of a request, once its login is proven. */
export const setCaller = (req: IncomingMessage, caller: Caller): void => void callers.set(req, caller);

/** Returns the IP address of the connection of a request. */
export const addressOf = ({ socket }: IncomingMessage): string => peerAddress(socket);
