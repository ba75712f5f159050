/** Parameters of a login by HTTP digest, by name. */
export type DigestParameters = Readonly<Record<string, string | undefined>>;

const WORD = /\w/;

/** Splits a text at the commas that an even number of quotes follows: those outside of quoted strings. */
function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let end = text.length;
  let isOutside = true;
  for (let at = end - 1; at >= 0; at--) {
    const char = text[at];
    if (char === '"') isOutside = !isOutside;
    if (char !== ',' || !isOutside) continue;
    parts.push(text.slice(at + 1, end));
    end = at;
  }
  parts.push(text.slice(0, end));
  return parts.toReversed();
}

/** Reads `name=value` or `name="value"` at the end of a text. @returns undefined if there is none. */
function parameterIn(text: string): readonly [name: string, value: string] | undefined {
  // A value has quotes at its ends only.
  const lastInside = text.lastIndexOf('"', text.length - 2);
  for (let at = text.indexOf('=', Math.max(0, lastInside - 1)); at !== -1; at = text.indexOf('=', at + 1)) {
    let start = at;
    while (start > 0 && WORD.test(text[start - 1] ?? '')) start -= 1;
    if (start === at) continue;
    const from = text[at + 1] === '"' ? at + 2 : at + 1;
    const to = text.length > from && text.endsWith('"') ? text.length - 1 : text.length;
    return [text.slice(start, at), text.slice(from, to)];
  }
  return undefined;
}

/**
 * Reads the header of a login by HTTP digest as the package http-auth does, in a time that is linear in its length:
 * regular expressions of the package take a second for the longest header that Node.js accepts.
 * @returns undefined for another kind of login.
 */
export function readDigestParameters(header: string): DigestParameters | undefined {
  const [, text] = /^digest\s(.*)/i.exec(header) ?? [];
  if (text === undefined) return undefined;
  const parameters = splitAtCommas(text).map(parameterIn);
  return Object.fromEntries(parameters.filter((one) => one !== undefined));
}
