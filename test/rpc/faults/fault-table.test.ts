import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { additionFaults } from '../../../src/rpc/faults/additions.js';
import { FAULTS, httpOf } from '../../../src/rpc/faults/fault-table.js';

const folder = new URL('../../../src/rpc/faults/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.js'));

/** Kinds in the tables of families, which are exported as `<name>Faults`. */
async function kindsOfFamilies(): Promise<string[]> {
  const modules = await Promise.all(
    files.map(async (name) => (await import(new URL(name, folder).href)) as Readonly<Record<string, object>>),
  );
  return modules.flatMap((module) =>
    Object.entries(module).flatMap(([name, table]) => (name.endsWith('Faults') ? Object.keys(table) : [])),
  );
}

describe('the table of faults', () => {
  it('has each kind in one family', async () => {
    expect((await kindsOfFamilies()).sort()).toEqual(Object.keys(FAULTS).sort());
  });

  it('lets a call be repeated after each fault that says that nothing has run', () => {
    const passing = Object.entries(additionFaults).filter(([, entry]) => 'retryAfter' in entry);
    expect(passing.map(([kind]) => kind).sort()).toEqual(['wallet_elsewhere', 'wallet_opening']);
    for (const kind of ['wallet_elsewhere', 'wallet_opening'] as const)
      expect(httpOf(kind)).toEqual({ status: 503, retryAfter: 1 });
  });

  it('gives each addition of this server a code of its own', () => {
    const codes = Object.values(additionFaults).map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
  });
});
