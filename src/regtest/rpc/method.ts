import type { RegtestDaemon } from './daemon.js';
import { defineMethod as define, type Method } from '../../http/methods/method.js';

/** The daemon and the port to which a request was sent. */
export interface Context {
  readonly daemon: RegtestDaemon;
  /** True if the request arrived at a restricted port. */
  readonly restricted: boolean;
}

/** Properties of a method that `rpc/service.ts` enforces. */
export interface Gates {
  /** True: the method is not available at a restricted port. */
  readonly unrestricted?: true;
  /** True: parameters are a JSON array, which the handler receives as `list`. */
  readonly positional?: true;
  /** Name of the reply's field that is sent as the whole result. */
  readonly bare?: string;
}

export type DaemonMethod = Method<Context, Gates>;

/** Defines a JSON-RPC method, or a path whose request and answer are JSON. */
export const defineMethod = define<Context, Gates>();
