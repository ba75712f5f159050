/** Width of a line, as the format check demands. */
const WIDTH = 110;

/** Name of a type for a method, member or event: `get_balance` gives GetBalance. */
export const nameOf = (text: string): string =>
  text.replace(/(?:^|[_.])([a-z0-9])/g, (_, first: string) => first.toUpperCase());

/** Doc comment of a text; none for an empty one. */
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

/** Interface of given members. */
export const interfaceLines = (name: string, members: readonly string[], comment = ''): string[] => [
  ...commentLines(comment),
  ...(members.length === 0
    ? [`export type ${name} = Readonly<Record<string, never>>;`]
    : [`export interface ${name} {`, ...members, '}']),
];

/** Declaration of a union of literals, one a line. */
export const unionLines = (name: string, options: readonly string[]): string[] => [
  `export type ${name} =`,
  ...options.map((option, i) => `  | '${option}'${i === options.length - 1 ? ';' : ''}`),
];

/** Signature of a method, on several lines if it is too long for one. */
export function signatureLines(name: string, params: readonly string[], result: string): string[] {
  const key = /^\w+$/.test(name) ? name : `'${name}'`;
  const line = `  ${key}(${params.join(', ')}): ${result};`;
  return line.length <= WIDTH
    ? [line]
    : [`  ${key}(`, ...params.map((param) => `    ${param},`), `  ): ${result};`];
}
