import type { Json } from '../util/json.js';

/**
 * Members of a result that need more than the rule for all integers: bigints, objects that have some, and lists. A list
 * has the shape of its items, or nothing if they follow the rule.
 */
export interface Shape {
  readonly [member: string]: 'bigint' | Shape | readonly ('bigint' | Shape)[];
}

type MemberShape = Shape[string];

/** Value of a result as the client gets it. */
export type ClientValue =
  | null
  | boolean
  | string
  | number
  | bigint
  | ClientValue[]
  | { [member: string]: ClientValue };

const isList = (shape: MemberShape | undefined): shape is readonly ('bigint' | Shape)[] =>
  Array.isArray(shape);

const integerOf = (value: bigint, shape: MemberShape | undefined): number | bigint => {
  if (shape === 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
};

const numberOf = (value: number, shape: MemberShape | undefined): number | bigint =>
  shape === 'bigint' && Number.isSafeInteger(value) ? BigInt(value) : value;

/**
 * Converts exact JSON to the types of the client, in place. Integers become bigint where the shape says so, else number,
 * unless that would lose digits. Lists that the server left out because they are empty are added.
 * @param json integers are bigints, or safe numbers. @param shape undefined: of an unknown method.
 */
export function toClientValue(json: Json | undefined, shape: MemberShape | undefined): ClientValue {
  if (json === undefined || json === null) return null;
  if (typeof json === 'bigint') return integerOf(json, shape);
  if (typeof json === 'number') return numberOf(json, shape);
  if (typeof json !== 'object') return json;
  if (Array.isArray(json)) {
    const list = json as ClientValue[];
    const item = isList(shape) ? shape[0] : undefined;
    for (const [i, value] of (json as readonly Json[]).entries()) list[i] = toClientValue(value, item);
    return list;
  }
  const members = typeof shape === 'object' && !isList(shape) ? shape : {};
  const object = json as { [member: string]: ClientValue };
  for (const name of Object.keys(object)) object[name] = toClientValue(object[name], members[name]);
  for (const [name, member] of Object.entries(members))
    if (isList(member) && object[name] === undefined) object[name] = [];
  return object;
}
