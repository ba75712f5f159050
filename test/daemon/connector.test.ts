import { describe, expect, test } from '@jest/globals';
import { parseEndpoint } from '../../src/daemon/connector.js';
import { DaemonError } from '../../src/daemon/errors.js';

describe('the address of a daemon', () => {
  test.each([
    ['node.example', 'node.example', 38081],
    ['node.example:5', 'node.example', 5],
    ['placeholder', 'placeholder', 38081],
    ['http://node.example', 'node.example', 80],
    ['https://node.example/', 'node.example', 443],
    ['https://node.example:18081/json_rpc', 'node.example', 18081],
    ['[::1]', '::1', 38081],
    ['[::1]:7', '::1', 7],
  ])('%p has its own port, that of its scheme, or the default', (address, host, port) => {
    expect(parseEndpoint(address, 38081)).toEqual({ host, port, secure: address.startsWith('https') });
  });

  test.each(['node.example', 'http://node.example', '[::1]'])(
    '%p needs a port if there is no default',
    (address) => {
      expect(() => parseEndpoint(address)).toThrow(DaemonError);
    },
  );

  test.each(['', ':1', 'a:65536', 'a:x', 'a:1:2', 'a b', 'user:secret@a:1', 'ftp://a:1', '[x]:1', 'http://'])(
    '%p is none',
    (address) => {
      expect(() => parseEndpoint(address, 1)).toThrow(DaemonError);
    },
  );
});
