import { describe, expect, it, test } from '@jest/globals';
import { pino } from 'pino';
import { LogControl, pinoLevel } from '../../../src/services/manager/log-control.js';
import { MAX_CATEGORIES } from '../../../src/util/log-categories.js';
import { fault } from '../../support/wallets/service-wallet.js';

function control(categories = '*:WARNING') {
  const log = pino({ level: pinoLevel(categories) });
  return { log, control: new LogControl(log, categories) };
}

describe('the level of the log', () => {
  test.each([
    ['*:FATAL', 'fatal'],
    ['*:ERROR', 'error'],
    ['*:WARNING', 'warn'],
    ['*:INFO', 'info'],
    ['*:DEBUG', 'debug'],
    ['*:TRACE', 'trace'],
    ['', 'silent'],
    ['net:TRACE', 'silent'],
    ['*:FATAL,wallet.rpc:DEBUG', 'debug'],
  ])('of the categories %j is %s', (categories, level) => {
    expect(pinoLevel(categories)).toBe(level);
  });

  // At level 0 the reference logs its category `global`, one of ours, as INFO.
  test.each([
    [0, 'info'],
    [1, 'info'],
    [2, 'debug'],
    [3, 'trace'],
    [4, 'trace'],
  ])('%i logs as %s from then on', (level, name) => {
    const { log, control: changed } = control('*:FATAL');
    changed.setLevel(level);
    expect(log.level).toBe(name);
  });

  test.each([-1, 5, 4_294_967_295])('%i is refused, and the log stays as it is', (level) => {
    const { log, control: changed } = control();
    expect(() => changed.setLevel(level)).toThrow(fault({ kind: 'bad_log_level', level }));
    expect(log.level).toBe('warn');
  });
});

describe('the categories of the log', () => {
  it('replace the earlier ones, and are the answer', () => {
    const { log, control: changed } = control();
    expect(changed.setCategories('*:DEBUG')).toBe('*:DEBUG');
    expect(log.level).toBe('debug');
  });

  it('are added with + and removed with -, each change on top of the one before', () => {
    const { log, control: changed } = control('*:WARNING');
    expect(changed.setCategories('+global:TRACE')).toBe('*:WARNING,global:TRACE');
    expect(log.level).toBe('trace');
    expect(changed.setCategories('-global:TRACE')).toBe('*:WARNING,');
    expect(log.level).toBe('warn');
  });

  it('follow a level that was set before', () => {
    const { control: changed } = control();
    changed.setLevel(2);
    expect(changed.setCategories('+net:FATAL')).toBe('*:DEBUG,net:FATAL');
  });

  it('may all be removed: nothing is logged then', () => {
    const { log, control: changed } = control();
    expect(changed.setCategories('')).toBe('');
    expect(log.level).toBe('silent');
  });

  it('are refused above a length that no list needs, and the earlier ones stay', () => {
    const { log, control: changed } = control();
    expect(() => changed.setCategories(`+${'x'.repeat(MAX_CATEGORIES)}`)).toThrow(
      fault(expect.objectContaining({ kind: 'invalid' })),
    );
    expect(log.level).toBe('warn');
    expect(changed.setCategories('+a:INFO')).toBe('*:WARNING,a:INFO');
    expect(changed.setCategories('x'.repeat(MAX_CATEGORIES))).toHaveLength(MAX_CATEGORIES);
  });
});
