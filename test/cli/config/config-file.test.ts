import { describe, expect, it, test } from '@jest/globals';
import { parseConfigFile, readSetting } from '../../../src/cli/config/config-file.js';
import { ConfigError } from '../../../src/cli/config/config-values.js';

describe('the config file', () => {
  it('holds name=value lines, comments and empty lines', () => {
    expect(
      parseConfigFile('# ours\n\nwallet-dir=/var/lib/wallets\r\n  rpc-login = alice:p=w \noffline=\n  # end'),
    ).toEqual({ 'wallet-dir': '/var/lib/wallets', 'rpc-login': 'alice:p=w', offline: true });
  });

  test.each([
    ['rpc-login = user:pass # shop', { 'rpc-login': 'user:pass' }],
    ['rpc-login=user:pa#ss', { 'rpc-login': 'user:pa' }],
    ['rpc-login=#user:pass', { 'rpc-login': '' }],
    ['offline=1 # no network', { offline: true }],
    ['offline=#1', { offline: true }],
    ['log-level=1 # a # b', { 'log-level': '1' }],
    ['#log-level=1', {}],
    ['[wallet] # a section', {}],
    ['open=a#1\nopen=b # 2', { open: ['a', 'b'] }],
  ])('takes everything from the first # of a line for a comment: %j', (line, settings) => {
    expect(parseConfigFile(line)).toEqual(settings);
  });

  test.each([
    ['log-level="1 2"', '"1 2"'],
    ["log-level='1'", "'1'"],
    ['log-level=a\\', 'a\\'],
    ['log-level=a;b', 'a;b'],
    ['log-level=a=b', 'a=b'],
    ['log-level = \t a b \t ', 'a b'],
    ['log-level=\u00a0a\u00a0', '\u00a0a\u00a0'],
    ['log-level=\va', '\va'],
    ['log-level=', ''],
  ])('keeps quotes, backslashes and all white space but spaces, tabs and line ends: %j', (line, value) => {
    expect(parseConfigFile(line)).toEqual({ 'log-level': value });
  });

  test.each([
    'offline=',
    'offline=1',
    'offline=true',
    'offline = yes',
    'offline=on',
    'offline=ON',
    'offline=True',
  ])('reads %p as on', (line) => {
    expect(parseConfigFile(line)).toEqual({ offline: true });
  });

  test.each(['offline=0', 'offline=false', 'offline=no', 'offline=off', 'offline=No'])(
    'reads %p as off',
    (line) => {
      expect(parseConfigFile(line)).toEqual({ offline: false });
    },
  );

  it('is read in linear time', () => {
    // A time that grows with the square of the length would be hours.
    const blanks = '\t \r'.repeat(1 << 19);
    expect(parseConfigFile(`wallet-dir=${blanks}a${blanks}b${blanks}`)).toEqual({
      'wallet-dir': `a${blanks}b`,
    });
  });

  it('is empty when the file is', () => {
    expect(parseConfigFile('')).toEqual({});
  });

  test.each([
    [
      'an unknown name',
      'wallet-dirr=x',
      "config file, line 1: unknown setting 'wallet-dirr', did you mean wallet-dir?",
    ],
    [
      'dashes before the name',
      '--offline=1',
      "config file, line 1: unknown setting '--offline', did you mean offline?",
    ],
    ['a switch with another value', 'offline=maybe', 'config file, line 1: offline is a switch: 1 or 0'],
    ['a name twice', 'rpc-login=a:b\n#\nrpc-login=c:d', 'config file, line 3: rpc-login is given twice'],
    ['a switch twice', 'offline=0\noffline=1', 'config file, line 2: offline is given twice'],
    [
      'capitals in a name',
      'OFFLINE=1',
      "config file, line 1: unknown setting 'OFFLINE', did you mean offline?",
    ],
    ['a name of every object', 'constructor=1', "config file, line 1: unknown setting 'constructor'"],
    ['a name in a section', '[shop]\noffline=1', "config file, line 2: unknown setting 'shop.offline'"],
    ['a switch without =', 'offline', 'config file, line 1: not of the form name=value'],
    ['an empty name', '=x', 'config file, line 1: unknown setting'],
    ['bytes that are not UTF-8', '# \ufffd\nrpc-login=a:\ufffd', 'config file, line 2: not UTF-8'],
    ['a byte order mark', '\ufeffoffline=1', 'config file, line 1: unknown setting'],
  ])('refuses %s', (_, text, message) => {
    expect(() => parseConfigFile(text)).toThrow(new ConfigError(message));
  });

  test.each([
    'hunter2',
    'correct horse battery staple',
    'rpc-logn:alice:hunter2',
    'offline=hunter2',
    'hunter2+/==',
    'rpc-login hunter2=x',
    '[hunter2 +]\noffline=1',
  ])('does not quote a malformed line, which may be a secret: %p', (text) => {
    expect(() => parseConfigFile(text)).toThrow(ConfigError);
    expect(() => parseConfigFile(text)).not.toThrow(/hunter2|horse/);
  });
});

describe('one setting', () => {
  it('keeps the text of an option as it is', () => {
    expect(readSetting('password', ' 0 ', 'here')).toBe(' 0 ');
  });

  it('names the location of an unknown setting', () => {
    expect(() => readSetting('nope', '1', 'here')).toThrow(new ConfigError("here: unknown setting 'nope'"));
  });
});
