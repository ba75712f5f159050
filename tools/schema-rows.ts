import type { JsonSchema } from '../src/rpc/discovery/json-schema.js';

/** A member of an object schema, at any depth. */
export interface SchemaRow {
  /** Path of the member, such as `destinations[].amount`. */
  readonly path: string;
  readonly type: string;
  readonly description: string;
  readonly required: boolean;
  /** Default of the member as JSON; undefined if it has none. */
  readonly initial: string | undefined;
}

type Schema = JsonSchema | undefined;

const asSchema = (value: unknown): Schema => value as Schema;
const listOf = <T>(value: unknown): readonly T[] => (value ?? []) as readonly T[];
const textOf = (value: unknown): string => (value ?? '') as string;

function typeOf(schema: JsonSchema): string {
  if (schema['type'] === 'array') return `list of ${typeOf(asSchema(schema['items']) ?? {})}`;
  if (schema['enum'] !== undefined)
    return listOf<string>(schema['enum'])
      .map((value) => `\`${JSON.stringify(value)}\``)
      .join(', ');
  if (schema['oneOf'] !== undefined && schema['title'] === undefined)
    return [...new Set(listOf<JsonSchema>(schema['oneOf']).map(typeOf))].join(', ');
  return textOf(schema['title'] ?? schema['type']);
}

/** Returns the default of a parameter as JSON; large integers keep all digits. */
function initialOf(schema: JsonSchema): string | undefined {
  const value = schema['default'];
  if (value === undefined) return undefined;
  return JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? Number(item) : item));
}

function membersOf(schema: JsonSchema, prefix: string): SchemaRow[] {
  const required = listOf<string>(schema['required']);
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  return Object.entries(properties).flatMap(([name, member]) => [
    {
      path: prefix + name,
      type: typeOf(member),
      description: textOf(member['description']),
      required: required.includes(name),
      initial: initialOf(member),
    },
    ...schemaRows(member, prefix + name),
  ]);
}

/** Joins the rows of alternative schemas; a member that some alternatives lack is optional. */
function joined(alternatives: readonly (readonly SchemaRow[])[]): SchemaRow[] {
  const rows = new Map<string, SchemaRow>();
  for (const row of alternatives.flat()) {
    const known = rows.get(row.path);
    const types = new Set([...(known?.type.split(', ') ?? []), ...row.type.split(', ')]);
    const isInAll = alternatives.every((list) => list.some(({ path }) => path === row.path));
    rows.set(row.path, { ...(known ?? row), type: [...types].join(', '), required: row.required && isInAll });
  }
  return [...rows.values()];
}

/** Lists the members of a schema, at any depth, in their order. @param prefix path of the schema. */
export function schemaRows(schema: JsonSchema, prefix = ''): SchemaRow[] {
  const options = listOf<JsonSchema>(schema['oneOf']);
  if (options.length > 0) return joined(options.map((option) => schemaRows(option, prefix)));
  if (schema['type'] === 'array') return schemaRows(asSchema(schema['items']) ?? {}, `${prefix}[]`);
  return membersOf(schema, prefix === '' ? '' : `${prefix}.`);
}
