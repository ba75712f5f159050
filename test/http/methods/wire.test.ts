import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import * as wire from '../../../src/http/methods/wire.js';
import { U64_MAX } from '../../../src/util/amount.js';

const refuses = (schema: z.ZodType, values: readonly unknown[]): void => {
  for (const value of values) expect(schema.safeParse(value).success).toBe(false);
};

describe('schemas of results', () => {
  it('read amounts of 64 bits as bigint', () => {
    const schema = wire.amount('Balance');
    expect(schema.parse(U64_MAX)).toBe(U64_MAX);
    refuses(schema, [-1n, U64_MAX + 1n, 5, '5', 5.5, null]);
  });

  it('read heights and indices as numbers', () => {
    expect(wire.uint('Height').parse(BigInt(Number.MAX_SAFE_INTEGER))).toBe(Number.MAX_SAFE_INTEGER);
    expect(wire.u32('Index').parse(0xffff_ffffn)).toBe(0xffff_ffff);
    refuses(wire.uint('Height'), [-1n, 1n << 53n, 5]);
    refuses(wire.u32('Index'), [-1n, 1n << 32n]);
  });

  it('read bytes as lower-case hex digits', () => {
    expect(wire.hex('Blob').parse('')).toBe('');
    expect(wire.hash('Hash').parse('0a'.repeat(32))).toBe('0a'.repeat(32));
    refuses(wire.hex('Blob'), ['0', 'xy', 'AB']);
    refuses(wire.hash('Hash'), ['', '0a'.repeat(31), '0A'.repeat(32)]);
  });

  it('read times of ISO 8601 in UTC', () => {
    expect(wire.time('Time').parse(new Date(0).toISOString())).toBe('1970-01-01T00:00:00.000Z');
    refuses(wire.time('Time'), ['1970-01-01', '1970-01-01T00:00:00+01:00']);
  });

  it('read an absent list as an empty one', () => {
    const schema = wire.object({ items: wire.list(wire.text('Item'), 'Items') });
    expect(schema.parse({})).toEqual({ items: [] });
    expect(schema.parse({ items: ['a'] })).toEqual({ items: ['a'] });
  });

  it('refuse objects with other members', () => {
    refuses(wire.object({ good: wire.flag('Good') }), [{ good: true, more: 1n }, {}, []]);
    refuses(wire.nothing(), [{ more: 1n }]);
  });

  it('keep the JSON Schema of a leaf beside its description', () => {
    expect(wire.amount('Balance').meta()).toMatchObject({
      description: 'Balance',
      type: 'integer',
      maximum: U64_MAX,
    });
  });
});
