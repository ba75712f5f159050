import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { OPTIONS } from '../../src/cli/options.js';
import { registry } from '../../src/rpc/registry.js';

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');

/** Rows of the tables of flags: the flag with its argument, and its meaning. */
const rows = [...readme.matchAll(/^\| `--([^`]+)`\s*\|\s*(.*?)\s*\|$/gm)].map(
  ([, flag = '', meaning = '']) => ({
    flag,
    meaning,
  }),
);

describe('the README', () => {
  it('lists exactly the existing flags, in order, each with its meaning and default', () => {
    expect(rows).toEqual(
      OPTIONS.map(({ name, argument, help, default: initial }) => ({
        flag: argument === undefined ? name : `${name} ${argument}`,
        meaning: initial === undefined ? help : `${help} (default: \`${initial}\`)`,
      })),
    );
  });

  it('groups the flags as --help does', () => {
    const groups = [...new Set(OPTIONS.map(({ group }) => group))];
    expect(
      [...readme.matchAll(/^### (.*)$/gm)]
        .map(([, title]) => title)
        .filter((t) => groups.some((g) => g === t)),
    ).toEqual(groups);
  });

  it('calls only methods that are served', () => {
    const called = [...readme.matchAll(/^rpc (\w+)/gm)].map(([, name = '']) => name);
    expect(called).not.toHaveLength(0);
    expect(called.filter((name) => registry.find(name) === undefined)).toEqual([]);
  });
});
