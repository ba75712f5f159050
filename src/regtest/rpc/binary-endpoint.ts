import type { SectionReader } from '../../monero/epee/portable-storage.js';
import type { Scalar, Typed, TypedSection } from '../../monero/epee/storage-writer.js';
import type { Context } from './method.js';

/** A path whose requests and answers are in portable storage. */
export interface BinaryEndpoint {
  readonly paths: readonly string[];
  /** Definition in upstream: command and handler. */
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
