// Writes the word lists of mnemonics into a module in build/, so that they load wherever JavaScript does. Each is returned by
// a function: an engine makes its text when that is called first. Characters beyond ASCII are escaped: an engine keeps a
// source with any of them at twice its size.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const lists = readdirSync('wordlists', { recursive: true })
  .filter((name) => name.endsWith('.txt'))
  .toSorted()
  .map((name) => [name.slice(0, -4), readFileSync(`wordlists/${name}`, 'utf8')]);
const escaped = (text) =>
  text.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
const folder = 'build/src/monero/cryptonote';
mkdirSync(folder, { recursive: true });
writeFileSync(
  `${folder}/word-lists.js`,
  [
    '// Written from wordlists/, whose README.md names the licences.',
    'export const wordLists = {',
    ...lists.map(([name, text]) => `  '${name}': () => ${escaped(JSON.stringify(text))},`),
    '};',
    '',
  ].join('\n'),
);
