import { JsonError, parseJson, type Json } from '../util/json.js';

/** Beginning of an integer that may exceed the safe ones; a text in a string may look like one. */
const LARGE_INTEGER = /[:[,]\s*-?(?:\d{17}|9\d{15})|^\s*-?\d{16}/;

/**
 * Parses JSON without a loss of digits. Integers are number or bigint: all are safe numbers if no large one occurs, which
 * is several times as fast; otherwise all are bigint.
 * @throws JsonError
 */
export function parseExactly(text: string): Json {
  if (LARGE_INTEGER.test(text)) return parseJson(text);
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new JsonError('not JSON');
  }
}
