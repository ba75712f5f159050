import { kindOf, lastWord, withCommands, type CommandModel } from './command-model.js';

/** Quotes a text for fish, where a backslash escapes in quotes, too. */
const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

/** Returns the options of `complete` for a value. */
function valueOptions(placeholder: string, words: readonly string[] | undefined): string {
  if (words !== undefined) return ` -x -a ${quoted(words.join(' '))}`;
  const kind = kindOf(placeholder);
  if (kind === 'other') return ' -x';
  return kind === 'file' ? ' -r -F' : ` -x -a '(__fish_complete_directories)'`;
}

/** Writes the completions of a program for fish. @param program name of the program. */
export function fishCompletion(program: string, model: CommandModel): string {
  const place = `__${program.replaceAll('-', '_')}_place`;
  const all = withCommands(model);
  const parents = all.filter(({ path, commands }) => path !== '' && commands.length > 0);
  const own = all.map(({ path }) => path).filter((path) => path !== '' && !path.includes(' '));
  const lines = all.flatMap(({ path, flags, commands, positionals }) => {
    const start = `complete -c ${program} -n ${quoted(`${place} ${quoted(path)}`)}`;
    const first = `complete -c ${program} -n ${quoted(`${place} ${quoted(path)} first`)}`;
    return [
      ...commands.map((inner) => `${first} -a ${lastWord(inner)} -d ${quoted(inner.summary)}`),
      ...(commands.length > 0
        ? []
        : positionals.flatMap(({ name, words }) =>
            words === undefined && kindOf(name) === 'other'
              ? []
              : [`${start}${valueOptions(name, words).replace(' -r', '').replace(' -x', ' -f')}`],
          )),
      ...flags.map(
        ({ name, argument, help, words }) =>
          `${start} -l ${name} -d ${quoted(help)}${argument === undefined ? '' : valueOptions(argument, words)}`,
      ),
    ];
  });
  return `# fish completion of ${program}
# True where the words before the cursor belong to a command; with first, where they end with it.
function ${place}
  set -l words (commandline -opc)
  set -l place ''
  set -l at 1
  if contains -- "$words[2]" ${own.join(' ') || "''"}
    set place $words[2]
    set at 2
    if contains -- $place ${parents.map(({ path }) => path).join(' ') || "''"}; and test (count $words) -gt 2
      set place "$place $words[3]"
      set at 3
    end
  end
  test "$place" = "$argv[1]"; or return 1
  test (count $argv) -eq 1; or test (count $words) -eq $at
end
complete -c ${program} -f
${lines.join('\n')}
`;
}
