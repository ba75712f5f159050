import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import httpAuth from 'http-auth';
import { readDigestParameters } from '../../src/http/digest-parameters.js';

const theirs = httpAuth.digest({ realm: 'r' }, (_user, done) => done(''));

/** Parameters as the package reads them; a copy, since the package keeps them in an ordinary object. */
const asThePackage = (header: string) => {
  const found = theirs.parseAuthorization(header);
  return found === undefined ? undefined : { ...found };
};

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

  it('is read as the package http-auth reads it', () => {
    const piece = fc.constantFrom('a', 'nc', '_1', '=', '"', ',', ' ', '\\', '-', '\u00e9', '__proto__x');
    const header = fc.array(piece, { maxLength: 24 }).map((pieces) => `Digest ${pieces.join('')}`);
    fc.assert(
      fc.property(header, (text) => {
        expect(readDigestParameters(text)).toEqual(asThePackage(text));
      }),
      { numRuns: 3000 },
    );
  });

  // A time that grows with the square of the length would be hours.
  test.each([
    ['commas', ','],
    ['letters', 'a'],
    ['equals signs', '='],
    ['quotes', '"'],
    ['quoted commas', '",'],
    ['names without a value', 'a=",'],
    ['open strings', 'a="b,'],
  ])('is read in linear time if it is long and full of %s', (_, part) => {
    const text = part.repeat((1 << 20) / part.length);
    for (const header of [`Digest ${text}`, `Digest ${text}"`, `Digest ${text}-`])
      expect(readDigestParameters(header)).toBeDefined();
  });
});
