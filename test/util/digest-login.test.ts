import { describe, expect, it } from '@jest/globals';
import { DigestLogin } from '../../src/util/digest-login.js';

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
