/** Parameters of a login by HTTP digest, by name in lower case. */
export type DigestParameters = Readonly<Record<string, string | undefined>>;

const SCHEME = /\s*digest\s*/iy;

/** A parameter with its separator: a quoted text, or a token. */
const PARAMETER = /([\w-]+)\s*=\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^\s",]+))\s*(?:,[\s,]*|$)/y;

/**
 * Reads the header of a login by HTTP digest, in a time that is linear in its length. Names have any case, spaces may
 * surround their equals signs, the value of any parameter may be quoted, and the last one of a name counts.
 * Source: http_auth.cpp `parse`, which knows fewer names, and takes some values with quotes only and others without.
 * @returns undefined for another kind of login, and for a header that cannot be read.
 */
export function readDigestParameters(header: string): DigestParameters | undefined {
  SCHEME.lastIndex = 0;
  if (!SCHEME.test(header)) return undefined;
  const parameters = Object.create(null) as Record<string, string>;
  for (let at = SCHEME.lastIndex; at < header.length; at = PARAMETER.lastIndex) {
    PARAMETER.lastIndex = at;
    const [whole, name = '', quoted, token = ''] = PARAMETER.exec(header) ?? [];
    if (whole === undefined) return undefined;
    parameters[name.toLowerCase()] = quoted ?? token;
  }
  return parameters;
}
