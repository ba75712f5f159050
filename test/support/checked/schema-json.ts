import fc from 'fast-check';
import { z } from 'zod';
import type { Json } from '../../../src/util/json.js';

type Member = readonly [name: string, schema: z.core.$ZodType];

/** Texts that match the patterns of results. */
const TEXTS: readonly string[] = [
  '',
  'ab',
  'ab'.repeat(32),
  'ab'.repeat(64),
  '18446744073709551615',
  '2026-01-02T03:04:05.678Z',
];

function objectOf(members: readonly Member[]): fc.Arbitrary<Json> {
  const isOptional = ([, schema]: Member): boolean => schema instanceof z.ZodOptional;
  return fc.record(Object.fromEntries(members.map(([name, schema]) => [name, jsonOf(schema)])), {
    requiredKeys: members.filter((member) => !isOptional(member)).map(([name]) => name),
    noNullPrototype: true,
  }) as fc.Arbitrary<Json>;
}

/** Generates exact JSON that a schema of a result accepts. @throws Error for a schema that it does not know. */
export function jsonOf(schema: z.core.$ZodType): fc.Arbitrary<Json> {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return jsonOf(schema.def.innerType);
  if (schema instanceof z.ZodObject) return objectOf(Object.entries(schema.shape as z.core.$ZodShape));
  if (schema instanceof z.ZodArray) return fc.array(jsonOf(schema.def.element), { maxLength: 3 });
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options.map(String));
  if (schema instanceof z.ZodUnion) return fc.oneof(...schema.def.options.map(jsonOf));
  if (schema instanceof z.ZodRecord) return fc.constantFrom({}, { a: 'text', b: { c: true } });
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema instanceof z.ZodString)
    return fc.constantFrom(...TEXTS.filter((text) => schema.safeParse(text).success));
  if (schema instanceof z.ZodBigInt) return integersOf(schema);
  if (schema instanceof z.ZodPipe) return integersOf(schema.def.in as z.ZodBigInt);
  throw new Error(`a schema without values: ${schema._zod.def.type}`);
}

const LARGEST = [2n ** 64n - 1n, 2n ** 53n, 2n ** 53n - 1n, 2n ** 32n - 1n, 1n, 0n];

/** Small integers, and the largest that the schema accepts. */
const integersOf = (schema: z.ZodBigInt): fc.Arbitrary<bigint> =>
  fc.constantFrom(...LARGEST.filter((value) => schema.safeParse(value).success));
