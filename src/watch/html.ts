/** HTML that is safe to insert into a page. */
export class Html {
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  /** Marks HTML as safe. @param text HTML that contains no text from users or other programs. */
  static trusted(text: string): Html {
    return new Html(text);
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);

/** Value in a template: texts and numbers are escaped, lists are joined, undefined is left out. */
export type HtmlValue = Html | string | number | undefined | readonly HtmlValue[];

function textOf(value: HtmlValue): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(textOf).join('');
  return escaped(String(value));
}

/** Parts of templates without the indentation of their lines, which pages would contain many times. */
const shortened = new WeakMap<TemplateStringsArray, readonly string[]>();

function shortParts(parts: TemplateStringsArray): readonly string[] {
  const known = shortened.get(parts) ?? parts.map((part) => part.replace(/\n\s+/g, '\n'));
  shortened.set(parts, known);
  return known;
}

/** Template of HTML that escapes its values, and leaves its indentation out; attribute values must be quoted. */
export const html = (parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html =>
  Html.trusted(
    shortParts(parts)
      .map((part, i) => part + textOf(values[i]))
      .join(''),
  );
