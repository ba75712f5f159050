import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { readDigestParameters } from '../../src/util/digest-parameters.js';

describe('the header of a digest login', () => {
  it('is read from quoted and from plain values', () => {
    const header = 'Digest username="a, b", realm="m", uri="/x?a=b",nc=00000001, qop=auth, response="0f"';
    expect(readDigestParameters(header)).toEqual({
      username: 'a, b',
      realm: 'm',
      uri: '/x?a=b',
      nc: '00000001',
      qop: 'auth',
      response: '0f',
    });
    expect(readDigestParameters('Bearer a=b')).toBeUndefined();
  });

  test.each([
    ['names in any case', 'dIgEsT Algorithm=md5,QOP=auth', { algorithm: 'md5', qop: 'auth' }],
    ['a quoted token', 'Digest algorithm="MD5-sess"', { algorithm: 'MD5-sess' }],
    ['spaces around each sign', ' Digest  nc = 00000001 , qop\t=\t"auth" ', { nc: '00000001', qop: 'auth' }],
    ['an empty text', 'Digest opaque="", nc=1', { opaque: '', nc: '1' }],
    [
      'quotes with a backslash, as they were sent',
      'Digest username="a\\"b, c", nc=1',
      { username: 'a\\"b, c', nc: '1' },
    ],
    ['the last parameter of a name', 'Digest nc=1, NC=2', { nc: '2' }],
    ['a name of every object', 'Digest __proto__=1', Object.fromEntries([['__proto__', '1']])],
  ])('is read with %s', (_, header, expected) => {
    expect({ ...readDigestParameters(header) }).toEqual(expected);
  });

  test.each([
    'Digest nc',
    'Digest nc=',
    'Digest nc="1',
    'Digest a="1" b="2"',
    'Digest a=1"2"',
    'Digest ="1"',
  ])('is no login if it cannot be read to its end: %s', (header) => {
    expect(readDigestParameters(header)).toBeUndefined();
  });

  it('is read as it was written, for any texts', () => {
    const name = fc.stringMatching(/^[a-z_-]{1,8}$/);
    const value = fc.stringMatching(/^[^"\\\r\n]{0,12}$/);
    const space = fc.constantFrom('', ' ', '\t ');
    fc.assert(
      fc.property(fc.dictionary(name, value, { minKeys: 1 }), space, (parameters, s) => {
        const fields = Object.entries(parameters).map(([key, text]) => `${key}${s}=${s}"${text}"`);
        const read = readDigestParameters(`Digest ${fields.join(`${s},${s}`)}`);
        expect(Object.entries(read ?? {})).toEqual(Object.entries(parameters));
      }),
    );
  });

  // A time that grows with the square of the length would be hours.
  test.each([
    ['commas', ','],
    ['letters', 'a'],
    ['spaces', ' '],
    ['equals signs', '='],
    ['quotes', '"'],
    ['backslashes', '\\'],
    ['quoted commas', '",'],
    ['parameters', 'a="b",'],
    ['names without a value', 'a=",'],
    ['open strings', 'a="b,'],
  ])('is read in linear time if it is long and full of %s', (_, part) => {
    const text = part.repeat((1 << 20) / part.length);
    for (const start of ['', 'a=', 'a="'])
      for (const end of ['', '"', '-', '"x'])
        expect(() => readDigestParameters(`Digest ${start}${text}${end}`)).not.toThrow();
  });
});
