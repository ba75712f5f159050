import { describe, expect, test } from '@jest/globals';
import { canonicalHost, isLoopback, isSafeTransport } from '../../src/util/address.js';

describe('an address of this machine', () => {
  test.each([
    '127.0.0.1',
    '127.200.3.4',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '::ffff:127.9.9.9',
    '::ffff:7f00:1',
  ])('is %s', (ip) => expect(isLoopback(ip)).toBe(true));

  test.each([
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '128.0.0.1',
    '::2',
    '1::1',
    '::ffff:10.0.0.1',
    'localhost',
    '127.0.0.1.example',
    '127.1',
    '',
  ])('is not "%s"', (ip) => expect(isLoopback(ip)).toBe(false));
});

describe('a transport', () => {
  test.each([
    'https://a.example',
    'http://localhost:1',
    'http://127.0.0.2',
    'http://[::1]:80',
    'http://[::ffff:127.0.0.1]',
  ])('is safe with %s', (url) => expect(isSafeTransport(new URL(url))).toBe(true));

  test.each([
    'http://a.example',
    'http://10.0.0.1',
    'http://127.0.0.1.example',
    'http://0.0.0.0',
    'http://[::]',
  ])('is not safe with %s', (url) => expect(isSafeTransport(new URL(url))).toBe(false));
});

describe('the spellings of a host', () => {
  test.each([
    ['node.example', ['NODE.Example', 'node.example.', 'Node.Example.']],
    ['localhost', ['LOCALHOST', 'localhost.']],
    ['xn--bcher-kva.example', ['b\u00fccher.example', 'XN--BCHER-KVA.example']],
    ['10.0.0.5', ['::ffff:10.0.0.5', '::FFFF:a00:5', '0:0:0:0:0:ffff:10.0.0.5']],
    ['[2001:db8::7]', ['2001:DB8::7', '2001:db8:0:0:0:0:0:7', '2001:0db8::0007']],
    ['[fe80::1]', ['fe80::1%eth0']],
    ['[::1]', ['0:0:0:0:0:0:0:1']],
    ['monero_node-1', ['Monero_Node-1']],
  ])('%s are equal', (canonical, spellings) => {
    expect(spellings.map(canonicalHost)).toEqual(spellings.map(() => canonical));
    expect(canonicalHost(canonical.replace(/^\[(.*)\]$/, '$1'))).toBe(canonical);
  });

  test.each([
    ['node.example', 'node-example'],
    ['node.example', 'a.node.example'],
    ['10.0.0.5', '10.0.0.50'],
    ['2001:db8::7', '2001:db8::70'],
    ['localhost', '127.0.0.1'],
  ])('%s and %s differ', (one, other) => expect(canonicalHost(one)).not.toBe(canonicalHost(other)));

  test('that no address has is kept in lower case', () => expect(canonicalHost('A^B')).toBe('a^b'));
});
