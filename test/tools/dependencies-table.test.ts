import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { dependenciesTable, withDependencies } from '../../tools/dependencies-table.js';
import { dependencyFacts } from '../../tools/dependency-facts.js';

const page = readFileSync(new URL('../../../docs/dependencies.md', import.meta.url), 'utf8');

const installed = { description: 'a thing', bytes: 2_049, isNative: false, hasGyp: false };
const lock = {
  packages: {
    '': { dependencies: { used: '^1.0.0' } },
    'node_modules/used': { version: '1.0.0', dependencies: { part: '2' } },
    'node_modules/part': { version: '2.0.0', hasInstallScript: true },
    'node_modules/tool': { version: '3.0.0', dev: true },
  },
};

describe('the page of dependencies', () => {
  it('is up to date: npm run docs writes it', () => {
    expect(withDependencies(page, dependenciesTable(dependencyFacts()))).toBe(page);
  });

  it('has direct packages first, those that need the others, and no tools', () => {
    const [, , ...rows] = dependenciesTable({
      ...{ lock, purposes: { used: 'use' }, dates: { 'used@1.0.0': '2026-01-02' } },
      installed: (folder) => ({ ...installed, isNative: folder.endsWith('part') }),
    });
    expect(rows.map((row) => row.split('|').map((cell) => cell.trim()))).toEqual([
      ['', '`used`', '1.0.0', '2026-01-02', 'direct', '3', '', '', 'use', ''],
      ['', '`part`', '2.0.0', '', '`used`', '3', 'yes', 'yes', 'a thing', ''],
    ]);
  });

  it('names a package that npm compiles without a script', () => {
    const rows = dependenciesTable({
      ...{ lock, purposes: { used: 'use' }, dates: {} },
      installed: () => ({ ...installed, isNative: true, hasGyp: true }),
    });
    expect(rows[2]).toMatch(/\| yes +\| implicit +\| use +\|$/);
  });

  it('needs the purpose of a direct package, and a page with a place for it', () => {
    const facts = { lock, purposes: {}, dates: {}, installed: () => installed };
    expect(() => dependenciesTable(facts)).toThrow('used has no purpose');
    expect(() => withDependencies('# Dependencies\n', [])).toThrow('no place');
  });
});
