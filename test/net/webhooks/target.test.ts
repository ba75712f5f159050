import { describe, expect, it, test } from '@jest/globals';
import { parseTarget, TargetError } from '../../../src/net/webhooks/target.js';

describe('webhook URL', () => {
  it('is divided into the parts of a request', () => {
    expect(parseTarget('https://Shop.Example.org/hook?a=1#part', false)).toEqual({
      secure: true,
      host: 'shop.example.org',
      port: 443,
      path: '/hook?a=1',
      authority: 'shop.example.org',
    });
    expect(parseTarget('http://[2606:4700::1]:8080', false)).toEqual({
      secure: false,
      host: '2606:4700::1',
      port: 8080,
      path: '/',
      authority: '[2606:4700::1]:8080',
    });
  });

  test.each([
    ['another scheme', 'ftp://shop.example.org/'],
    ['no scheme', 'shop.example.org'],
    ['file', 'file:///etc/passwd'],
    ['a user', 'https://user@shop.example.org/'],
    ['a password', 'https://:secret@shop.example.org/'],
    ['port 0', 'https://shop.example.org:0/'],
    ['too long', `https://shop.example.org/${'a'.repeat(2048)}`],
    ['no host', 'https://'],
  ])('is refused even where private hosts are allowed: %s', (_, url) => {
    expect(() => parseTarget(url, true)).toThrow(TargetError);
  });

  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://①②⑦.⓪.⓪.①/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://0/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://a.localhost/',
    'https://printer.local/',
    'https://db.internal/',
    'https://redis/',
    'https://router.home.arpa/',
  ])('of a private host is refused unless allowed: %s', (url) => {
    expect(() => parseTarget(url, false)).toThrow(TargetError);
    expect(parseTarget(url, true).path).toBe('/');
  });

  it('is not quoted in an error', () => {
    expect(() => parseTarget('https://user:hunter2@shop.example.org/', false)).toThrow(
      /^a webhook URL must not contain credentials$/,
    );
  });
});
