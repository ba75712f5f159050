import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  readDigestParameters,
  DigestAnswer,
  readChallenge,
  DigestLogin,
} from '../../src/util/http-digest.js';
import { randomRuns } from '../support/fakes/random-runs.js';

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
      { numRuns: randomRuns(100) },
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

/** Exchange of RFC 7616, section 3.9.1. */
const RFC = {
  username: 'Mufasa',
  password: 'Circle of Life',
  uri: '/dir/index.html',
  realm: 'http-auth@example.org',
  nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
  opaque: 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS',
  cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
};
const offer = (algorithm: string): string =>
  `Digest realm="${RFC.realm}", qop="auth, auth-int", algorithm=${algorithm}, nonce="${RFC.nonce}", opaque="${RFC.opaque}"`;

const answerTo = (header: string, { username, password, cnonce } = RFC): DigestAnswer => {
  const challenge = readChallenge([header]);
  if (challenge === undefined) throw new Error('no challenge');
  return new DigestAnswer(challenge, username, password, cnonce);
};

describe('a digest answer', () => {
  test.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ])('has the response of RFC 7616 for %s', (algorithm, response) => {
    expect(answerTo(offer(algorithm)).next('GET', RFC.uri)).toBe(
      `Digest username="Mufasa", realm="${RFC.realm}", nonce="${RFC.nonce}", uri="${RFC.uri}", ` +
        `algorithm=${algorithm}, response="${response}", qop=auth, nc=00000001, cnonce="${RFC.cnonce}", opaque="${RFC.opaque}"`,
    );
  });

  it('hashes nonce and client nonce into the secret of a session', () => {
    // A1 = H(H(user:realm:password):nonce:cnonce), section 3.4.2.
    expect(answerTo(offer('MD5-sess')).next('GET', RFC.uri)).toContain(
      'response="e783283f46242139c486a698fec7211d"',
    );
  });

  it('has neither a counter nor a client nonce where the challenge has no qop', () => {
    // H(H(A1):nonce:H(A2)), RFC 2617, section 3.2.2.1.
    const answer = answerTo(`Digest realm="${RFC.realm}", nonce="${RFC.nonce}"`).next('GET', RFC.uri);
    expect(answer).not.toMatch(/qop|nc=|cnonce/);
    expect(answer).toContain('response="7b2cc3b30e75b4777ea31027084363fd"');
  });

  it('counts its requests in hex', () => {
    const answer = answerTo(offer('MD5'));
    const counts = Array.from({ length: 17 }, () => /nc=(\w+)/.exec(answer.next('GET', '/'))?.[1]);
    expect(counts.at(0)).toBe('00000001');
    expect(counts.at(16)).toBe('00000011');
  });

  it('escapes quotes and backslashes of a user name', () => {
    const answer = answerTo(offer('MD5'), { ...RFC, username: 'a "b" \\' });
    expect(answer.next('GET', '/')).toContain(String.raw`username="a \"b\" \\"`);
  });
});

describe('a digest challenge', () => {
  it('is the best of several, in one header or more', () => {
    const headers = ['Basic realm="x, y"', offer('MD5'), offer('SHA-256'), offer('SHA-256-sess'), 'Bearer'];
    expect(readChallenge(headers)?.algorithm).toBe('SHA-256');
  });

  it('of this server is read without quotes around its tokens', () => {
    const header =
      'Digest qop="auth",algorithm=MD5,realm="monero-rpc",nonce="AZ/+=",stale=true, Bearer realm="monero-rpc"';
    expect(readChallenge([header])).toEqual({
      ...{ realm: 'monero-rpc', nonce: 'AZ/+=', algorithm: 'MD5', hasQop: true, stale: true },
    });
  });

  it('is read in linear time', () => {
    // A time that grows with the square of the length would be hours.
    const blanks = ' '.repeat(1 << 20);
    const challenge = (qop: string): string => `Digest realm="x", nonce="y", algorithm=MD5, qop="${qop}"`;
    expect(readChallenge([challenge(`auth,${blanks}auth-int`)])).toMatchObject({ hasQop: true });
    expect(readChallenge([challenge(`${blanks}.${blanks}`)])).toBeUndefined();
  });

  test.each([
    'Bearer realm="x"',
    'Digest realm="x", nonce="y", qop="auth-int", algorithm=MD5',
    'Digest realm="x", nonce="y", qop="auth", algorithm=SHA-1',
    'Digest realm="x", qop="auth"',
    '',
    ', ,',
  ])('is refused: %s', (header) => {
    expect(readChallenge([header])).toBeUndefined();
  });
});

const CHALLENGE = 'Digest realm="monero-rpc", qop="auth", algorithm=MD5, nonce=';

describe('a digest login', () => {
  it('has no header before the first challenge', () => {
    expect(new DigestLogin({ user: 'u', password: 'p' }).header('POST', '/json_rpc')).toBeUndefined();
  });

  it('answers the newest challenge, and counts from one', () => {
    const login = new DigestLogin({ user: 'u', password: 'p' });
    expect(login.accept([`${CHALLENGE}"a"`])).toBe(true);
    expect(login.header('POST', '/')).toContain('nonce="a"');
    expect(login.header('POST', '/')).toContain('nc=00000002');
    expect(login.accept(['Basic realm="x"', `${CHALLENGE}"b"`])).toBe(true);
    expect(login.header('POST', '/')).toMatch(/nonce="b".*nc=00000001/);
  });

  it('takes the refusal of an answer as final, unless its nonce has expired', () => {
    const login = new DigestLogin({ user: 'u', password: 'p' });
    login.accept([`${CHALLENGE}"a"`]);
    expect(login.accept([`${CHALLENGE}"b", stale=false`], true)).toBe(false);
    expect(login.accept(['Basic realm="x"'], true)).toBe(false);
    expect(login.header('POST', '/')).toContain('nonce="a"');
    expect(login.accept([`${CHALLENGE}"b", stale=true`], true)).toBe(true);
    expect(login.header('POST', '/')).toContain('nonce="b"');
  });

  it('forgets its answer where none of the challenges can be answered', () => {
    const login = new DigestLogin({ user: 'u', password: 'p' });
    login.accept([`${CHALLENGE}"a"`]);
    expect(login.accept(['Basic realm="x"'])).toBe(false);
    expect(login.header('POST', '/')).toBeUndefined();
  });
});
