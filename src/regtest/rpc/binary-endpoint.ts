import type { SectionReader } from '../../monero/epee/portable-storage.js';
import type { Scalar, Typed, TypedSection } from '../../monero/epee/storage-writer.js';
import type { Context } from './method.js';

/** Path whose request and answer are portable storage. */
export interface BinaryEndpoint {
  readonly paths: readonly string[];
  /** Upstream definition. */
  readonly source: string;
  /** @throws CodecError when the request is not well-formed. */
  handle(context: Context, request: SectionReader): TypedSection | Promise<TypedSection>;
}

export const u64 = (value: number | bigint): Scalar => ({ type: 'u64', value: BigInt(value) });
export const u8 = (value: number): Scalar => ({ type: 'u8', value });
export const bool = (value: boolean): Scalar => ({ type: 'bool', value });
export const bytes = (value: Uint8Array): Scalar => ({ type: 'string', value });
export const text = (value: string): Scalar => bytes(Buffer.from(value, 'utf8'));
export const object = (value: TypedSection): Scalar => ({ type: 'object', value });
export const list = (items: readonly Scalar[]): Typed => ({ type: 'list', items });

/** Appends the fields that end every answer. */
export const accessedSection = (fields: TypedSection, status = 'OK'): TypedSection => ({
  ...fields,
  credits: u64(0),
  status: text(status),
  top_hash: text(''),
  untrusted: bool(false),
});
