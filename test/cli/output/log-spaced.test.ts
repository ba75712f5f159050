import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SpacedOutput } from '../../../src/cli/output/log.js';

const STAMP = '2026-01-02 03:04:05.006 I';
const BOUND = `${STAMP} Binding on 127.0.0.1 (IPv4):18083\n`;
const BOUND_IPV6 = `${STAMP} Binding on ::1 (IPv6):18083\n`;
const READY = `${STAMP} Starting wallet RPC server\n`;

let printed: string[];
let output: SpacedOutput;

beforeEach(() => {
  jest.useFakeTimers();
  printed = [];
  output = new SpacedOutput((lines) => printed.push(lines));
});

afterEach(() => {
  output.flush();
  jest.useRealTimers();
});

describe('lines of the log', () => {
  it('are written at once', () => {
    output.write(READY);
    expect(printed).toEqual([READY]);
  });

  it('follow a bound address after 100 ms, in order', () => {
    output.write(BOUND);
    output.write('one\n');
    output.write(READY);
    jest.advanceTimersByTime(99);
    expect(printed).toEqual([BOUND]);
    jest.advanceTimersByTime(1);
    expect(printed).toEqual([BOUND, 'one\n', READY]);
    output.write('two\n');
    expect(printed.at(-1)).toBe('two\n');
  });

  it('are held back after each of two addresses', () => {
    for (const line of [BOUND, BOUND_IPV6, READY]) output.write(line);
    expect(printed).toEqual([BOUND]);
    jest.advanceTimersByTime(100);
    expect(printed).toEqual([BOUND, BOUND_IPV6]);
    jest.advanceTimersByTime(100);
    expect(printed).toEqual([BOUND, BOUND_IPV6, READY]);
  });

  it('are not held back after a name that looks like an address', () => {
    output.write(`${STAMP} wallet refreshed name=Binding on ::1\n`);
    output.write(READY);
    expect(printed.at(-1)).toBe(READY);
  });

  it('are complete when the process exits', () => {
    output.write(BOUND);
    output.write(READY);
    const listeners = process.listeners('exit');
    (listeners.at(-1) as (code: number) => void)(0);
    expect(printed).toEqual([BOUND, READY]);
    expect(process.listeners('exit')).toHaveLength(listeners.length - 1);
  });
});
