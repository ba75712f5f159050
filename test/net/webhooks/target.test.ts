import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { isPublicAddress, parseTarget, TargetError } from '../../../src/net/webhooks/target.js';

describe('public address', () => {
  test.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2001:4860:4860::8888',
    '::ffff:1.1.1.1',
    '::ffff:101:101',
    '64:ff9b::1.1.1.1',
  ])('is %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each([
    ['unspecified', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['private', '10.0.0.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['carrier-grade NAT', '100.127.255.255'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['cloud metadata', '169.254.169.254'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['protocol assignment', '192.0.0.1'],
    ['documentation', '192.0.2.1'],
    ['private', '192.168.1.1'],
    ['benchmark', '198.19.255.255'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['loopback, written out', '0:0:0:0:0:0:0:1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['public with a zone', '2606:4700::1%eth0'],
    ['site-local', 'fec0::1'],
    ['unique-local', 'fc00::1'],
    ['unique-local', 'fdff::1'],
    ['multicast', 'ff02::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['6to4 of a private address', '2002:a00:1::1'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
    ['IPv4-mapped loopback, in hexadecimal', '::ffff:7f00:1'],
    ['IPv4-mapped private', '::ffff:c0a8:101'],
    ['IPv4-mapped metadata', '::ffff:169.254.169.254'],
    ['IPv4-translated', '::ffff:0:127.0.0.1'],
    ['NAT64 of loopback', '64:ff9b::7f00:1'],
    ['NAT64 of a private address', '64:ff9b::10.0.0.1'],
    ['local NAT64', '64:ff9b:1::1.1.1.1'],
    ['not assigned', '4000::1'],
    ['a name', 'localhost'],
    ['empty', ''],
  ])('is not %s: %s', (_, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it('is one whether the IPv4 address is plain, mapped or behind NAT64', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const expected = isPublicAddress(address);
        expect(isPublicAddress(`::ffff:${address}`)).toBe(expected);
        expect(isPublicAddress(`64:ff9b::${address}`)).toBe(expected);
      }),
    );
  });
});

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
