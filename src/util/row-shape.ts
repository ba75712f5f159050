import type { Json } from './json.js';
import { writeJson } from './json-writer.js';

/** Stands in the shape of a row for what differs from row to row. */
export class Field<Name extends string = string> {
  readonly name: Name;

  constructor(name: Name) {
    this.name = name;
  }
}

/** What the rows of a list look like; members that are undefined are left out. */
export type RowShape<Name extends string = string> =
  | null
  | boolean
  | string
  | number
  | bigint
  | Field<Name>
  | { readonly [key: string]: RowShape<Name> | undefined };

/** The JSON of a row in parts: a text before every field, and one after the last. */
export interface RowText<Name extends string = string> {
  readonly texts: readonly string[];
  readonly fields: readonly Name[];
}

/** @param shape names in it stand for fields where they are {@link Field}s. */
export function rowText<Name extends string>(shape: RowShape<Name>): RowText<Name> {
  const texts: string[] = [];
  const fields: Name[] = [];
  let text = '';
  const write = (part: RowShape<Name>): void => {
    if (part instanceof Field) {
      texts.push(text);
      fields.push(part.name);
      text = '';
    } else if (typeof part === 'object' && part !== null) {
      let before = '{';
      for (const [key, item] of Object.entries(part)) {
        if (item === undefined) continue;
        text += `${before}${JSON.stringify(key)}:`;
        write(item);
        before = ',';
      }
      text += before === '{' ? '{}' : '}';
    } else text += writeJson(part satisfies Json);
  };
  write(shape);
  return { texts: [...texts, text], fields };
}
