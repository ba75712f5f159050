import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { ProgressLog } from '../../../src/cli/output/progress-log.js';

let lines: Record<string, unknown>[];
let log: ProgressLog;

beforeEach(() => {
  jest.useFakeTimers();
  lines = [];
  const write = (line: string): void => {
    const { name, height, of, wallets } = JSON.parse(line) as Record<string, unknown>;
    lines.push({ name, height, of, wallets });
  };
  log = new ProgressLog(pino({ base: null }, { write }));
});

afterEach(() => void jest.useRealTimers());

describe('the progress of refreshes', () => {
  it('is logged for each wallet at the tip, and below it once in five seconds', () => {
    log.progress('a', 10, 100);
    jest.advanceTimersByTime(4999);
    log.progress('a', 20, 100);
    log.progress('b', 20, 100);
    jest.advanceTimersByTime(1);
    log.progress('a', 30, 100);
    log.progress('a', 100, 100);
    log.forget('b');
    log.progress('b', 30, 100);
    expect(lines.map(({ name, height }) => [name, height])).toEqual([
      ['a', 10],
      ['b', 20],
      ['a', 30],
      ['a', 100],
      ['b', 30],
    ]);
  });

  it('is logged at the tip only beside a line of the terminal', () => {
    const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
    const tipOnly = new ProgressLog(pino({ base: null }, { write }), { tipOnly: true });
    tipOnly.progress('a', 10, 100);
    tipOnly.progress('a', 100, 100);
    expect(lines.map(({ height }) => height)).toEqual([100]);
  });

  it('has at most 50 lines in a second, and one with the number of the other wallets', () => {
    for (let i = 0; i < 1000; i++) log.progress(`w${i}`, 7, 7);
    expect(lines).toHaveLength(50);
    jest.advanceTimersByTime(1000);
    expect(lines.slice(50)).toEqual([{ wallets: 950 }]);
    log.progress('w3', 8, 8);
    jest.advanceTimersByTime(1000);
    expect(lines.slice(51)).toEqual([{ name: 'w3', height: 8, of: 8 }]);
  });
});
