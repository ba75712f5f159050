import { describe, expect, it, test } from '@jest/globals';
import { parseCommandLine } from '../../../src/cli/config/command-line.js';
import { ConfigError } from '../../../src/cli/config/config-values.js';
import { environmentName, misspeltVariables, OPTIONS } from '../../../src/cli/config/options.js';

const parse = (...argv: string[]) => parseCommandLine(argv, '0.0.0');

describe('the list of flags', () => {
  it('names each once', () => {
    const names = OPTIONS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('gives each a distinct environment variable', () => {
    const names = OPTIONS.map(({ name }) => environmentName(name));
    expect(new Set(names).size).toBe(names.length);
    expect(environmentName('rpc-ssl-ca-certificates')).toBe('WALLET_RPC_RPC_SSL_CA_CERTIFICATES');
  });

  it('has no default for a switch', () => {
    expect(OPTIONS.filter((option) => option.argument === undefined && option.default !== undefined)).toEqual(
      [],
    );
  });

  it('marks every flag that carries a secret', () => {
    expect(OPTIONS.filter(({ secret }) => secret).map(({ name }) => name)).toEqual([
      'password',
      'rpc-login',
      'cluster',
      'daemon-login',
    ]);
  });
});

describe('an environment variable', () => {
  it('that is like the one of a flag is named with it, and no other', () => {
    const environment = {
      ...{ WALLET_RPC_RPC_LOGN: 'a:b', WALLET_RPC_RPC_LOGIN: 'a:b', OTHER_RPC_LOGN: 'a:b' },
      // Container managers set these for a service that is called wallet-rpc.
      ...{ WALLET_RPC_SERVICE_HOST: '10.0.0.1', WALLET_RPC_PORT: 'tcp://10.0.0.1:18083' },
      WALLET_RPC_PORT_18083_TCP_ADDR: '10.0.0.1',
    };
    expect(misspeltVariables(environment)).toEqual([
      'WALLET_RPC_RPC_LOGN has no effect, did you mean WALLET_RPC_RPC_LOGIN?',
    ]);
  });
});

describe('the command line', () => {
  it('yields only the flags given, without defaults', () => {
    expect(parse()).toEqual({});
  });

  test.each(OPTIONS.map(({ name, argument, repeatable }) => ({ name, argument, repeatable })))(
    'reads --$name',
    ({ name, argument, repeatable }) => {
      if (repeatable) expect(parse(`--${name}=a=b`, `--${name}`, 'x y')).toEqual({ [name]: ['a=b', 'x y'] });
      else if (argument === undefined) expect(parse(`--${name}`)).toEqual({ [name]: true });
      else {
        expect(parse(`--${name}=a=b`)).toEqual({ [name]: 'a=b' });
        expect(parse(`--${name}`, 'x y')).toEqual({ [name]: 'x y' });
      }
    },
  );

  test.each(
    OPTIONS.filter(({ argument, repeatable }) => argument !== undefined && !repeatable).map(
      ({ name }) => name,
    ),
  )('refuses --%s twice, without its values', (name) => {
    expect(() => parse(`--${name}=hunter2`, `--${name}=hunter3`)).toThrow(
      new ConfigError(`--${name} is given twice`),
    );
  });

  it('accepts an empty value', () => {
    expect(parse('--password=')).toEqual({ password: '' });
    expect(parse('--password', '')).toEqual({ password: '' });
  });

  it('accepts a repeated switch', () => {
    expect(parse('--offline', '--offline')).toEqual({ offline: true });
  });
});
