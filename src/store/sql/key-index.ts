/** First bytes, which are indexed, of a key image or output key (`migrations/025-short-key-indexes.sql`). */
export const indexedKey = (key: string): string => `substr(${key}, 1, 8)`;

/** Column of `owned_output` that is indexed by its first 8 bytes. */
type KeyColumn = 'key_image' | 'public_key';

/**
 * Condition that a key equals a value, which the index of its first bytes serves.
 * @param value a named parameter or a column; `?` is bound twice.
 */
export const keyEquals = (column: KeyColumn | `${string}.${KeyColumn}`, value: string): string =>
  `${indexedKey(column)} = ${indexedKey(value)} AND ${column} = ${value}`;

/** Condition that the key image of an output is unknown, which the index of key images serves. */
export const WITHOUT_KEY_IMAGE = `${indexedKey('key_image')} IS NULL`;
