import { lastWord, withCommands, type CommandModel, type Flag, type Positional } from './command-model.js';

/** A page of a manual. */
export interface ManualPage {
  readonly program: string;
  readonly version: string;
  /** Sentence without its program and full stop, for the index of the manual. */
  readonly summary: string;
  readonly description: readonly string[];
  readonly model: CommandModel;
  /** Commands that are shown as they are typed. */
  readonly examples: readonly string[];
  /** Sections after the flags, each with its paragraphs. */
  readonly sections: readonly (readonly [title: string, paragraphs: readonly string[]])[];
}

/**
 * Escapes a text for roff: dashes are those of commands, which can be copied; a line never begins with a control
 * character. Source: groff_char(7).
 */
const escaped = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replaceAll('…', '\\&...')
    .replace(
      /[\u0080-\uffff]/g,
      (char) => `\\[u${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
    )
    .replace(/^\./, '\\&.');

/** Writes a text in bold. */
const bold = (text: string): string => `\\fB${escaped(text)}\\fR`;

/** Writes a placeholder in italics. */
const italic = (text: string): string => `\\fI${escaped(text)}\\fR`;

const sentence = (text: string): string =>
  escaped(text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.'));

const flagLines = ({ name, argument, help, words, isRepeatable, isRequired }: Flag): readonly string[] => {
  const notes = [
    ...(isRequired ? ['required'] : []),
    ...(isRepeatable && !help.includes('repeatable') ? ['repeatable'] : []),
    ...(words === undefined || words.every((word) => help.includes(word)) ? [] : [words.join(', ')]),
  ];
  return [
    '.TP',
    bold(`--${name}`) + (argument === undefined ? '' : ` ${italic(argument)}`),
    sentence(notes.length === 0 ? help : `${help} (${notes.join('; ')})`),
  ];
};

const positionalText = ({ name, isRequired }: Positional): string =>
  isRequired ? italic(name) : `[${italic(name)}]`;

/** Writes the section of a command with its flags. */
const commandLines = (
  program: string,
  { path, summary, flags, positionals }: CommandModel,
): readonly string[] => [
  `.SS ${[bold(`${program} ${path}`), ...positionals.map(positionalText)].join(' ')}`,
  sentence(summary),
  ...positionals.flatMap((one) => (one.help === '' ? [] : ['.TP', positionalText(one), sentence(one.help)])),
  ...flags.filter(({ name }) => name !== 'help').flatMap(flagLines),
];

/** Writes a page of section 1 of the manual, in the macros of man(7). */
export function manPage({
  program,
  version,
  summary,
  description,
  model,
  examples,
  sections,
}: ManualPage): string {
  const { flags, commands } = model;
  const groups = [...new Set(flags.map(({ group }) => group ?? 'Flags'))];
  const all = commands.flatMap(withCommands).filter((one) => one.commands.length === 0);
  const paragraphs = (texts: readonly string[]): readonly string[] =>
    texts.flatMap((text, i) => (i === 0 ? [escaped(text)] : ['.PP', escaped(text)]));
  return [
    `.\\" Written from the flags of the program when it is built.`,
    `.TH ${program.toUpperCase().replaceAll('-', '\\-')} 1 "" "${program} ${version}" "User Commands"`,
    // Words are not divided: flags could not be searched.
    '.nh',
    '.ad l',
    '.SH NAME',
    `${escaped(program)} \\- ${escaped(summary)}`,
    '.SH SYNOPSIS',
    `.B ${escaped(program)}`,
    `[${italic('flag')} ...]`,
    ...commands.flatMap((one) => [
      '.br',
      `.B ${escaped(program)} ${escaped(one.path)}`,
      ...(one.commands.length === 0
        ? []
        : [`${one.commands.map((inner) => bold(lastWord(inner))).join('|')}`]),
      `[${italic('flag')} ...]${one.positionals.map((positional) => ` ${positionalText(positional)}`).join('')}`,
    ]),
    '.SH DESCRIPTION',
    ...paragraphs(description),
    '.SH FLAGS',
    ...groups.flatMap((group) => [
      ...(groups.length === 1 ? [] : [`.SS ${escaped(group)}`]),
      ...flags.filter((flag) => (flag.group ?? 'Flags') === group).flatMap(flagLines),
    ]),
    ...(all.length === 0 ? [] : ['.SH COMMANDS', ...all.flatMap((one) => commandLines(program, one))]),
    ...(examples.length === 0 ? [] : ['.SH EXAMPLES', '.nf', ...examples.map(escaped), '.fi']),
    ...sections.flatMap(([title, texts]) => [`.SH ${title}`, ...paragraphs(texts)]),
    '',
  ].join('\n');
}
