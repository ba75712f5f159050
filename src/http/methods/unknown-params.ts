import * as z from 'zod';
import { isObject } from '../../util/json.js';
import { didYouMean, nearestName, plainName } from '../../util/nearest-name.js';

/** Largest number of unknown members that an error names. */
const MOST_NAMED = 5;

type Members = Readonly<Record<string, unknown>>;

/** Parameters of other methods, by the name of the method. */
export type OtherParams = Readonly<Record<string, z.ZodRawShape>>;

/** True for a value that counts as absent. */
export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/** Returns the schema of the items of a list of `params.ts`; undefined for any other schema. */
const itemOf = (schema: z.core.$ZodType): z.core.$ZodType | undefined => {
  const item = schema instanceof z.ZodType ? schema.meta()?.['item'] : undefined;
  return item instanceof z.ZodType ? item : undefined;
};

/** Returns the schema of a member that is given. */
function innerOf(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return innerOf(schema.def.innerType);
  return schema;
}

/** Lists the given members that the schema of an object lacks; members without a value count as absent. */
const unknownNames = ({ shape }: z.ZodObject, given: Members): readonly string[] =>
  Object.keys(given).filter((name) => !Object.hasOwn(shape, name) && !isEmpty(given[name]));

/**
 * Returns the name of a member for an error message. A text that is not like the name of a parameter may be a value,
 * and a secret.
 */
const shown = (name: string): string => (/^[\w-]{1,40}$/.test(name) ? name : 'a member');

/** Describes an unknown member, and suggests a similar member among the members that are not given. */
function describe(name: string, { shape }: z.ZodObject, given: Members): string {
  const missing = Object.keys(shape).filter((known) => isEmpty(given[known]));
  return `${shown(name)} is unknown${didYouMean(name, missing)}`;
}

/**
 * Lists the given members that a schema lacks, also members of nested objects, and of the first item of a list that has
 * unknown members.
 */
function unknownIn(given: unknown, schema: z.core.$ZodType, path: string): readonly string[] {
  // Most members of a long list are texts and numbers, for which schemas are not looked up.
  if (!isObject(given) && !Array.isArray(given)) return [];
  const inner = innerOf(schema);
  const item = itemOf(inner);
  if (item !== undefined && Array.isArray(given)) {
    if (!(innerOf(item) instanceof z.ZodObject)) return [];
    for (const [i, element] of given.entries()) {
      const found = unknownIn(element, item, `${path}${i}.`);
      if (found.length > 0) return found;
    }
    return [];
  }
  if (!(inner instanceof z.ZodObject) || !isObject(given)) return [];
  const members = Object.entries(inner.shape as z.core.$ZodShape);
  return [
    ...unknownNames(inner, given).map((name) => path + describe(name, inner, given)),
    ...members.flatMap(([name, member]) => unknownIn(given[name], member, `${path}${name}.`)),
  ];
}

/**
 * Explains which given members a schema lacks, with a suggestion for each; undefined if the schema has all given
 * members. Names no value. The members of an object with any members are not compared.
 */
export function unknownMembers(schema: z.ZodType, given: Members): string | undefined {
  const found = unknownIn(given, schema, '');
  return found.length === 0 ? undefined : found.slice(0, MOST_NAMED).join('; ');
}

/**
 * Explains which member of an object is misspelt: a member that the schema lacks, while a member of the schema is
 * missing. Undefined if there is no such member.
 */
export function misspeltMembers(schema: z.ZodType, given: unknown): string | undefined {
  if (!(schema instanceof z.ZodObject) || !isObject(given)) return undefined;
  if (Object.keys(schema.shape).every((name) => !isEmpty(given[name]))) return undefined;
  const names = unknownNames(schema, given);
  if (names.length === 0) return undefined;
  return names
    .slice(0, MOST_NAMED)
    .map((name) => describe(name, schema, given))
    .join('; ');
}

/**
 * Explains which given parameters are like a missing parameter of a schema; undefined if there are no such parameters.
 * Other unknown parameters are left out: clients of the reference may send any.
 */
export function misspeltParams(schema: z.ZodType, given: Members): string | undefined {
  if (!(schema instanceof z.ZodObject)) return undefined;
  const missing = Object.keys(schema.shape).filter((known) => isEmpty(given[known]));
  const misspelt = unknownNames(schema, given).filter((name) => nearestName(name, missing) !== undefined);
  if (misspelt.length === 0) return undefined;
  return misspelt
    .slice(0, MOST_NAMED)
    .map((name) => describe(name, schema, given))
    .join('; ');
}

/**
 * Explains which member of an object among the parameters is misspelt, as {@link misspeltMembers}; undefined if no
 * member is misspelt.
 */
export function misspeltObjects(schema: z.ZodType, given: Members): string | undefined {
  for (const [name, object] of objectsOf(schema)) {
    const misspelt = misspeltMembers(object, given[name]);
    if (misspelt !== undefined) return `${name}: ${misspelt}`;
  }
  return undefined;
}

/** Parameters that are objects, by the schema of the parameters. */
const OBJECTS = new WeakMap<z.ZodType, readonly (readonly [name: string, schema: z.ZodObject])[]>();

function objectsOf(schema: z.ZodType): readonly (readonly [name: string, schema: z.ZodObject])[] {
  const known = OBJECTS.get(schema);
  if (known !== undefined) return known;
  const found = membersOf(schema).flatMap(([name, member]) => {
    const inner = innerOf(member);
    return inner instanceof z.ZodObject ? [[name, inner] as const] : [];
  });
  OBJECTS.set(schema, found);
  return found;
}

/**
 * Explains which parameters are lists in a schema, and other values in a call; undefined if there are no such
 * parameters.
 */
export function noLists(schema: z.ZodType, given: Members): string | undefined {
  const found = membersOf(schema).filter(
    ([name, member]) =>
      itemOf(innerOf(member)) !== undefined && !isEmpty(given[name]) && !Array.isArray(given[name]),
  );
  return found.length === 0 ? undefined : found.map(([name]) => `${name}: expected an array`).join('; ');
}

const membersOf = (schema: z.ZodType): [name: string, schema: z.core.$ZodType][] =>
  schema instanceof z.ZodObject ? Object.entries(schema.shape as z.core.$ZodShape) : [];

/**
 * Explains which given parameter only another method takes: ignoring it would have another effect than the client asks
 * for. Undefined if there is no such parameter, or if all such parameters have the values that they have when they are
 * absent.
 * @param schema parameters of the method that is called. @param others refused parameters.
 */
export function othersParam(schema: z.ZodType, given: Members, others: OtherParams): string | undefined {
  if (!(schema instanceof z.ZodObject)) return undefined;
  for (const name of unknownNames(schema, given))
    for (const [method, shape] of Object.entries(others))
      for (const [known, member] of Object.entries(shape))
        if (plainName(name) === plainName(known) && !isDefault(member, given[name]))
          return `${known} is no parameter of this method, but of ${method}`;
  return undefined;
}

function isDefault(member: z.core.$ZodType, value: unknown): boolean {
  const given = z.safeParse(member, value);
  return given.success && given.data === z.safeParse(member, undefined).data;
}
