import { describe, expect, test } from '@jest/globals';
import { parseCommandLine } from '../../../src/cli/config/command-line.js';
import { ConfigError } from '../../../src/cli/config/config-values.js';
import { toConfig } from '../../../src/cli/config/config.js';
import { REGTEST_DAEMON, toRegtestConfig } from '../../../src/cli/regtest/regtest-options.js';
import { parseTcpEndpoint } from '../../../src/cli/config/daemon-addresses.js';

const VALID: readonly (readonly [text: string, host: string, port: number])[] = [
  ['tcp://127.0.0.1:18083', '127.0.0.1', 18083],
  ['TCP://localhost:1', 'localhost', 1],
  ['tcp://node.example.org:65535', 'node.example.org', 65535],
  ['tcp://monero_node-1:18083', 'monero_node-1', 18083],
  ['tcp://node.example.org.:18083', 'node.example.org.', 18083],
  ['tcp://[::1]:18083', '::1', 18083],
  ['tcp://[2001:DB8::7]:18083', '2001:DB8::7', 18083],
];

const INVALID: readonly (readonly [reason: string, text: string])[] = [
  ['no transport', '127.0.0.1:18083'],
  ['another transport', 'ipc:///tmp/x'],
  ['no port', 'tcp://127.0.0.1'],
  ['an empty port', 'tcp://127.0.0.1:'],
  ['a port above 65535', 'tcp://127.0.0.1:65536'],
  ['no host', 'tcp://:18083'],
  ['a wildcard', 'tcp://*:18083'],
  ['an IPv6 address without brackets', 'tcp://::1:18083'],
  ['brackets without an IPv6 address', 'tcp://[127.0.0.1]:18083'],
  ['empty brackets', 'tcp://[]:18083'],
  ['a malformed IPv6 address', 'tcp://[1::2::3]:18083'],
  ['a malformed IPv4 address', 'tcp://127.0.0.256:18083'],
  ['a login', 'tcp://user@host:18083'],
  ['a space', 'tcp://ho st:18083'],
  ['an empty label', 'tcp://a..b:18083'],
  ['a path', 'tcp://127.0.0.1:18083/'],
];

const daemonZmq = (text: string) => toConfig({ 'wallet-dir': 'w', 'daemon-zmq': text }, 4).daemon.zmq;
const zmqPub = (text: string) =>
  toRegtestConfig(parseCommandLine([`--zmq-pub=${text}`, '--confirm-external-bind'], '0', REGTEST_DAEMON))
    .publish;

describe('addresses of ZeroMQ sockets', () => {
  test.each(VALID)('%s is accepted by --daemon-zmq and --zmq-pub alike', (text, host, port) => {
    expect(parseTcpEndpoint(text)).toEqual({ host, port });
    expect(daemonZmq(text)).toEqual({ host, port });
    expect(zmqPub(text)).toEqual({ ip: host, port });
  });

  test.each(INVALID)('%s is refused by --daemon-zmq and --zmq-pub alike: %s', (_, text) => {
    expect(parseTcpEndpoint(text)).toBeUndefined();
    expect(() => daemonZmq(text)).toThrow(ConfigError);
    expect(() => zmqPub(text)).toThrow(ConfigError);
  });

  test('port 0 is a port to listen on, not one to connect to', () => {
    expect(zmqPub('tcp://127.0.0.1:0')).toEqual({ ip: '127.0.0.1', port: 0 });
    expect(() => daemonZmq('tcp://127.0.0.1:0')).toThrow(ConfigError);
  });
});

describe('a quorum', () => {
  const refusalOf = (quorum: string, ...addresses: readonly string[]): string | undefined => {
    try {
      toConfig(
        {
          'wallet-dir': 'w',
          'daemon-address': addresses,
          ...(quorum === '' ? {} : { 'daemon-quorum': quorum }),
        },
        4,
      );
    } catch (error) {
      if (error instanceof ConfigError) return error.message;
      throw error;
    }
    return undefined;
  };

  test.each([
    ['node.example:18081', 'node.example.:18081'],
    ['http://node.example:18081', 'https://Node.example.:18081'],
    ['[2001:db8::7]:18081', '[2001:DB8:0::7]:18081'],
    ['[::ffff:a00:5]:18081', '10.0.0.5:18081'],
    ['b\u00fccher.example:18081', 'xn--bcher-kva.example:18081'],
  ])(
    'is refused with one address in two spellings, %s and %s, which a server without it accepts',
    (one, other) => {
      expect(refusalOf('2', one, 'other.example:18081', other)).toBe(
        `--daemon-quorum needs different nodes: ${one} and ${other} are one address`,
      );
      expect(refusalOf('', one, other)).toBeUndefined();
    },
  );

  test('is accepted with as many addresses, and refused with fewer', () => {
    expect(refusalOf('2', 'a.example:1', 'b.example:1')).toBeUndefined();
    expect(refusalOf('2', 'a.example:1', 'a.example:2')).toBeUndefined();
    expect(refusalOf('3', 'a.example:1', 'b.example:1')).toMatch(/^--daemon-quorum 3 needs as many/);
  });

  test('is refused with one address in another case, as without it', () => {
    expect(refusalOf('2', 'LOCALHOST:1', 'localhost:1')).toBe('--daemon-address names localhost:1 twice');
  });
});
