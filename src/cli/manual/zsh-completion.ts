import { kindOf, lastWord, type CommandModel, type Flag, type Positional } from './command-model.js';

/** Quotes a text for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Escapes a text in a specification of `_arguments`. Source: zshcompsys(1). */
const escaped = (text: string): string => text.replace(/[\\[\]:]/g, '\\$&');

/** Returns the action for a value. */
function actionOf(placeholder: string, words: readonly string[] | undefined): string {
  if (words !== undefined) return `(${words.join(' ')})`;
  const kind = kindOf(placeholder);
  if (kind === 'other') return ' ';
  return kind === 'file' ? '_files' : '_files -/';
}

const flagSpec = ({ name, argument, help, words, isRepeatable }: Flag): string => {
  const value = argument === undefined ? '' : `:${escaped(argument)}:${actionOf(argument, words)}`;
  return quoted(`${isRepeatable ? '*' : ''}--${name}${value === '' ? '' : '='}[${escaped(help)}]${value}`);
};

const positionalSpec = ({ name, help, isRequired, words }: Positional, i: number): string =>
  quoted(`${i + 1}:${isRequired ? '' : ':'}${escaped(help === '' ? name : help)}:${actionOf(name, words)}`);

/** Returns the lines of a case that complete a command. @param depth number of words before its arguments. */
function completing(model: CommandModel, indent: string): readonly string[] {
  const { flags, positionals, commands } = model;
  const specs = [...flags.map(flagSpec), ...(commands.length > 0 ? [] : positionals.map(positionalSpec))];
  const call = [`${indent}_arguments \\`, `${specs.map((spec) => `${indent}  ${spec}`).join(' \\\n')}`];
  if (commands.length === 0) return call;
  const described = commands.map((inner) => quoted(`${lastWord(inner)}:${inner.summary}`));
  return [
    `${indent}if (( CURRENT == 2 )) && [[ $PREFIX != -* ]]; then`,
    `${indent}  inner=(${described.join(' ')})`,
    `${indent}  _describe command inner`,
    `${indent}  return`,
    `${indent}fi`,
    `${indent}case $words[2] in`,
    ...commands.flatMap((inner) => [
      `${indent}${lastWord(inner)})`,
      `${indent}  shift words; (( CURRENT -= 1 ))`,
      ...completing(inner, `${indent}  `),
      `${indent}  ;;`,
    ]),
    `${indent}*)`,
    ...call,
    `${indent}  ;;`,
    `${indent}esac`,
  ];
}

/** Writes the completions of a program for zsh. @param program name of the program. */
export const zshCompletion = (program: string, model: CommandModel): string => {
  const name = `_${program.replaceAll('-', '_')}`;
  return `#compdef ${program}
# zsh completion of ${program}
${name}() {
  local -a inner
${completing(model, '  ').join('\n')}
}
# The file is loaded as a function, or sourced.
if [[ $funcstack[1] == _${program} ]]; then ${name} "$@"; else compdef ${name} ${program}; fi
`;
};
