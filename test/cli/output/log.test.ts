import { describe, expect, it, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, humanLine } from '../../../src/cli/output/log.js';
import { categoriesOf } from '../../../src/util/log-categories.js';
import { ConfigError } from '../../../src/cli/config/config-values.js';
import { Secret } from '../../../src/util/secret.js';
import { inTrace, readTraceparent } from '../../../src/util/trace.js';

const TIME = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
const line = (fields: Readonly<Record<string, unknown>>): string =>
  humanLine(JSON.stringify({ level: 30, time: TIME, msg: 'wallet refreshed', ...fields }));

describe('a text line', () => {
  it('has time, level and message', () => {
    expect(line({})).toBe('2026-01-02 03:04:05.006 I wallet refreshed\n');
  });

  it('puts the fields behind the message', () => {
    expect(line({ height: 17, name: 'shop', list: [1, 2] })).toBe(
      '2026-01-02 03:04:05.006 I wallet refreshed height=17 name=shop list=[1,2]\n',
    );
  });

  test.each([
    [10, 'T'],
    [20, 'D'],
    [30, 'I'],
    [40, 'W'],
    [50, 'E'],
    [60, 'F'],
    [35, '?'],
  ])('writes level %d as %s', (level, letter) => {
    expect(line({ level })).toBe(`2026-01-02 03:04:05.006 ${letter} wallet refreshed\n`);
  });

  it('indents the stack of an error below', () => {
    expect(line({ err: { message: 'x', stack: 'Error: x\n    at y' } })).toBe(
      '2026-01-02 03:04:05.006 I wallet refreshed\n  Error: x\n      at y\n',
    );
  });

  it('may lack a message', () => {
    expect(line({ msg: undefined, a: 1 })).toBe('2026-01-02 03:04:05.006 I  a=1\n');
  });

  it('escapes what changes the direction of text, in names and values of fields too', () => {
    expect(line({ 'a\u202eb': 'c\u2066d', list: ['\u061c'] })).toBe(
      '2026-01-02 03:04:05.006 I wallet refreshed a\\u202eb=c\\u2066d list=["\\u061c"]\n',
    );
  });

  test.each([
    ['a phrase', { msg: 'x\n2026-01-02 03:04:05.006 I forged' }],
    ['a field', { name: 'x\r\n2026-01-02 03:04:05.006 I forged' }],
    ['a stack', { err: { stack: 'Error: x\n2026-01-02 03:04:05.006 I forged' } }],
  ])('cannot be forged by %s', (_, fields) => {
    expect(line(fields).match(/^2026/gm)).toHaveLength(1);
  });

  it('contains no terminal control characters', () => {
    expect(line({ name: '\u001b[2J\u009b2J\u0007' })).toBe(
      '2026-01-02 03:04:05.006 I wallet refreshed name=\\u001b[2J\\u009b2J\\u0007\n',
    );
  });
});

describe('the log file', () => {
  const inDirectory = (use: (directory: string) => void): void => {
    const directory = mkdtempSync(join(tmpdir(), 'log-'));
    try {
      use(directory);
    } finally {
      rmSync(directory, { recursive: true });
    }
  };

  it('is appended to as JSON lines, and its directory is created', () => {
    inDirectory((directory) => {
      const file = join(directory, 'deep', 'wallet.log');
      createLogger(categoriesOf(0), file).log.info({ height: 3 }, 'first');
      createLogger(categoriesOf(0), file).log.info('second');
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
      expect(lines.map((text) => JSON.parse(text) as unknown)).toEqual([
        { level: 30, time: expect.any(Number), height: 3, msg: 'first' },
        { level: 30, time: expect.any(Number), msg: 'second' },
      ]);
    });
  });

  test.each([
    [0, ['info']],
    [1, ['info']],
    [2, ['info', 'debug']],
    [3, ['info', 'debug', 'trace']],
    [4, ['info', 'debug', 'trace']],
  ])('holds at level %d: %p', (level, expected) => {
    inDirectory((directory) => {
      const file = join(directory, 'wallet.log');
      const { log } = createLogger(categoriesOf(level), file);
      for (const name of ['info', 'debug', 'trace'] as const) log[name](name);
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
      expect(lines.map((text) => (JSON.parse(text) as { msg: string }).msg)).toEqual(expected);
    });
  });

  it('does not contain a secret that is passed as a field', () => {
    inDirectory((directory) => {
      const file = join(directory, 'wallet.log');
      createLogger(categoriesOf(0), file).log.info({ password: new Secret(Buffer.from('hunter2')) }, 'oops');
      expect(readFileSync(file, 'utf8')).toContain('"password":"[secret]"');
    });
  });

  it('that cannot be written is a configuration error', () => {
    inDirectory((directory) => {
      writeFileSync(join(directory, 'plain'), '');
      for (const path of [directory, join(directory, 'plain', 'wallet.log')]) {
        expect(() => createLogger(categoriesOf(0), path)).toThrow(ConfigError);
        expect(() => createLogger(categoriesOf(0), path)).toThrow(`--log-file: ${path} cannot be written`);
      }
    });
  });
});

it('names the trace of the call that writes a line, and no other', async () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const directory = mkdtempSync(join(tmpdir(), 'log-trace-'));
  try {
    const file = join(directory, 'server.log');
    const { log } = createLogger('*:INFO', file, () => undefined);
    const child = log.child({ name: 'shop' });
    await inTrace(readTraceparent(traceparent), async () => {
      await Promise.resolve();
      child.info('within');
    });
    log.info('after');
    const lines = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string; traceparent?: string });
    expect(lines.map((line) => [line.msg, line.traceparent])).toEqual([
      ['within', traceparent],
      ['after', undefined],
    ]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
