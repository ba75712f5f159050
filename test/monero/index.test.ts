import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import * as library from '../../src/monero/index.js';

/* The contents of the protocol library, which other programs import as wallet-rpc/monero. */

const INDEX = new URL('../../../src/monero/index.ts', import.meta.url);

/** Exported names with the files that define them. */
const exported = [
  ...readFileSync(INDEX, 'utf8').matchAll(/export (?:type )?\{([^}]*)\} from '([^']+)'/g),
].flatMap(([, names = '', file = '']) =>
  names
    .split(',')
    .map((name) => name.trim().replace(/^type /, ''))
    .filter((name) => name !== '')
    .map((name) => [name, file] as const),
);

describe('the protocol library', () => {
  it('exports the names of its contents', () => {
    const names = exported.map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(library)));
    expect(Object.keys(library).length).toBeGreaterThan(60);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(exported)('explains %s in a comment', (name, file) => {
    const source = readFileSync(new URL(file.replace(/\.js$/, '.ts'), INDEX), 'utf8');
    expect(source).toMatch(
      new RegExp(`\\*/\\nexport (?:async )?(?:const|function|class|interface|type) ${name}\\b`),
    );
  });
});
