import type { OptionSpec } from '../src/cli/config/option.js';
import { environmentName } from '../src/cli/config/options.js';
import { markdownTable } from './markdown-table.js';

/** Writes the row of a flag in the table of its group. */
function rowOf({
  name,
  argument,
  help,
  default: initial,
  repeatable,
}: OptionSpec): readonly [string, string] {
  const flag = argument === undefined ? name : `${name} ${argument}`;
  const notes = [
    ...(initial === undefined ? [] : [`default: \`${initial}\``]),
    ...(repeatable && !help.includes('repeatable') ? ['repeatable'] : []),
  ];
  return [`\`--${flag}\``, notes.length === 0 ? help : `${help} (${notes.join('; ')})`];
}

/** Writes the page of all flags as Markdown, in the groups of `--help`. */
export function flagsPage(options: readonly OptionSpec[]): string {
  const groups = [...new Set(options.map(({ group }) => group))];
  return [
    '# Flags',
    '',
    'Written by `npm run docs` from `src/cli/config/options.ts` and the files that it names: edit these.',
    '',
    `Every flag can also be set in the environment (\`WALLET_RPC_\` and its name in capitals, such as`,
    `\`${environmentName('rpc-login')}\`) and in the \`--config-file\` (lines \`name=value\`). The command line overrides the`,
    'environment, which overrides the file. Set secrets in the environment or the file: the process list shows command lines',
    'to all users.',
    '',
    'The file is read as by `monero-wallet-rpc`: everything from the first `#` of a line is a comment, also within a value, so',
    'that a password with `#` cannot stand there; quotes are part of a value; a switch is `name=1` or `name=0`; a name given',
    'twice and an unknown one are errors, as is every name below a `[section]`. An unknown variable of the environment that is like',
    'one of these is named in the log. `wallet-rpc --help` lists the flags and the commands, `wallet-rpc man` prints the manual page.',
    '',
    ...groups.flatMap((group) => [
      `## ${group}`,
      '',
      ...markdownTable(['flag', 'meaning'], options.filter((option) => option.group === group).map(rowOf)),
      '',
    ]),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}
