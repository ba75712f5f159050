import { defineMethod as define, type Method } from '../../jsonrpc/method.js';
import type { RegtestDaemon } from '../daemon.js';

/** What a handler works with. */
export interface Context {
  readonly daemon: RegtestDaemon;
  /** The server that was asked answers strangers. */
  readonly restricted: boolean;
}

/** What holds of a method beside what it does. `rpc/service.ts` enforces it. */
export interface Gates {
  /** Unknown on a restricted server. */
  readonly unrestricted?: true;
  /** Parameters are a list, handed over as `list`. */
  readonly positional?: true;
  /** The field of the reply that is the whole result. */
  readonly bare?: string;
}

export type DaemonMethod = Method<Context, Gates>;

/** Defines a JSON-RPC method, or a path that takes and gives JSON alike. */
export const defineMethod = define<Context, Gates>();
