import { utf8 } from '../../util/bytes.js';
import { blob, CodecError, list, role, u64, varintNumber, type Codec } from '../../util/codec.js';

/*
 * The reference's binary archive: fields in a row without names, containers behind a varint count.
 * Source: serialization/serialization.h, binary_archive.h, container.h, pair.h.
 */

/** One codec a field, in the order of the archive. */
export type Shape<T> = { readonly [K in keyof T]-?: Codec<T[K]> };

/** An object whose fields follow each other. */
export function struct<T extends object>(shape: Shape<T>): Codec<T> {
  const keys = Object.keys(shape) as (keyof T)[];
  return {
    write(value, w) {
      for (const key of keys) shape[key].write(value[key], w);
    },
    read(r) {
      const value: Partial<T> = {};
      for (const key of keys) value[key] = shape[key].read(r);
      return value as T;
    },
  };
}

/** A bool: one byte, 0 or 1. */
export const flag: Codec<boolean> = {
  write: (value, w) => w.byte(value ? 1 : 0),
  read(r) {
    const byte = r.byte();
    if (byte > 1) throw new CodecError('archive: neither true nor false');
    return byte === 1;
  },
};

/** A string of UTF-8. */
export const text: Codec<string> = {
  write: (value, w) => blob.write(utf8(value), w),
  read(r) {
    const bytes = blob.read(r);
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch (cause) {
      throw new CodecError('archive: not UTF-8', { cause });
    }
  },
};

/** A fixed 64-bit field that must be a safe integer. */
export const u64Number: Codec<number> = {
  write: (value, w) => u64.write(BigInt(value), w),
  read(r) {
    const value = u64.read(r);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new CodecError('archive: exceeds the safe range');
    return Number(value);
  },
};

/** An object behind its version. @param highest the newest version known; it is the one written. */
export function versioned<T>(highest: number, body: (version: number) => Codec<T>): Codec<T> {
  return {
    write(value, w) {
      varintNumber.write(highest, w);
      body(highest).write(value, w);
    },
    read(r) {
      const version = varintNumber.read(r);
      if (version > highest) throw new CodecError('archive: a version from the future');
      return body(version).read(r);
    },
  };
}

/** A field that archives of this version lack: nothing is written, and reading gives the value. */
export const absent = <T>(value: T): Codec<T> => ({ write: () => undefined, read: () => value });

/** Two elements behind their number. */
export const pair = <A, B>(first: Codec<A>, second: Codec<B>): Codec<readonly [A, B]> => ({
  write(value, w) {
    varintNumber.write(2, w);
    first.write(value[0], w);
    second.write(value[1], w);
  },
  read(r) {
    if (varintNumber.read(r) !== 2) throw new CodecError('archive: a pair has two elements');
    return [first.read(r), second.read(r)];
  },
});

/** What a map holds, in the order of the archive. */
export const entries = <K, V>(name: Codec<K>, value: Codec<V>): Codec<readonly (readonly [K, V])[]> =>
  list(pair(name, value));

/** A container that must be empty. */
export const nothing: Codec<readonly []> = {
  write: (_, w) => varintNumber.write(0, w),
  read(r) {
    if (varintNumber.read(r) !== 0) throw new CodecError('archive: expected nothing');
    return [];
  },
};

/** 32 bytes of any role. */
export const key = <B extends Uint8Array = Uint8Array>(): Codec<B> => role<B>(32);
