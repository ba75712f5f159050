/** Longest line that the format check allows [characters]. */
const WIDTH = 110;

/** Converts the name of a method, member or event to the name of a type: `get_balance` to GetBalance. */
export const nameOf = (text: string): string =>
  text.replace(/(?:^|[_.])([a-z0-9])/g, (_, first: string) => first.toUpperCase());

/** Writes the doc comment with a text; no line for an empty text. */
export function commentLines(text: string, indent = ''): string[] {
  if (text === '') return [];
  if (indent.length + text.length + '/**  */'.length <= WIDTH) return [`${indent}/** ${text} */`];
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (indent.length + ' * '.length + line.length + 1 + word.length <= WIDTH)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`), `${indent} */`];
}

/** Writes an interface with the given members. */
export const interfaceLines = (name: string, members: readonly string[], comment = ''): string[] => [
  ...commentLines(comment),
  ...(members.length === 0
    ? [`export type ${name} = Readonly<Record<string, never>>;`]
    : [`export interface ${name} {`, ...members, '}']),
];

/** Writes the declaration of a union of literals, one literal per line. */
export const unionLines = (name: string, options: readonly string[]): string[] => [
  `export type ${name} =`,
  ...options.map((option, i) => `  | '${option}'${i === options.length - 1 ? ';' : ''}`),
];

/** Writes the signature of a method, on several lines if it is too long for one. */
export function signatureLines(name: string, params: readonly string[], result: string): string[] {
  const key = /^\w+$/.test(name) ? name : `'${name}'`;
  const line = `  ${key}(${params.join(', ')}): ${result};`;
  return line.length <= WIDTH
    ? [line]
    : [`  ${key}(`, ...params.map((param) => `    ${param},`), `  ): ${result};`];
}
