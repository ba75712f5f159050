import { defineMethod as define, type Method } from '../../http/method.js';
import type { RegtestDaemon } from '../daemon.js';

/** Context of a request. */
export interface Context {
  readonly daemon: RegtestDaemon;
  /** True when the request arrived at a restricted port. */
  readonly restricted: boolean;
}

/** Metadata of a method, enforced by `rpc/service.ts`. */
export interface Gates {
  /** The method does not exist at a restricted port. */
  readonly unrestricted?: true;
  /** Parameters are a JSON array, passed as `list`. */
  readonly positional?: true;
  /** Field of the reply that is the whole result. */
  readonly bare?: string;
}

export type DaemonMethod = Method<Context, Gates>;

/** Defines a JSON-RPC method, or a path whose request and answer are JSON. */
export const defineMethod = define<Context, Gates>();
