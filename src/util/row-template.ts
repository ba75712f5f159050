import type { Json } from './json.js';
import { alphabeticalKeys, writeJson } from './json-writer.js';

/** Placeholder in a row template, for a value that differs between rows. */
export class Field<Name extends string = string> {
  readonly name: Name;

  constructor(name: Name) {
    this.name = name;
  }
}

/** JSON value of a row with placeholders; members that are undefined are left out. */
export type RowTemplate<Name extends string = string> =
  | null
  | boolean
  | string
  | number
  | bigint
  | Field<Name>
  | { readonly [key: string]: RowTemplate<Name> | undefined };

/** JSON text of a row, split at its fields: one text before each field, and one after the last. */
export interface RowParts<Name extends string = string> {
  readonly texts: readonly string[];
  readonly fields: readonly Name[];
}

/** Splits the JSON text of a template at its {@link Field}s. */
export function rowParts<Name extends string>(template: RowTemplate<Name>): RowParts<Name> {
  const texts: string[] = [];
  const fields: Name[] = [];
  let text = '';
  const write = (part: RowTemplate<Name>): void => {
    if (part instanceof Field) {
      texts.push(text);
      fields.push(part.name);
      text = '';
    } else if (typeof part === 'object' && part !== null) {
      let before = '{';
      for (const key of alphabeticalKeys(part)) {
        const item = part[key];
        if (item === undefined) continue;
        text += `${before}${JSON.stringify(key)}:`;
        write(item);
        before = ',';
      }
      text += before === '{' ? '{}' : '}';
    } else text += writeJson(part satisfies Json);
  };
  write(template);
  return { texts: [...texts, text], fields };
}
