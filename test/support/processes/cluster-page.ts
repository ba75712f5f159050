import { readFileSync } from 'node:fs';

/* The commands of docs/cluster.md, so that tests run them as they stand there. */

const PAGE = readFileSync(new URL('../../../../docs/cluster.md', import.meta.url), 'utf8').replaceAll(
  '\\\n',
  ' ',
);

/** Splits a line of a shell into words, without their quotes. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replaceAll(/['"]/g, ''));

/** Options that each line has by its variable. */
const [, VARIABLE = ''] = /^CLUSTER="(.*)"$/m.exec(PAGE) ?? [];

/** Command lines of the page that administrate the cluster, in their order: words after `wallet-rpc`. */
const LINES: readonly (readonly string[])[] = [...PAGE.matchAll(/\bwallet-rpc (cluster [^\n`]*)/g)]
  .map(([, line = '']) => line)
  // Others only name a command.
  .filter((line) => /--cluster\b|\$CLUSTER/.test(line))
  .map((line) => wordsOf(line.replace('$CLUSTER', VARIABLE)));

/** Names of the commands that the page runs, in their order, each once. */
export const pageCommands = (): string[] => [...new Set(LINES.map(([, name = '']) => name))];

/** Values of a test in place of those of the page, by the name of the option; `''`: the argument without a name. */
export type PageValues = Readonly<Record<string, string>>;

/**
 * Returns the arguments of a command of the page. @throws Error for one that the page does not run in one way alone, and for
 * a value of the page in whose place the test has none.
 */
export function pageCommand(name: string, values: PageValues): string[] {
  const [words, ...others] = LINES.filter((line) => line[1] === name);
  if (words === undefined || others.length > 0)
    throw new Error(`docs/cluster.md has ${LINES.length} lines, not one, with the command ${name}`);
  const valueOf = (option: string): string => {
    const value = values[option];
    if (value === undefined)
      throw new Error(`${name} has a value of ${option === '' ? 'no option' : option}`);
    return value;
  };
  let option = '';
  return words.map((word, i) => {
    if (i < 2) return word;
    const [, flag = '', hasValue] = /^(--[\w-]+)(=?)/.exec(word) ?? [];
    if (flag !== '') {
      option = hasValue === '=' ? '' : flag;
      return hasValue === '=' ? `${flag}=${valueOf(flag)}` : flag;
    }
    const value = valueOf(option);
    option = '';
    return value;
  });
}

/** Returns the arguments of `pg_basebackup` of the page. @param connection values in place of those of the page. */
export function pageBaseBackup(directory: string, connection: PageValues): string[] {
  const words = wordsOf(/^ *pg_basebackup (.*)$/m.exec(PAGE)?.[1] ?? '');
  return words.map((word, i) => {
    if (words[i - 1] === '-D') return directory;
    if (words[i - 1] !== '-d') return word;
    return word.replaceAll(
      /(\w+)=(\S+)/g,
      (_, key: string, value: string) => `${key}=${connection[key] ?? value}`,
    );
  });
}

/** Addresses of the database on the page. */
export const pageDatabases = (): string[] =>
  [...PAGE.matchAll(/postgres:\/\/[^\s'"`]+/g)].map(([url]) => url);

/** Statements of the page that make the user and the database. */
export const pageSetup = (): string => /`(CREATE ROLE [^`]*)`/.exec(PAGE)?.[1] ?? '';

/** Statements of the page that wait for standbys, or for none, in their order. */
export const pageStatements = (): string[] =>
  [...PAGE.matchAll(/^ *```sql\n([^`]*)```$/gm)].map(([, text = '']) => text.trim());
