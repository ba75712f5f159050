import { createRequire } from 'node:module';
import { describe, expect, it, test } from '@jest/globals';
import Ajv from 'ajv';
import { tryParseAddress } from '../../../src/monero/cryptonote/address.js';
import { resultSchema } from '../../../src/rpc/api-version.js';
import { openRpcOf } from '../../../src/rpc/discovery/open-rpc.js';
import { registry } from '../../../src/rpc/registry.js';
import { JsonWriter } from '../../../src/util/json-writer.js';

const VERSIONS = ['1.3', '1.32'] as const;

interface Schema {
  readonly description?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Descriptor {
  readonly name: string;
  readonly description?: string;
  readonly schema: Schema;
}
interface MethodObject {
  readonly name: string;
  readonly params: readonly (Descriptor & { readonly required: boolean })[];
  readonly result: Descriptor;
  readonly errors: readonly { readonly code: number; readonly message: string }[];
  readonly examples: readonly {
    readonly params: readonly { readonly name: string; readonly value: unknown }[];
    readonly result: { readonly value: unknown };
  }[];
}
interface Document {
  readonly openrpc: string;
  readonly methods: readonly MethodObject[];
}

const textOf = (version: (typeof VERSIONS)[number]): string =>
  new JsonWriter().value({ ...openRpcOf(registry.methods, version) }).toString();
const documentOf = (version: (typeof VERSIONS)[number]): Document => JSON.parse(textOf(version)) as Document;

const require = createRequire(import.meta.url);
const draft7 = require('ajv/lib/refs/json-schema-draft-07.json') as { readonly definitions: object };
const { openrpcDocument } = require('@open-rpc/meta-schema') as {
  readonly openrpcDocument: { readonly properties: object };
};

/** Paths of members without a description, below a schema. */
const undescribedIn = ({ items, properties = {} }: Schema, path: string): string[] => [
  ...(items === undefined ? [] : undescribedIn(items, `${path}[]`)),
  ...Object.entries(properties).flatMap(([name, member]) =>
    undescribed({ ...member, schema: member }, `${path}.${name}`),
  ),
];

/** Paths of a parameter and of its members without a description. */
const undescribed = (
  { description = '', schema }: Pick<Descriptor, 'description' | 'schema'>,
  path: string,
): string[] => [...(description === '' ? [path] : []), ...undescribedIn(schema, path)];

/** Draft 7 under the names by which the meta-schema refers to it, with the definition that it uses. */
const jsonSchema = {
  ...draft7,
  definitions: {
    ...draft7.definitions,
    JSONSchemaObject: { properties: { $ref: { type: 'string', format: 'uri-reference' } } },
  },
};

/** Validator of OpenRPC documents. The published meta-schema lists versions up to 1.3.2, whose document has our form. */
function openRpcValidator(): (document: unknown) => readonly unknown[] {
  const ajv = new Ajv();
  for (const $id of ['https://meta.json-schema.tools', 'https://meta.json-schema.tools/'])
    ajv.addSchema({ ...jsonSchema, $id });
  const validate = ajv.compile({
    ...openrpcDocument,
    properties: { ...openrpcDocument.properties, openrpc: { const: '1.4.1' } },
  });
  return (document) => (validate(document) === true ? [] : (validate.errors ?? []));
}

describe.each(VERSIONS)('the OpenRPC document of API version %s', (version) => {
  const document = documentOf(version);

  it('follows the meta-schema of OpenRPC', () => {
    const problems = openRpcValidator();
    expect(problems(document)).toEqual([]);
    expect(problems({ ...document, methods: [{ name: 'x' }] })).not.toEqual([]);
  });

  it('has every method of the registry, by name', () => {
    expect(document.methods.map(({ name }) => name)).toEqual(registry.methods.map(({ name }) => name).sort());
  });

  it('is the same text every time', () => {
    expect(textOf(version)).toBe(textOf(version));
  });

  it('has JSON Schemas that compile', () => {
    const ajv = new Ajv();
    for (const { params, result } of document.methods)
      for (const { schema } of [...params, result]) expect(() => ajv.compile(schema)).not.toThrow();
  });

  it('has examples that follow the JSON Schemas', () => {
    const ajv = new Ajv();
    for (const { name, params, result, examples } of document.methods)
      for (const example of examples) {
        const schemas = new Map(params.map((param) => [param.name, param.schema]));
        for (const { name: param, value } of example.params)
          expect([name, param, ajv.validate(schemas.get(param) ?? false, value)]).toEqual([
            name,
            param,
            true,
          ]);
        expect([name, ajv.validate(result.schema, example.result.value)]).toEqual([name, true]);
      }
  });

  const shown = registry.methods.filter(({ examples }) => examples !== undefined);

  test.each(shown)('examples of $name follow the schemas of the method', (method) => {
    for (const { params, result } of method.examples?.() ?? []) {
      expect(method.params.safeParse(params).error).toBeUndefined();
      expect(resultSchema(version, method).safeParse(result).error).toBeUndefined();
    }
  });

  it('describes every parameter, and every member of an object within one', () => {
    const missing = document.methods.flatMap(({ name, params }) =>
      params.flatMap((param) => undescribed(param, `${name}.${param.name}`)),
    );
    expect(missing).toEqual([]);
  });

  it('lists the errors of each method by code, without a repetition', () => {
    for (const { errors } of document.methods) {
      const codes = errors.map(({ code }) => code);
      expect(codes).toEqual([...new Set(codes)].sort((a, b) => b - a));
      expect(codes).toContain(-60);
    }
  });
});

describe('the OpenRPC document', () => {
  it('keeps all digits of the largest amount', () => {
    expect(textOf('1.3')).toContain('"maximum":18446744073709551615');
  });

  it('has the result of each API version', () => {
    const rowOf = (version: (typeof VERSIONS)[number]) =>
      documentOf(version).methods.find(({ name }) => name === 'validate_address')?.result.schema;
    expect(rowOf('1.3')).toMatchObject({ properties: { openalias_address: { type: 'boolean' } } });
    expect(rowOf('1.32')).toMatchObject({ properties: { openalias_address: { type: 'string' } } });
  });

  it('lists the errors of a payment with the messages of the reference', () => {
    const { errors } = documentOf('1.3').methods.find(({ name }) => name === 'transfer') ?? { errors: [] };
    expect(errors).toContainEqual({ code: -17, message: 'not enough money' });
    expect(errors).toContainEqual({ code: -7, message: 'Command unavailable in restricted mode.' });
    expect(errors).toContainEqual({ code: -32602, message: 'Invalid params' });
  });

  it('has addresses that can be paid in its examples', () => {
    const addresses =
      JSON.stringify(documentOf('1.3').methods).match(/"[48][1-9A-HJ-NP-Za-km-z]{94}"/g) ?? [];
    expect(addresses.length).toBeGreaterThan(5);
    for (const quoted of new Set(addresses))
      expect(tryParseAddress(quoted.slice(1, -1), 'mainnet')).toBeDefined();
  });
});
