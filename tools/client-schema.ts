import { z } from 'zod';
import { isOptional as mayBeAbsent } from '../src/rpc/discovery/json-schema.js';

/** Type of a value in the client, derived from its schema. */
export type ClientType =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | { readonly kind: 'list'; readonly item: ClientType }
  | { readonly kind: 'object'; readonly members: readonly Member[] }
  | { readonly kind: 'union'; readonly variants: readonly ClientType[] }
  | { readonly kind: 'either'; readonly variants: readonly ClientType[] };

/** Member of an object. */
export interface Member {
  readonly name: string;
  readonly type: ClientType;
  readonly isOptional: boolean;
  /** True for an optional parameter, which may be passed as undefined. */
  readonly takesUndefined: boolean;
  readonly description: string;
  /** Default of an absent parameter as JSON; absent if the default is empty. */
  readonly default?: string;
}

const plain = (name: string): ClientType => ({ kind: 'plain', text: name });

/** Types of the leaves of parameters by their titles: their schemas are transforms that do not show their range. */
const PARAMS: Readonly<Record<string, ClientType>> = {
  string: plain('string'),
  boolean: plain('boolean'),
  'JSON object': plain('JsonObject'),
  'unsigned 32-bit integer': plain('number'),
  'signed 8-bit integer': plain('number'),
  'height or count': plain('number'),
  'Unix seconds or ISO 8601': plain('bigint | number | string'),
  'unsigned 64-bit integer': plain('bigint | number'),
  'amount in atomic units': plain('bigint | number'),
};

const metaOf = (schema: z.core.$ZodType): Readonly<Record<string, unknown>> =>
  (schema instanceof z.ZodType ? schema.meta() : undefined) ?? {};

/** Side of a call. In parameters, absent members take their defaults; in results, all lists are present. */
export type Side = 'params' | 'result';

/** Derives the client's type of a parameter, or of a part of a result. @throws Error for an unknown kind of schema. */
export function clientType(schema: z.core.$ZodType, side: Side): ClientType {
  const { item, title } = metaOf(schema);
  const param = side === 'params' ? PARAMS[String(title)] : undefined;
  if (param !== undefined) return param;
  if (item instanceof z.ZodType) return { kind: 'list', item: clientType(item, side) };
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional)
    return clientType(schema.def.innerType, side);
  if (schema instanceof z.ZodObject) return { kind: 'object', members: membersOf(schema, side) };
  if (schema instanceof z.ZodArray) return { kind: 'list', item: clientType(schema.def.element, side) };
  if (schema instanceof z.ZodEnum) return { kind: 'choice', options: schema.options.map(String) };
  if (schema instanceof z.ZodUnion) {
    const variants = schema.def.options.map((variant) => clientType(variant, side));
    return { kind: variants.every(({ kind }) => kind === 'object') ? 'union' : 'either', variants };
  }
  if (schema instanceof z.ZodRecord) return plain('JsonObject');
  if (schema instanceof z.ZodString) return plain('string');
  if (schema instanceof z.ZodBoolean) return plain('boolean');
  if (schema instanceof z.ZodBigInt) return plain('bigint');
  // An integer in a result that the client converts to a number.
  if (schema instanceof z.ZodPipe && schema.def.in instanceof z.ZodBigInt) return plain('number');
  throw new Error(`a schema without a client type: ${schema._zod.def.type}`);
}

/** Returns the description of a schema, or of the schema that it wraps. */
function descriptionOf(schema: z.core.$ZodType): string {
  const { description } = metaOf(schema);
  if (typeof description === 'string') return description;
  return schema instanceof z.ZodDefault || schema instanceof z.ZodOptional
    ? descriptionOf(schema.def.innerType)
    : '';
}

function defaultOf(schema: z.core.$ZodType): string | undefined {
  if (!(schema instanceof z.ZodDefault)) return undefined;
  const json = JSON.stringify(schema.def.defaultValue, (_, value: unknown) =>
    typeof value === 'bigint' ? Number(value) : value,
  );
  return /^(?:""|\[\]|\{.*)$/.test(json) ? undefined : json;
}

/** Lists the members of an object schema. */
export function membersOf(schema: z.ZodObject, side: Side): Member[] {
  return Object.entries(schema.shape as z.core.$ZodShape).map(([name, member]) => {
    const fallback = side === 'params' ? defaultOf(member) : undefined;
    const isOptional = side === 'params' ? mayBeAbsent(member) : member instanceof z.ZodOptional;
    return {
      ...{ name, isOptional, takesUndefined: side === 'params' && isOptional },
      type: clientType(member, side),
      description: descriptionOf(member),
      ...(fallback === undefined ? {} : { default: fallback }),
    };
  });
}

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function eitherType(a: ClientType, b: ClientType): ClientType {
  if (isEqual(a, b)) return a;
  if (a.kind === 'object' && b.kind === 'object')
    return { kind: 'object', members: eitherMembers(a.members, b.members) };
  if (a.kind === 'list' && b.kind === 'list') return { kind: 'list', item: eitherType(a.item, b.item) };
  return { kind: 'either', variants: [a, b] };
}

/**
 * Joins the members of the results in two API versions: a member of one version only is optional, and a type is that of
 * either version.
 */
export function eitherMembers(a: readonly Member[], b: readonly Member[]): Member[] {
  const isIn = (members: readonly Member[], { name }: Member): boolean =>
    members.some((member) => member.name === name);
  const only = (member: Member, version: string): Member => ({
    ...{ ...member, isOptional: true },
    description: `${member.description} (API version ${version} only)`,
  });
  const first = a.map((member) => {
    const twin = b.find(({ name }) => name === member.name);
    if (twin === undefined) return only(member, '1.3');
    const isOptional = member.isOptional || twin.isOptional;
    const type = eitherType(member.type, twin.type);
    return type.kind === 'either'
      ? {
          ...member,
          isOptional,
          type,
          description: `${member.description}; API version 1.32: ${twin.description}`,
        }
      : { ...member, isOptional, type };
  });
  return [...first, ...b.filter((member) => !isIn(a, member)).map((member) => only(member, '1.32'))];
}
