import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ProgressLine, progressText, ProgressLog } from '../../../src/cli/output/progress.js';
import { StatusLine } from '../../../src/cli/output/log.js';
import { SyncProgress } from '../../../src/watch/sync-progress.js';
import { pino } from 'pino';

const CLEAR = '\r\u001b[K';

let written: string[];
let line: StatusLine;

beforeEach(() => {
  written = [];
  line = new StatusLine({ write: (text) => written.push(String(text)) > 0, columns: 40 });
});

describe('the last line of a terminal', () => {
  it('is erased before log lines, and written again after them', () => {
    line.print('one\n');
    line.show('busy');
    line.print('two\n');
    line.show('');
    line.print('three\n');
    expect(written).toEqual(['one\n', `${CLEAR}busy`, `${CLEAR}two\nbusy`, CLEAR, 'three\n']);
  });

  it('never wraps, and is not written again unchanged', () => {
    line.show('x'.repeat(100));
    line.show('x'.repeat(100));
    expect(written).toEqual([CLEAR + 'x'.repeat(39)]);
    new StatusLine({ write: (text) => written.push(String(text)) > 0, columns: 0 }).show('y'.repeat(100));
    expect(written.at(-1)).toBe(CLEAR + 'y'.repeat(79));
  });
});

describe('the progress on a terminal', () => {
  const sync = new SyncProgress();
  let waiting: number;
  let progress: ProgressLine;

  beforeEach(() => {
    jest.useFakeTimers();
    waiting = 0;
    line = new StatusLine({ write: (text) => written.push(String(text)) > 0, columns: 200 });
    progress = new ProgressLine({ line, sync, start: () => ({ waiting, unopened: [] }) });
  });

  afterEach(() => {
    progress.close();
    jest.useRealTimers();
  });

  const shown = (): string | undefined => {
    jest.advanceTimersByTime(500);
    return written.at(-1)?.replace(CLEAR, '');
  };

  it('names the wallets that are opened, the wallets that refresh, and the last of these', () => {
    waiting = 1200;
    expect(shown()).toBe('opening wallets: 1,200 to go');
    waiting = 0;
    sync.note('a', 999, 2_000, 1);
    sync.note('b', 1_999, 2_000, 1);
    expect(shown()).toBe('2 wallets refresh; a: 999 of 2,000 blocks, 49.9 %');
    sync.note('a', 2_000, 2_000, 1);
    sync.note('b', 2_000, 2_000, 1);
    expect(shown()).toBe('');
  });

  it('has the rate and the time left, and escapes the name of the wallet', () => {
    expect(
      progressText({ name: 'a\u001b[2J', height: 1, daemonHeight: 3, rate: 5120.4, secondsLeft: 540 }),
    ).toBe('a\\u001b[2J: 1 of 3 blocks, 33.3 %, 5,120 blocks/s, 9 min left');
  });

  it('is removed when the server stops', () => {
    sync.note('a', 1, 2, 1);
    shown();
    progress.close();
    expect(written.at(-1)).toBe(CLEAR);
    sync.forget('a');
  });
});

let lines: Record<string, unknown>[];
let log: ProgressLog;

describe('the progress of refreshes', () => {
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
