import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { listOf, none, params, text, u32 } from '../../src/http/methods/params.js';
import * as wire from '../../src/http/methods/wire.js';
import { type Conditions, ADDITION, defineMethod } from '../../src/rpc/method.js';
import { registry } from '../../src/rpc/registry.js';
import { apiPage, type KnownMethod } from '../../tools/api-page.js';

const root = new URL('../../../', import.meta.url);
const { methods: known } = JSON.parse(
  readFileSync(new URL('test/vectors/rpc/methods.json', root), 'utf8'),
) as { methods: readonly KnownMethod[] };

const CONDITIONS: Conditions = { family: 'view', needs: 'wallet', restricted: true };
const page = (schema: z.ZodType, conditions = CONDITIONS, of: readonly KnownMethod[] = []): string =>
  apiPage(
    [
      defineMethod({
        name: 'do_it',
        aliases: ['doit'],
        summary: 'Does it.',
        meta: conditions,
        faults: [],
        params: () => schema,
        result: () => wire.object({ count: wire.uint('Number of things') }),
        source: 'none',
        handle: () => ({ count: 1 }),
      }),
    ],
    of,
  );

describe('the page of methods', () => {
  it('is up to date: npm run docs writes it', () => {
    expect(readFileSync(new URL('docs/api.md', root), 'utf8')).toBe(apiPage(registry.methods, known));
  });

  it('has every method of the registry', () => {
    const headings = [...apiPage(registry.methods, known).matchAll(/^## (.*)$/gm)].map(([, name]) => name);
    expect(headings).toEqual(registry.methods.map(({ name }) => name).sort());
  });

  it('marks only methods that no release of the reference has as additions', () => {
    const additions = apiPage(registry.methods, known)
      .split('\n## ')
      .filter((part) => part.includes('An addition to'))
      .map((part) => part.split('\n')[0]);
    const own = registry.methods.filter(({ source }) => source === ADDITION);
    expect(additions).toEqual(own.map(({ name }) => name).sort());
  });

  it('lists the type, the default and the meaning of each parameter, and the members of objects', () => {
    const text_ = page(
      params({
        name: text.default('x').describe('A name'),
        count: u32.describe('Number of things'),
        secret: text.optional(),
        items: listOf(params({ index: u32.default(3).describe('An index') })).describe('The things'),
        size: z.union([z.enum(['all', 'none']), u32]).describe('Size'),
      }),
    );
    expect(text_).toContain(
      [
        '| parameter       | type                                       | default  | meaning          |',
        '| --------------- | ------------------------------------------ | -------- | ---------------- |',
        '| `name`          | string                                     | `"x"`    | A name           |',
        '| `count`         | unsigned 32-bit integer                    | required | Number of things |',
        '| `secret`        | string                                     | optional |                  |',
        '| `items`         | list of object                             | `[]`     | The things       |',
        '| `items[].index` | unsigned 32-bit integer                    | `3`      | An index         |',
        '| `size`          | `"all"`, `"none"`, unsigned 32-bit integer | required | Size             |',
      ].join('\n'),
    );
  });

  it('lists the scope, the conditions and the aliases of a method', () => {
    const text_ = page(none, { ...CONDITIONS, spendKey: true, trustedDaemon: true }, [
      { name: 'do_it', in: ['1.32'] },
    ]);
    expect(text_).toContain('Also called `doit`.');
    expect(text_).toContain('Not in `monero-wallet-rpc` 0.18');
    expect(text_).toContain(
      'Acts on the wallet of the path. A [credential](credentials.md) needs the family `view`, or the name of the method, among its `methods` (-60). Needs an open wallet (-13). Refused in restricted mode (-7). ' +
        'Refused on a wallet that makes addresses alone (-75). Refused on a view-only wallet (-29). Needs a trusted daemon (-1).',
    );
    expect(text_).toContain('No parameters.');
    expect(page(none, { ...CONDITIONS, account: 'legacy' })).toContain(
      'Needs an account with the old keys (-74).',
    );
    expect(page(none, { ...CONDITIONS, account: 'any' })).not.toMatch(/-7[45]/);
  });

  it('lists the type and the meaning of each member of the result', () => {
    expect(page(none)).toContain(
      [
        '| result  | type             | meaning          |',
        '| ------- | ---------------- | ---------------- |',
        '| `count` | unsigned integer | Number of things |',
      ].join('\n'),
    );
  });

  it('shows both results of a method whose API versions differ, and one of any other', () => {
    const [, validate = ''] = apiPage(registry.methods, known).split('\n## validate_address\n');
    expect(validate).toMatch(/Under `--api-version 1\.3`:[^#]*boolean[^#]*Under `--api-version 1\.32`:/);
    expect(page(none)).not.toContain('api-version');
  });

  it('joins the members of events, which depend on their type', () => {
    const [, events = ''] = apiPage(registry.methods, known).split('\n## get_events\n');
    const [first = ''] = events.split('\n## ');
    expect(first.match(/`events\[\]\.data\.amount`/g)).toHaveLength(1);
    expect(first).toMatch(/`events\[\]\.data\.amount` +\| amount in atomic units, optional/);
    expect(first).toContain('| `"reorganised"`, `"dropped"`, `"rescan"`, `"corrected"`, `"not_sent"`');
  });

  it('lists the errors that the conditions of a method do not name', () => {
    const [, transfer = ''] = apiPage(registry.methods, known).split('\n## transfer\n');
    const [errors = ''] = transfer.match(/^Errors: .*$/m) ?? [];
    expect(errors).toContain('-17 not enough money;');
    expect(errors).not.toContain('-13 ');
  });

  it('refuses a schema that it cannot describe', () => {
    expect(() => page(params({ day: z.date() }))).toThrow('without a description: date');
  });
});
