/** Parameters of a login by HTTP digest, by name. */
export type DigestParameters = Readonly<Record<string, string | undefined>>;

const QUOTE = '"'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);

/** True for a letter, a digit and `_`, by their codes. */
const isWord = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x30 && code <= 0x39) ||
  code === 0x5f;

/** Adds the `name=value` or `name="value"` at the end of a part of a header, unless a later part has the name, too. */
function addParameter(parameters: Record<string, string>, part: string): void {
  // A value has quotes at its ends only.
  const lastInside = part.lastIndexOf('"', part.length - 2);
  for (let at = part.indexOf('=', Math.max(0, lastInside - 1)); at !== -1; at = part.indexOf('=', at + 1)) {
    let start = at;
    while (start > 0 && isWord(part.charCodeAt(start - 1))) start -= 1;
    if (start === at) continue;
    const from = part.charCodeAt(at + 1) === QUOTE ? at + 2 : at + 1;
    const to = part.length > from && part.endsWith('"') ? part.length - 1 : part.length;
    parameters[part.slice(start, at)] ??= part.slice(from, to);
    return;
  }
}

/**
 * Reads the header of a login by HTTP digest as the package http-auth does, in a time that is linear in its length:
 * regular expressions of the package take a second for the longest header that Node.js accepts.
 * @returns undefined for another kind of login.
 */
export function readDigestParameters(header: string): DigestParameters | undefined {
  if (!/^digest\s/i.test(header)) return undefined;
  const parameters = Object.create(null) as Record<string, string>;
  const from = 'digest '.length;
  let end = header.length;
  // A comma separates parameters if an even number of quotes follows it: it is outside of quoted strings.
  let isOutside = true;
  for (let at = end - 1; at >= from; at--) {
    const code = header.charCodeAt(at);
    if (code === QUOTE) isOutside = !isOutside;
    if (code !== COMMA || !isOutside) continue;
    addParameter(parameters, header.slice(at + 1, end));
    end = at;
  }
  addParameter(parameters, header.slice(from, end));
  return parameters;
}
