/**
 * Returns an SQL expression for the first 8 bytes of a key image or output key, which are indexed
 * (`migrations/025-short-key-indexes.sql`).
 */
export const indexedKey = (key: string): string => `substr(${key}, 1, 8)`;

/** A column of `owned_output` that has an index of its first 8 bytes. */
type KeyColumn = 'key_image' | 'public_key';

/**
 * Returns an SQL condition that a key equals a value; the index of the first 8 bytes finds the rows.
 * @param value a named parameter or a column. For `?` two equal values must be bound.
 */
export const keyEquals = (column: KeyColumn | `${string}.${KeyColumn}`, value: string): string =>
  `${indexedKey(column)} = ${indexedKey(value)} AND ${column} = ${value}`;

/** SQL condition that the key image of an output is unknown; the index of key images finds the rows. */
export const WITHOUT_KEY_IMAGE = `${indexedKey('key_image')} IS NULL`;
