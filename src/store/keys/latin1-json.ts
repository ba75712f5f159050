import { toLatin1 } from '../../util/bytes.js';
import { JsonError, parseJson, type Json } from '../../util/json.js';

/** A JSON object whose strings contain raw bytes, one byte per character (Latin-1). */
export type Fields = { readonly [name: string]: Json | undefined };

export const fromLatin1 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));
export const toUtf8 = (text: string): string => Buffer.from(text, 'latin1').toString('utf8');
export const fromUtf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Parses a JSON object. @returns undefined if the bytes are not a JSON object. */
export function tryFields(bytes: Uint8Array): Fields | undefined {
  try {
    const value = parseJson(toLatin1(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : undefined;
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
