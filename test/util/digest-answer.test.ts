import { describe, expect, it, test } from '@jest/globals';
import { DigestAnswer, readChallenge } from '../../src/util/digest-answer.js';

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
