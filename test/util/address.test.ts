import { describe, expect, test } from '@jest/globals';
import { isLoopback, isSafeTransport } from '../../src/util/address.js';

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
