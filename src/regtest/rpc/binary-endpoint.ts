import type { SectionReader } from '../../epee/portable-storage.js';
import type { Scalar, Typed, TypedSection } from '../../epee/storage-writer.js';
import type { Context } from './method.js';

/** A path that takes and gives portable storage. */
export interface BinaryEndpoint {
  readonly paths: readonly string[];
  /** Where upstream defines it. */
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

/** The fields that every answer ends with. */
export const accessedSection = (fields: TypedSection, status = 'OK'): TypedSection => ({
  ...fields,
  credits: u64(0),
  status: text(status),
  top_hash: text(''),
  untrusted: bool(false),
});
