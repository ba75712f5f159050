import { JsonError, parseJson, type Json } from '../util/json.js';

/** Matches the beginning of an integer that may exceed the safe integers; text inside a string may match, too. */
const LARGE_INTEGER = /[:[,]\s*-?(?:\d{17}|9\d{15})|^\s*-?\d{16}/;

/**
 * Parses JSON without losing digits. If the text contains no large integer, all integers are numbers, which is several
 * times as fast; otherwise all are bigints.
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
