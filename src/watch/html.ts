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

/** Template of HTML that escapes its values; attribute values must be quoted. */
export const html = (parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html =>
  Html.trusted(parts.map((part, i) => part + textOf(values[i])).join(''));
