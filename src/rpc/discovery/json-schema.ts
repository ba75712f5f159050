import * as z from 'zod';
import type { Json } from '../../util/json.js';

/** A JSON Schema (draft 7). */
export type JsonSchema = { readonly [key: string]: Json | undefined };

/** Returns the schema of the items of a list parameter; undefined for other parameters. */
const itemOf = (schema: z.core.$ZodType): z.core.$ZodType | undefined => {
  const item = schema instanceof z.ZodType ? schema.meta()?.['item'] : undefined;
  return item instanceof z.ZodType ? item : undefined;
};

/** Returns the JSON Schema in the metadata of a schema: complete for a leaf, otherwise only a description. */
function givenBy(schema: z.core.$ZodType): JsonSchema {
  const given = (schema instanceof z.ZodType ? schema.meta() : undefined) ?? {};
  return Object.fromEntries(Object.entries(given).filter(([name]) => name !== 'item')) as JsonSchema;
}

/** True if a member of an object may be absent. */
export const isOptional = (schema: z.core.$ZodType): boolean =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || itemOf(schema) !== undefined;

function objectSchema({ shape, def }: z.ZodObject): JsonSchema {
  const members = Object.entries(shape as z.core.$ZodShape);
  const required = members.filter(([, member]) => !isOptional(member)).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, member]) => [name, jsonSchemaOf(member)])),
    ...(required.length === 0 ? {} : { required }),
    ...(def.catchall instanceof z.ZodNever ? { additionalProperties: false } : {}),
  };
}

/** Returns a member of a schema's check of the given kind; undefined without such a check. */
function checkOf(schema: z.core.$ZodType, kind: string, member: string): unknown {
  const checks = (schema._zod.def.checks ?? []).map(({ _zod }) => _zod.def as { readonly check: string });
  return (checks.find(({ check }) => check === kind) as Readonly<Record<string, unknown>> | undefined)?.[
    member
  ];
}

function arraySchema(schema: z.ZodArray): JsonSchema {
  const maxItems = checkOf(schema, 'max_length', 'maximum');
  return {
    type: 'array',
    items: jsonSchemaOf(schema.element),
    ...(typeof maxItems === 'number' ? { maxItems } : {}),
  };
}

function bodyOf(schema: z.core.$ZodType): JsonSchema {
  if (schema instanceof z.ZodOptional) return jsonSchemaOf(schema.def.innerType);
  if (schema instanceof z.ZodDefault) {
    const value = schema.def.defaultValue as Json;
    const isEmpty = Array.isArray(value) && value.length === 0;
    return { ...jsonSchemaOf(schema.def.innerType), ...(isEmpty ? {} : { default: value }) };
  }
  if (schema instanceof z.ZodObject) return objectSchema(schema);
  if (schema instanceof z.ZodArray) return arraySchema(schema);
  if (schema instanceof z.ZodEnum) return { type: 'string', enum: schema.options as readonly string[] };
  if (schema instanceof z.ZodUnion)
    return { oneOf: schema.options.map((option: z.core.$ZodType) => jsonSchemaOf(option)) };
  if (schema instanceof z.ZodString) return { type: 'string', ...patternOf(schema) };
  const item = itemOf(schema);
  return item === undefined ? {} : { type: 'array', items: jsonSchemaOf(item) };
}

function patternOf(schema: z.ZodString): JsonSchema {
  const pattern = checkOf(schema, 'string_format', 'pattern');
  return pattern instanceof RegExp ? { pattern: pattern.source } : {};
}

/**
 * Converts a schema of `http/methods/params.ts` or `http/methods/wire.ts` to JSON Schema. Used in place of
 * `z.toJSONSchema`, which rounds the limits of 64-bit integers.
 * @throws Error for a schema without a JSON type.
 */
export function jsonSchemaOf(schema: z.core.$ZodType): JsonSchema {
  const given = givenBy(schema);
  const isLeaf = given['type'] !== undefined;
  const { description, ...converted }: JsonSchema = { ...(isLeaf ? {} : bodyOf(schema)), ...given };
  if (converted['type'] === undefined && converted['oneOf'] === undefined)
    throw new Error(`a schema without a description: ${schema._zod.def.type}`);
  return description === undefined ? converted : { description, ...converted };
}
