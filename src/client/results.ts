import { JsonError, type Json } from '../util/json.js';
import type { ClientValue } from './call-options.js';

/**
 * Members of a result that need a conversion of their own: bigints, objects that contain bigints, and lists. All other
 * integers become numbers. For a list: the shape of its items; empty if they need no conversion.
 */
export interface Shape {
  readonly [member: string]: 'bigint' | Shape | readonly ('bigint' | Shape)[];
}

type MemberShape = Shape[string];

const isList = (shape: MemberShape | undefined): shape is readonly ('bigint' | Shape)[] =>
  Array.isArray(shape);

const integerOf = (value: bigint, shape: MemberShape | undefined): number | bigint => {
  if (shape === 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
};

const numberOf = (value: number, shape: MemberShape | undefined): number | bigint =>
  shape === 'bigint' && Number.isSafeInteger(value) ? BigInt(value) : value;

/** Depth of the deepest result: every value is converted inside of its container. */
const MAX_DEPTH = 100;

/**
 * Converts exact JSON to the types of the client, in place. An integer becomes a bigint if the shape says so, and a
 * number otherwise, unless digits would be lost. Adds lists that the server left out because they are empty.
 * @param json its integers are bigints or safe numbers. @param shape shape of the value; undefined for an unknown
 * method. @param depth number of containers around the value. @throws JsonError for a value that is nested too deeply.
 */
export function toClientValue(
  json: Json | undefined,
  shape: MemberShape | undefined,
  depth = 0,
): ClientValue {
  if (json === undefined || json === null) return null;
  if (typeof json === 'bigint') return integerOf(json, shape);
  if (typeof json === 'number') return numberOf(json, shape);
  if (typeof json !== 'object') return json;
  if (depth > MAX_DEPTH) throw new JsonError('nested too deeply');
  if (Array.isArray(json)) {
    const list = json as ClientValue[];
    const item = isList(shape) ? shape[0] : undefined;
    for (const [i, value] of (json as readonly Json[]).entries())
      list[i] = toClientValue(value, item, depth + 1);
    return list;
  }
  const members = typeof shape === 'object' && !isList(shape) ? shape : {};
  const object = json as { [member: string]: ClientValue };
  for (const name of Object.keys(object))
    object[name] = toClientValue(object[name], members[name], depth + 1);
  for (const [name, member] of Object.entries(members))
    if (isList(member) && object[name] === undefined) object[name] = [];
  return object;
}
