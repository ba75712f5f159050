import { describe, expect, it, test } from '@jest/globals';
import { categoriesOf, changeCategories, readLogLevel, severityOf } from '../../src/util/log-categories.js';

describe('a text of log categories', () => {
  test.each([
    ['', '', ''],
    ['*:INFO', '', ''],
    ['*:INFO', 'wallet:DEBUG', 'wallet:DEBUG'],
    ['*:INFO', '2', '*:DEBUG'],
    ['*:INFO', '+4', '*:TRACE'],
    ['*:INFO', '7', '*:INFO'],
    ['*:INFO', '-1', '*:INFO'],
    ['*:INFO', '2,net:ERROR', '*:DEBUG,net:ERROR'],
    ['*:INFO', '9,net:ERROR', ',net:ERROR'],
    ['*:INFO', '+net:ERROR', '*:INFO,net:ERROR'],
    ['', '+net:ERROR', 'net:ERROR'],
    ['*:INFO', '+', '*:INFO'],
    ['*:INFO,net:ERROR,p2p:INFO', '-net:ERROR', '*:INFO,,p2p:INFO'],
    ['*:INFO,net:ERROR', '-net:ERROR,*:INFO', ','],
    ['*:INFO', '-nothing', '*:INFO'],
    ['*:INFO', '2x', '2x'],
  ])('%j, asked for %j, becomes %j', (current, asked, expected) => {
    expect(changeCategories(current, asked)).toBe(expected);
  });

  test.each([
    [categoriesOf(0), 'INFO'],
    [categoriesOf(1), 'INFO'],
    [categoriesOf(2), 'DEBUG'],
    [categoriesOf(3), 'TRACE'],
    [categoriesOf(4), 'TRACE'],
    ['', undefined],
    ['net:TRACE', undefined],
    ['*:WARNING', 'WARNING'],
    ['*:INFO,*:FATAL', 'FATAL'],
    ['*:WARNING,wallet.*:DEBUG', 'DEBUG'],
    ['wallet.rp?:ERROR', 'ERROR'],
    ['*:LOUD', undefined],
    ['nonsense', undefined],
  ] as const)('%j logs %s', (categories, expected) => {
    expect(severityOf(categories)).toBe(expected);
  });

  it('of nothing but wildcards is matched in no time', () => {
    expect(severityOf(`${'*'.repeat(5000)}x:INFO`)).toBeUndefined();
  });
});

describe('the option --log-level', () => {
  it.each([
    ['0', categoriesOf(0)],
    ['4', '*:TRACE'],
    ['2,net:FATAL', '*:DEBUG,net:FATAL'],
    ['0,wallet.rpc:1', `${categoriesOf(0)},wallet.rpc:1`],
    ['*:WARNING,wallet.rpc:DEBUG', '*:WARNING,wallet.rpc:DEBUG'],
  ])('%p is a level, categories, or both', (asked, categories) => {
    expect(readLogLevel(asked)).toBe(categories);
  });

  it.each(['', '5', '-1', 'high', '0,', '0,wallet.rpc', ':DEBUG', 'a:b,,c:d', `0,${'a:b,'.repeat(5000)}a:b`])(
    '%p is neither',
    (asked) => {
      expect(readLogLevel(asked)).toBeUndefined();
    },
  );
});
