/** Parameters of a login by HTTP digest, by name in lower case. */
export type DigestParameters = Readonly<Record<string, string | undefined>>;

/** A parameter: a name with a quoted text, or with a token. */
const PARAMETER = /([\w-]+)\s*=\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^\s",]+))\s*/y;

/** One parameter in a header. */
export interface DigestParameter {
  /** Name in lower case. */
  readonly name: string;
  /** Token, or quoted text with its backslashes. */
  readonly value: string;
  /** Place after the parameter and the spaces that follow it. */
  readonly end: number;
}

/** Reads the parameter at a place of a header of HTTP digest, in linear time; undefined if there is none. */
export function parameterAt(header: string, at: number): DigestParameter | undefined {
  PARAMETER.lastIndex = at;
  const [whole, name = '', quoted, token = ''] = PARAMETER.exec(header) ?? [];
  if (whole === undefined) return undefined;
  return { name: name.toLowerCase(), value: quoted ?? token, end: at + whole.length };
}

const SCHEME = /\s*digest\s*/iy;
const SEPARATOR = /,[\s,]*|$/y;

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
  for (let at = SCHEME.lastIndex; at < header.length; at = SEPARATOR.lastIndex) {
    const parameter = parameterAt(header, at);
    if (parameter === undefined) return undefined;
    SEPARATOR.lastIndex = parameter.end;
    if (!SEPARATOR.test(header)) return undefined;
    parameters[parameter.name] = parameter.value;
  }
  return parameters;
}
