import { RpcError } from '../../http/calls/errors.js';
import type { RegtestDaemon } from './daemon.js';
import { defineMethod as define, type Method } from '../../http/methods/method.js';
import type { SectionReader } from '../../monero/epee/portable-storage.js';
import type { Scalar, Typed, TypedSection } from '../../monero/epee/storage-writer.js';

/** Error codes of the daemon's JSON-RPC. Source: core_rpc_server_error_codes.h. */
export const CODE = {
  wrongParam: -1,
  tooBigHeight: -2,
  tooBigReserve: -3,
  wrongAddress: -4,
  internal: -5,
  wrongBlob: -6,
  notAccepted: -7,
  wrongBlobSize: -10,
  subaddress: -12,
  restricted: -19,
} as const;

export const refuse = (code: keyof typeof CODE, message: string): RpcError =>
  new RpcError(CODE[code], message);

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

/** A path whose requests and answers are in portable storage. */
export interface BinaryEndpoint {
  readonly paths: readonly string[];
  /** Definition in the reference: command and handler. */
  readonly source: string;
  /** Handles a request. @throws CodecError if the request is malformed. */
  handle(context: Context, request: SectionReader): TypedSection | Promise<TypedSection>;
}

export const u64 = (value: number | bigint): Scalar => ({ type: 'u64', value: BigInt(value) });
export const u8 = (value: number): Scalar => ({ type: 'u8', value });
export const bool = (value: boolean): Scalar => ({ type: 'bool', value });
export const bytes = (value: Uint8Array): Scalar => ({ type: 'string', value });
const text = (value: string): Scalar => bytes(Buffer.from(value, 'utf8'));
export const object = (value: TypedSection): Scalar => ({ type: 'object', value });
export const list = (items: readonly Scalar[]): Typed => ({ type: 'list', items });

/** Returns the fields of an answer, followed by the fields that every answer contains. */
export const accessedSection = (fields: TypedSection, status = 'OK'): TypedSection => ({
  ...fields,
  credits: u64(0),
  status: text(status),
  top_hash: text(''),
  untrusted: bool(false),
});
