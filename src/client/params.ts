import type { Json } from '../util/json.js';
import { writeWholeJson } from '../util/json-writer.js';

/** Parameters of a call; integers are bigints or safe numbers. Members that are undefined count as absent. */
export type ClientParams = { readonly [name: string]: unknown };

/**
 * Checks that a value can be written as JSON. @throws TypeError for a value of another type; RangeError for a number
 * that is not a safe integer.
 */
function assertJson(value: unknown, path: string): void {
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value))
      throw new RangeError(`${path}: a number must be a safe integer; larger ones are bigint`);
  } else if (Array.isArray(value)) {
    for (const [i, item] of (value as unknown[]).entries()) {
      if (item === undefined) throw new TypeError(`${path}[${i}]: undefined`);
      assertJson(item, `${path}[${i}]`);
    }
  } else if (typeof value === 'object' && value !== null) {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null)
      throw new TypeError(`${path}: not a plain object`);
    for (const [name, member] of Object.entries(value)) assertJson(member, `${path}.${name}`);
  } else if (typeof value === 'function' || typeof value === 'symbol')
    throw new TypeError(`${path}: a ${typeof value}`);
}

/**
 * Writes the JSON-RPC request of a call, with all digits of bigints.
 * @throws TypeError, RangeError whose message names the parameter, never its value.
 */
export function requestText(method: string, params: ClientParams): string {
  assertJson(params, 'params');
  return writeWholeJson({ jsonrpc: '2.0', id: '0', method, params: params as Json });
}
