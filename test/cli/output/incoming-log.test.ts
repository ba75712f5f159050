import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pino, type Logger } from 'pino';
import { IncomingLog } from '../../../src/cli/output/incoming-log.js';
import type { Hash } from '../../../src/monero/crypto/types.js';

/** Lines without their time. */
let lines: Record<string, unknown>[];
let logger: Logger;
let log: IncomingLog;

const hashes = (count: number): Hash[] =>
  Array.from({ length: count }, (_, i) => new Uint8Array(32).fill(i) as Hash);
const textOf = (i: number): string => i.toString(16).padStart(2, '0').repeat(32);

beforeEach(() => {
  jest.useFakeTimers();
  lines = [];
  const write = (line: string): void => {
    const { time: _, ...fields } = JSON.parse(line) as Record<string, unknown>;
    lines.push(fields);
  };
  logger = pino({ base: null }, { write });
  log = new IncomingLog(logger);
});

afterEach(() => void jest.useRealTimers());

describe('incoming transactions', () => {
  it('are logged with their hashes if they are few', () => {
    log.note('a', hashes(1));
    log.note('b', hashes(10));
    expect(lines).toEqual([
      { level: 30, name: 'a', txid: textOf(0), msg: 'incoming transaction' },
      {
        level: 30,
        name: 'b',
        txids: Array.from({ length: 10 }, (_, i) => textOf(i)),
        msg: 'incoming transactions',
      },
    ]);
  });

  it('are counted for a second if they are many', () => {
    log.note('a', hashes(11));
    log.note('b', hashes(50));
    log.note('a', hashes(32));
    jest.advanceTimersByTime(999);
    expect(lines).toEqual([]);
    jest.advanceTimersByTime(1);
    log.note('a', hashes(12));
    jest.advanceTimersByTime(1000);
    expect(lines).toEqual([
      { level: 30, name: 'a', count: 43, msg: 'incoming transactions' },
      { level: 30, name: 'b', count: 50, msg: 'incoming transactions' },
      { level: 30, name: 'a', count: 12, msg: 'incoming transactions' },
    ]);
  });

  it('are counted once a wallet has logged ten hashes in a second', () => {
    log.note('a', hashes(6));
    log.note('b', hashes(10));
    log.note('a', hashes(4));
    log.note('a', hashes(4));
    log.note('b', hashes(1));
    log.note('b', []);
    expect(lines.map(({ name, txids }) => [name, (txids as string[]).length])).toEqual([
      ['a', 6],
      ['b', 10],
      ['a', 4],
    ]);
    jest.advanceTimersByTime(1000);
    expect(lines.slice(3)).toEqual([
      { level: 30, name: 'a', count: 4, msg: 'incoming transactions' },
      { level: 30, name: 'b', count: 1, msg: 'incoming transactions' },
    ]);
    log.note('a', hashes(1));
    jest.advanceTimersByTime(1000);
    expect(lines.slice(5)).toEqual([{ level: 30, name: 'a', txid: textOf(0), msg: 'incoming transaction' }]);
  });

  it('are logged at once when a wallet is closed', () => {
    log.note('a', hashes(11));
    log.flush();
    jest.advanceTimersByTime(5000);
    expect(lines).toEqual([{ level: 30, name: 'a', count: 11, msg: 'incoming transactions' }]);
  });

  it('have their hashes at level debug, a hundred in a line', () => {
    logger.level = 'debug';
    log.note('a', hashes(150));
    const texts = Array.from({ length: 150 }, (_, i) => textOf(i));
    expect(lines.map(({ level, txids }) => [level, txids])).toEqual([
      [20, texts.slice(0, 100)],
      [20, texts.slice(100)],
    ]);
  });
});
