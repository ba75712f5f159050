import { describe, expect, it, test } from '@jest/globals';
import { z } from 'zod';
import { flag, listOf, params, text, u32, u64 } from '../../../src/http/methods/params.js';
import * as wire from '../../../src/http/methods/wire.js';
import { jsonSchemaOf } from '../../../src/rpc/discovery/json-schema.js';
import { pageLimit } from '../../../src/rpc/wire/limits.js';
import { U64_MAX } from '../../../src/util/amount.js';

describe('the JSON Schema of parameters', () => {
  it('keeps the limits of 64-bit integers exact', () => {
    expect(jsonSchemaOf(u64)).toMatchObject({ type: 'integer', minimum: 0n, maximum: U64_MAX });
  });

  it('requires only members without a default, and allows others', () => {
    const schema = jsonSchemaOf(
      params({ name: text, count: u32.default(3), on: flag.optional(), items: listOf(text) }),
    );
    expect(schema).toMatchObject({ type: 'object', required: ['name'] });
    expect(schema['additionalProperties']).toBeUndefined();
    expect(schema['properties']).toMatchObject({
      count: { type: 'integer', default: 3, maximum: 0xffff_ffffn },
      items: { type: 'array', items: { type: 'string' } },
    });
  });

  it('has the narrower limits of a refined integer', () => {
    expect(jsonSchemaOf(pageLimit)).toMatchObject({
      type: 'integer',
      minimum: 1n,
      maximum: 1000n,
      default: 100,
    });
  });

  it('has the pattern of a text and the length of a list', () => {
    expect(jsonSchemaOf(z.string().regex(/^\d+$/).optional())).toEqual({ type: 'string', pattern: '^\\d+$' });
    expect(jsonSchemaOf(z.array(text).max(100).default([]))).toMatchObject({ type: 'array', maxItems: 100 });
  });

  test.each([z.date(), z.number(), z.any()])('refuses a schema without a JSON type ($type)', (schema) => {
    expect(() => jsonSchemaOf(schema)).toThrow('without a description');
  });
});

describe('the JSON Schema of results', () => {
  it('forbids other members, and requires no list', () => {
    expect(
      jsonSchemaOf(
        wire.object({
          state: wire.oneOf(['on', 'off'], 'State'),
          last: wire.time('Last change').optional(),
          items: wire.list(wire.hash('A hash'), 'Hashes'),
        }),
      ),
    ).toEqual({
      type: 'object',
      properties: {
        state: { description: 'State', type: 'string', enum: ['on', 'off'] },
        last: expect.objectContaining({ description: 'Last change', type: 'string' }),
        items: {
          description: 'Hashes',
          type: 'array',
          items: { description: 'A hash', title: '64 hex digits', type: 'string', pattern: '^[0-9a-f]{64}$' },
        },
      },
      required: ['state'],
      additionalProperties: false,
    });
  });
});
