import { utf8 } from '../../../util/bytes.js';
import { blob, CodecError, list, role, u64, varintNumber, type Codec } from '../../../util/codec.js';

/*
 * Binary archive of the reference: its fields have no names and a fixed order, and its containers begin with a varint
 * count. Source: serialization/serialization.h, binary_archive.h, container.h, pair.h.
 */

/** Codecs of an object's fields, in the order of the archive. */
export type FieldCodecs<T> = { readonly [K in keyof T]-?: Codec<T[K]> };

/** Returns the codec of an object: its fields in order, without framing. */
export function struct<T extends object>(codecs: FieldCodecs<T>): Codec<T> {
  const keys = Object.keys(codecs) as (keyof T)[];
  return {
    write(value, w) {
      for (const key of keys) codecs[key].write(value[key], w);
    },
    read(r) {
      const value: Partial<T> = {};
      for (const key of keys) value[key] = codecs[key].read(r);
      return value as T;
    },
  };
}

/** Codec of a bool: one byte, 0 or 1. */
export const flag: Codec<boolean> = {
  write: (value, w) => w.byte(value ? 1 : 0),
  read(r) {
    const byte = r.byte();
    if (byte > 1) throw new CodecError('archive: a bool is 0 or 1');
    return byte === 1;
  },
};

/** Codec of a UTF-8 string with its length. */
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

/** Codec of a u64 in 8 bytes, which must be a safe integer. */
export const u64Number: Codec<number> = {
  write: (value, w) => u64.write(BigInt(value), w),
  read(r) {
    const value = u64.read(r);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new CodecError('archive: exceeds the safe range');
    return Number(value);
  },
};

/**
 * Returns the codec of an object that starts with its version.
 * @param highest newest known version, which is written.
 */
export function versioned<T>(highest: number, body: (version: number) => Codec<T>): Codec<T> {
  return {
    write(value, w) {
      varintNumber.write(highest, w);
      body(highest).write(value, w);
    },
    read(r) {
      const version = varintNumber.read(r);
      if (version > highest) throw new CodecError('archive: unknown newer version');
      return body(version).read(r);
    },
  };
}

/** Returns the codec of a field that this version of the archive lacks: writes nothing, reads as `value`. */
export const absent = <T>(value: T): Codec<T> => ({ write: () => undefined, read: () => value });

/** Returns the codec of two elements, which start with their count. */
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

/** Returns the codec of the entries of a map, in the order of the archive. */
export const entries = <K, V>(name: Codec<K>, value: Codec<V>): Codec<readonly (readonly [K, V])[]> =>
  list(pair(name, value));

/** Codec of a container that must be empty. */
export const emptyContainer: Codec<readonly []> = {
  write: (_, w) => varintNumber.write(0, w),
  read(r) {
    if (varintNumber.read(r) !== 0) throw new CodecError('archive: expected an empty container');
    return [];
  },
};

/** Returns the codec of a 32-byte value with any role. */
export const key = <B extends Uint8Array = Uint8Array>(): Codec<B> => role<B>(32);
