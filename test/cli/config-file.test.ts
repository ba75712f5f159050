import { describe, expect, it, test } from '@jest/globals';
import { parseConfigFile, readSetting } from '../../src/cli/config-file.js';
import { ConfigError } from '../../src/cli/options.js';

describe('the config file', () => {
  it('holds name=value lines, comments and empty lines', () => {
    expect(
      parseConfigFile('# ours\n\nwallet-dir=/var/lib/wallets\r\n  rpc-login = alice:p=w \noffline\n  # end'),
    ).toEqual({ 'wallet-dir': '/var/lib/wallets', 'rpc-login': 'alice:p=w', offline: true });
  });

  test.each(['offline', 'offline=', 'offline=1', 'offline=true', 'offline = yes'])(
    'reads %p as on',
    (line) => {
      expect(parseConfigFile(line)).toEqual({ offline: true });
    },
  );

  test.each(['offline=0', 'offline=false', 'offline=no'])('reads %p as off', (line) => {
    expect(parseConfigFile(line)).toEqual({ offline: false });
  });

  it('is empty when the file is', () => {
    expect(parseConfigFile('')).toEqual({});
  });

  test.each([
    ['an unknown name', 'wallet-dirr=x', "config file, line 1: unknown setting 'wallet-dirr'"],
    ['dashes before the name', '--offline=1', "config file, line 1: unknown setting '--offline'"],
    ['a switch with another value', 'offline=maybe', 'config file, line 1: offline is a switch: 1 or 0'],
    ['a name twice', 'rpc-login=a:b\n#\nrpc-login=c:d', 'config file, line 3: rpc-login is given twice'],
    ['a switch twice', 'offline=0\noffline=1', 'config file, line 2: offline is given twice'],
    ['capitals in a name', 'OFFLINE=1', 'config file, line 1: not of the form name=value'],
    ['a name of every object', 'constructor=1', "config file, line 1: unknown setting 'constructor'"],
  ])('refuses %s', (_, text, message) => {
    expect(() => parseConfigFile(text)).toThrow(new ConfigError(message));
  });

  test.each(['hunter2', 'correct horse battery staple', 'rpc-logn:alice:hunter2', 'offline=hunter2'])(
    'does not quote a malformed line, which may be a secret: %p',
    (text) => {
      expect(() => parseConfigFile(text)).toThrow(ConfigError);
      expect(() => parseConfigFile(text)).not.toThrow(/hunter2|horse/);
    },
  );
});

describe('one setting', () => {
  it('keeps the text of an option as it is', () => {
    expect(readSetting('password', ' 0 ', 'here')).toBe(' 0 ');
  });

  it('names the location of an unknown setting', () => {
    expect(() => readSetting('nope', '1', 'here')).toThrow(new ConfigError("here: unknown setting 'nope'"));
  });
});
