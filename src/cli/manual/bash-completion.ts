import { kindOf, lastWord, withCommands, type CommandModel } from './command-model.js';

/** Quotes a text for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns the function of a shell that completes a value; undefined for a value of any other kind. */
function actionOf(placeholder: string, words: readonly string[] | undefined): string | undefined {
  if (words !== undefined) return `words=${quoted(words.join(' '))}`;
  const kind = kindOf(placeholder);
  if (kind === 'other') return undefined;
  return kind === 'file' ? 'files=-f' : 'files=-d';
}

/** Lists the cases of the flags of a command whose values are known. */
const valueCases = ({ path, flags }: CommandModel): readonly string[] =>
  flags.flatMap(({ name, argument, words }) => {
    if (argument === undefined) return [];
    const action = actionOf(argument, words) ?? ':';
    return [`    ${quoted(`${path}:--${name}`)}) ${action} ;;`];
  });

/** Returns the case of a command: its flags, and its commands or arguments. */
function commandCase({ path, flags, commands, positionals }: CommandModel): string {
  const names = flags.map(({ name }) => `--${name}`);
  const [first] = positionals;
  const others = commands.length > 0 ? commands.map(lastWord) : (first?.words ?? []);
  const files = first === undefined ? undefined : actionOf(first.name, first.words);
  const action = commands.length === 0 && files?.startsWith('files') === true ? ` ${files}` : '';
  return `    ${quoted(path)}) flags=${quoted(names.join(' '))} words=${quoted(others.join(' '))}${action} ;;`;
}

/** Writes the completions of a program for bash. @param program name of the program. */
export function bashCompletion(program: string, model: CommandModel): string {
  const all = withCommands(model);
  const name = `_${program.replaceAll('-', '_')}`;
  const parents = all.filter(({ path, commands }) => path !== '' && commands.length > 0);
  const ownWords = all.map(({ path }) => path).filter((path) => path !== '' && !path.includes(' '));
  return `# bash completion of ${program}
${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} place=''
  local flags='' words='' files='' value=''
  # A value may be joined to its flag: bash makes three words of --flag=value.
  if [[ $current == '=' ]]; then current='' value=$before
  elif [[ $before == '=' ]]; then value=\${COMP_WORDS[COMP_CWORD-2]}
  elif [[ $before == --* ]]; then value=$before
  fi
  if (( COMP_CWORD > 1 )); then
    case \${COMP_WORDS[1]} in
    ${ownWords.join('|') || "''"}) place=\${COMP_WORDS[1]} ;;
    esac
    case $place in
    ${parents.map(({ path }) => path).join('|') || "''"})
      if (( COMP_CWORD > 2 )); then place+=" \${COMP_WORDS[2]}"; fi ;;
    esac
  fi
  if [[ $value == --* ]]; then
    case "$place:$value" in
${all.flatMap(valueCases).join('\n')}
    *) value='' ;;
    esac
  fi
  if [[ $value != --* ]]; then
    case $place in
${all.map(commandCase).join('\n')}
    esac
    # The name of a command is the first word.
    if [[ -z $place ]] && (( COMP_CWORD > 1 )); then words=''; fi
    if [[ $current == -* ]]; then words=$flags files=''; fi
  fi
  COMPREPLY=()
  if [[ -n $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  elif [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$files" -- "$current")
  fi
}
complete -F ${name} ${program}
`;
}
