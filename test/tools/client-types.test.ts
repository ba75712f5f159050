import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { atomic, flag, listOf, params, text, u32 } from '../../src/http/methods/params.js';
import * as wire from '../../src/http/methods/wire.js';
import { type Conditions, defineMethod, type ResultSchema } from '../../src/rpc/method.js';
import { EVENT_TYPES } from '../../src/model/events.js';
import { registry } from '../../src/rpc/registry.js';
import { clientTable } from '../../tools/client-table.js';
import { clientTypes } from '../../tools/client-types.js';
import { nameOf } from '../../tools/typescript-lines.js';

const root = new URL('../../../', import.meta.url);
const CONDITIONS: Conditions = { family: 'spend', needs: 'wallet', restricted: true };

const methodOf = (schema: z.ZodType, result: () => ResultSchema, meta = CONDITIONS) =>
  defineMethod({
    ...{ name: 'do_it', summary: 'Does it.', source: 'none' },
    ...{ meta, faults: [], params: () => schema, result },
    handle: () => {
      throw new Error('not called');
    },
  });

describe('the types of the client', () => {
  it('are up to date: npm run docs writes them', () => {
    const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
    expect(read('src/client/methods.ts')).toBe(clientTypes(registry.methods));
    expect(read('src/client/method-table.ts')).toBe(clientTable(registry.methods));
  });

  it('have every method of the registry, and what may be sent again', () => {
    const [types, table] = [clientTypes(registry.methods), clientTable(registry.methods)];
    for (const { name, meta } of registry.methods) {
      const key = /^\w+$/.test(name) ? name : `'${name}'`;
      expect(types).toMatch(new RegExp(`^  ${key}\\(`, 'm'));
      const kind = new RegExp(`^  ${key}: '(\\w+)',$`, 'm').exec(table)?.[1];
      expect(kind === 'read').toBe(meta.family === 'view' || (meta.family === 'receive' && !meta.restricted));
    }
  });

  it('name the parameters and the result of every method', () => {
    const types = clientTypes(registry.methods);
    for (const { name } of registry.methods) {
      const type = nameOf(name);
      for (const part of ['Params', 'Result'])
        expect(types).toMatch(new RegExp(`^export (?:interface ${type}${part} |type ${type}${part} =)`, 'm'));
      expect(types).toMatch(new RegExp(`\\(params\\??: ${type}Params,|\n    params\\??: ${type}Params,`));
    }
  });

  it('name every event and its data, and nothing twice', () => {
    const names = [...clientTypes(registry.methods).matchAll(/^export (?:interface|type) (\w+)/gm)].map(
      ([, name = '']) => name,
    );
    for (const type of EVENT_TYPES)
      expect(names).toEqual(expect.arrayContaining([`${nameOf(type)}Event`, `${nameOf(type)}EventData`]));
    expect(new Set(names).size).toBe(names.length);
  });

  it('have the event that a reversal takes back wherever the server promises it', () => {
    const types = clientTypes(registry.methods);
    const data = (name: string): string =>
      new RegExp(`export interface ${name}EventData \\{\n([^}]*)\\}`).exec(types)?.[1] ?? '';
    expect(data('OutputUnspent')).toContain('  readonly reverses: number;\n');
    expect(data('RequestReversed')).toMatch(/^ {2}readonly was:/m);
    expect(data('PaymentReversed')).toContain('absent: it has expired. */\n  readonly reverses?: number;\n');
  });

  const method = methodOf(
    params({
      count: u32.default(7).describe('Number of things'),
      name: text.describe('Name'),
      items: listOf(params({ amount: atomic, ready: flag.default(false) })),
      idempotency_key: text.optional(),
    }),
    () =>
      wire.object({
        total: wire.amount('Sum'),
        height: wire.uint('Height').optional(),
        state: wire.oneOf(['a', 'b'], 'State'),
        rows: wire.list(wire.object({ sums: wire.list(wire.u64('A sum'), 'Sums') }), 'Rows'),
      }),
  );

  it('have bigints and numbers, optional parameters, and lists that results always have', () => {
    const types = clientTypes([registryEvents(), method]);
    const part = (name: string): string =>
      new RegExp(`export interface ${name} \\{\n([^}]*)\\}`).exec(types)?.[1] ?? '';
    expect(part('DoItParams')).toBe(
      [
        '  /** Number of things. Default: `7`. */',
        '  readonly count?: number | undefined;',
        '  /** Name. */',
        '  readonly name: string;',
        '  readonly items?: readonly DoItItems[] | undefined;',
        '  readonly idempotency_key?: string | undefined;\n',
      ].join('\n'),
    );
    expect(part('DoItItems')).toContain('  readonly amount: bigint | number;\n');
    expect(part('DoItResult')).toBe(
      [
        ...['  /** Sum. */', '  readonly total: bigint;', '  /** Height. */', '  readonly height?: number;'],
        ...['  /** State. */', "  readonly state: 'a' | 'b';"],
        ...['  /** Rows. */', '  readonly rows: readonly DoItRows[];\n'],
      ].join('\n'),
    );
    expect(types).toContain('  do_it(params: DoItParams, options?: OrderOptions): Promise<DoItResult>;');
  });

  it('go with the shapes of results, and name the methods that take a key', () => {
    const table = clientTable([method]);
    expect(table).toContain("  do_it: 'order',");
    expect(table).toContain('  do_it: { total: B, rows: [{ sums: [B] }] },');
  });

  it('refuse variants of a result that one conversion cannot serve', () => {
    const variant = (schema: z.ZodType) => wire.object({ type: wire.oneOf(['x'], ''), value: schema });
    const result = () =>
      wire.object({ one: z.union([variant(wire.amount('')), variant(wire.uint(''))]) }) as ResultSchema;
    expect(() => clientTable([methodOf(params({}), result)])).toThrow('variants of value');
  });
});

/** Method that declares the events, without which the types are not complete. */
function registryEvents() {
  const found = registry.find('get_events');
  if (found === undefined) throw new Error('no method get_events');
  return found;
}
