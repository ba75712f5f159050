import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { OPTIONS } from '../../src/cli/config/options.js';
import { flagsPage } from '../../tools/flags-page.js';

const page = readFileSync(new URL('../../../docs/flags.md', import.meta.url), 'utf8');

describe('the page of flags', () => {
  it('is up to date: npm run docs writes it', () => {
    expect(page).toBe(flagsPage(OPTIONS));
  });

  it('has every flag once, in the groups of --help, with its default', () => {
    const text = flagsPage([
      { name: 'first', argument: 'n', group: 'Server', help: 'a number', default: '7' },
      { name: 'second', group: 'Wallets', help: 'a switch' },
      { name: 'third', argument: 'name', group: 'Server', help: 'a name', repeatable: true },
    ]);
    const rows = [...text.matchAll(/^(?:## (.*)|\| `--(.*?)` *\| (.*?) *\|)$/gm)].map(
      ([, ...cells]) => cells,
    );
    expect(rows).toEqual([
      ['Server', undefined, undefined],
      [undefined, 'first n', 'a number (default: `7`)'],
      [undefined, 'third name', 'a name (repeatable)'],
      ['Wallets', undefined, undefined],
      [undefined, 'second', 'a switch'],
    ]);
  });
});
