/**
 * Characters that a reader of a line does not see as what they are: control characters of both blocks, those that change
 * the direction of text, line separators, halves of surrogate pairs, and all that have no width.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const escaped = (char: string): string =>
  Array.from(
    { length: char.length },
    (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');

/**
 * Escapes hidden characters as JSON does, so that received text can neither forge a line, nor change the order in which it is
 * read, nor control the terminal. A line of JSON keeps its meaning.
 */
export const printable = (text: string): string => text.replace(HIDDEN, escaped);

/** Escapes the hidden characters of lines, each of which ends with a line end or with the text. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');
