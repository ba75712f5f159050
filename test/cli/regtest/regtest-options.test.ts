import { describe, expect, it, test } from '@jest/globals';
import { parseCommandLine } from '../../../src/cli/config/command-line.js';
import { ConfigError } from '../../../src/cli/config/config-values.js';
import {
  REGTEST_DAEMON,
  REGTEST_OPTIONS,
  toRegtestConfig,
} from '../../../src/cli/regtest/regtest-options.js';

const configOf = (...argv: readonly string[]) =>
  toRegtestConfig(parseCommandLine([...argv], '0.0.0', REGTEST_DAEMON));

/** Command line by which the reference's functional tests start their daemons. */
const FUNCTIONAL = [
  '--regtest',
  '--fixed-difficulty=10',
  '--p2p-bind-port=18280',
  '--rpc-bind-port=18180',
  '--zmq-rpc-bind-port=18380',
  '--zmq-pub=tcp://127.0.0.1:18480',
  '--non-interactive',
  '--disable-dns-checkpoints',
  '--check-updates=disabled',
  '--rpc-ssl=disabled',
  '--data-dir=somewhere',
  '--log-level=1',
  '--rpc-max-connections-per-private-ip=100',
  '--rpc-max-connections=100',
  '--add-exclusive-node=127.0.0.1:18283',
  '--rpc-login=md5_lover:Z1ON0101',
  '--offline',
];

describe('the flags of the regtest daemon', () => {
  it('are unique', () => {
    const names = REGTEST_OPTIONS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('include those that the functional tests of the reference pass, and list those without effect', () => {
    const config = configOf(...FUNCTIONAL);
    expect(config).toMatchObject({
      fixedDifficulty: 10n,
      dataDir: 'somewhere',
      bind: [{ ip: '127.0.0.1', port: 18180, restricted: false }],
      publish: { ip: '127.0.0.1', port: 18480 },
      login: { user: 'md5_lover', password: 'Z1ON0101' },
      maxConnections: 100,
    });
    expect([...config.withoutEffect].sort()).toEqual([
      'add-exclusive-node',
      'check-updates',
      'disable-dns-checkpoints',
      'non-interactive',
      'p2p-bind-port',
      'rpc-max-connections-per-private-ip',
      'rpc-ssl',
      'zmq-rpc-bind-port',
    ]);
  });

  test.each(REGTEST_OPTIONS.filter(({ noEffect }) => noEffect))(
    '--$name is accepted, and listed as without effect',
    ({ name, argument }) => {
      const flag = argument === undefined ? `--${name}` : `--${name}=1`;
      const { withoutEffect, ...rest } = configOf(flag);
      expect(withoutEffect).toEqual([name]);
      expect(rest).toEqual({ ...configOf(), withoutEffect: undefined });
    },
  );

  test.each([
    ['20', { from: 20, only: 30 }],
    ['20,25', { from: 20, only: 25 }],
    ['2,3', { from: 2, only: 3 }],
  ])('--fork-height=%s names the heights of the next fork', (given, heights) => {
    expect(configOf(`--fork-height=${given}`).fork).toEqual(heights);
    expect(configOf()).not.toHaveProperty('fork');
  });

  test.each(['1', '20,20', '20,19', 'soon', '20,25,30', '-20'])('--fork-height=%s is refused', (given) => {
    expect(() => configOf(`--fork-height=${given}`)).toThrow('--fork-height: one or two ascending heights');
  });

  it('have defaults', () => {
    expect(configOf()).toMatchObject({
      fixedDifficulty: 1n,
      blockTimeMs: 1000,
      bind: [{ ip: '127.0.0.1', port: 18081, restricted: false }],
      withoutEffect: [],
    });
    expect(configOf()).not.toHaveProperty('dataDir');
    expect(configOf()).not.toHaveProperty('misbehave');
  });

  it('open a second port, in restricted mode', () => {
    expect(configOf('--rpc-restricted-bind-port=18089').bind).toEqual([
      { ip: '127.0.0.1', port: 18081, restricted: false },
      { ip: '127.0.0.1', port: 18089, restricted: true },
    ]);
    expect(configOf('--restricted-rpc').bind[0]?.restricted).toBe(true);
  });

  test.each([
    ['no difficulty', ['--fixed-difficulty=0']],
    ['a difficulty beyond 64 bits', ['--fixed-difficulty=18446744073709551616']],
    ['a port beyond 65535', ['--rpc-bind-port=65536']],
    ['a port that is no whole number', ['--rpc-bind-port=1.5']],
    ['an external address', ['--rpc-bind-ip=0.0.0.0']],
    ['an external restricted address', ['--rpc-restricted-bind-port=1', '--rpc-restricted-bind-ip=1.2.3.4']],
    ['an external address of the publisher', ['--zmq-pub=tcp://0.0.0.0:5']],
    ['another transport of the publisher', ['--zmq-pub=ipc:///x']],
    ['a login without a password', ['--rpc-login=alice']],
    ['an unknown log level', ['--log-level=5']],
    ['an unknown fault', ['--misbehave=lie=1']],
    ['a lie that needs an address', ['--misbehave=swapped-payment=1']],
  ])('refuse %s', (_, argv) => {
    expect(() => configOf(...argv)).toThrow(ConfigError);
  });

  it('allow an external address with --confirm-external-bind', () => {
    expect(configOf('--rpc-bind-ip=0.0.0.0', '--confirm-external-bind').bind[0]?.ip).toBe('0.0.0.0');
  });
});
