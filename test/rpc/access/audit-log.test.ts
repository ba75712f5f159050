import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AuditLog } from '../../../src/rpc/access/audit-log.js';
import { VirtualClock } from '../../support/fakes/virtual-clock.js';

const call = { credential: 'shop', client: '127.0.0.1', method: 'transfer', outcome: 'ok' as const };

let folder: string;
let path: string;
let log: AuditLog;
let problems: unknown[];
let clock: VirtualClock;

const linesOf = (file: string): Record<string, unknown>[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-'));
  path = join(folder, 'audit.log');
  problems = [];
  clock = new VirtualClock(0);
  log = new AuditLog(path, (error) => problems.push(error), clock);
});

afterEach(() => {
  log.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the audit log', () => {
  it('has a JSON line for each call, which its owner alone may read', () => {
    log.record({ ...call, wallet: 'w', transactions: ['ab'] });
    log.record({ ...call, method: 'a\nbé', outcome: -60, traceparent: '00-ab' });
    expect(linesOf(path)).toEqual([
      { time: '1970-01-01T00:00:00.000Z', ...call, wallet: 'w', transactions: ['ab'] },
      { time: '1970-01-01T00:00:00.000Z', ...call, method: 'a\nbé', outcome: -60, traceparent: '00-ab' },
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(problems).toEqual([]);
  });

  it('has no character that hides others or changes their order, and the same values', () => {
    log.record({ ...call, method: 'a\u202eb', wallet: '\u2066\u009bw\u{e0041}' });
    expect(readFileSync(path, 'utf8')).toMatch(/^[ -~]+\n$/);
    expect(linesOf(path)).toMatchObject([{ method: 'a\u202eb', wallet: '\u2066\u009bw\u{e0041}' }]);
  });

  it('is not begun where its file cannot be opened', () => {
    expect(() => new AuditLog(join(folder, 'missing', 'audit.log'), () => undefined, clock)).toThrow(
      'ENOENT',
    );
  });

  it('takes the rights of others from a file that existed', () => {
    log.close();
    writeFileSync(path, '{"old":1}\n');
    chmodSync(path, 0o644);
    log = new AuditLog(path, () => undefined, clock);
    log.record(call);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(linesOf(path)).toHaveLength(2);
  });

  it('goes on in a new file after it was renamed and reopened', () => {
    log.record(call);
    renameSync(path, `${path}.1`);
    log.record(call);
    log.reopen();
    expect(existsSync(path)).toBe(true);
    log.record(call);
    expect([linesOf(`${path}.1`).length, linesOf(path).length]).toEqual([2, 1]);
  });

  it('has one open file, however often it was reopened', () => {
    const open = (): number => readdirSync('/dev/fd').length;
    const before = open();
    for (let i = 0; i < 20; i++) log.reopen();
    expect(open()).toBeLessThan(before + 20);
  });

  it('is not writable without its file, though no line waits', () => {
    log.close();
    rmSync(path);
    mkdirSync(path);
    expect(log.isWritable()).toBe(false);
  });

  it('keeps 10,000 lines while it cannot be written', () => {
    log.close();
    rmSync(path);
    mkdirSync(path);
    for (let i = 0; i < 10_002; i++) log.record({ ...call, method: `${i}` });
    rmSync(path, { recursive: true });
    expect(log.isWritable()).toBe(true);
    const lines = linesOf(path);
    expect([lines.length, lines.at(-1)?.['method']]).toEqual([10_000, '9999']);
  });

  it('keeps lines while it cannot be written, says so once, and writes them in their order', () => {
    log.close();
    rmSync(path, { force: true });
    mkdirSync(path);
    log.record({ ...call, method: 'first' });
    log.record({ ...call, method: 'second' });
    expect(log.isWritable()).toBe(false);
    expect(problems.length).toBe(1);
    rmSync(path, { recursive: true });
    expect(log.isWritable()).toBe(true);
    log.record({ ...call, method: 'third' });
    expect(linesOf(path).map(({ method }) => method)).toEqual(['first', 'second', 'third']);
    log.close();
    rmSync(path);
    mkdirSync(path);
    log.record(call);
    expect(problems.length).toBe(2);
  });
});

describe('the lines of the audit log', () => {
  it('are bounded, whatever names a client sends, and however many transactions a call makes', () => {
    const name = '\u0000'.repeat(100_000);
    const transactions = Array.from({ length: 120 }, (_, i) => i.toString(16).padStart(64, '0'));
    log.record({ ...call, method: name, wallet: name, transactions });
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(8192);
    expect(linesOf(path).flatMap((line) => line['transactions'])).toEqual(transactions);
    for (const { method, wallet } of linesOf(path))
      expect([method, wallet]).toEqual([name.slice(0, 200), name.slice(0, 200)]);
  });

  it('are one for a call with as many transactions as a line holds, and one for each call that succeeds', () => {
    log.record({ ...call, transactions: Array.from({ length: 50 }, () => 'ab') });
    expect(linesOf(path)).toHaveLength(1);
    for (let i = 0; i < 20; i++) log.record(call);
    expect(linesOf(path)).toHaveLength(21);
  });

  it('are two for a call with one transaction more than a line holds', () => {
    log.record({ ...call, transactions: Array.from({ length: 51 }, (_, i) => String(i)) });
    expect(linesOf(path).map((line) => (line['transactions'] as string[]).length)).toEqual([50, 1]);
  });

  it('are whole where the disk takes a part of a line at a time, and none for a while', () => {
    let room = 70;
    const inPart = new AuditLog(
      path,
      (error) => problems.push(error),
      clock,
      (file, bytes) => {
        if (room === 0) throw new Error('the disk is full');
        const part = bytes.subarray(0, Math.min(room, 20));
        room -= part.length;
        return writeSync(file, part);
      },
    );
    const methods = ['first', 'second', 'third'];
    for (const method of methods) inPart.record({ ...call, method });
    expect(inPart.isWritable()).toBe(false);
    expect(readFileSync(path)).toHaveLength(70);
    room = Infinity;
    expect(inPart.isWritable()).toBe(true);
    inPart.close();
    expect(linesOf(path).map((line) => line['method'])).toEqual(methods);
    expect(problems).toHaveLength(1);
  });

  it('are few for a flood of failed calls of one login: the rest of a minute is counted', async () => {
    for (let i = 0; i < 1000; i++) log.record({ ...call, method: `unknown ${i}`, outcome: -32601 });
    for (let i = 0; i < 3; i++) log.record({ ...call, outcome: -60 });
    log.record({ ...call, credential: 'payer', outcome: -32601 });
    log.record(call);
    expect(linesOf(path)).toHaveLength(5 + 3 + 1 + 1);
    await clock.advance(60_000);
    expect(linesOf(path).slice(10)).toEqual([
      { time: '1970-01-01T00:01:00.000Z', credential: 'shop', outcome: -32601, count: 995 },
    ]);
    log.record({ ...call, outcome: -32601 });
    expect(linesOf(path)).toHaveLength(12);
    for (let i = 0; i < 10; i++) log.record({ ...call, outcome: -32601 });
    // Five are no flood.
    for (let i = 0; i < 5; i++) log.record({ ...call, outcome: -13 });
    await clock.advance(60_000);
    expect(linesOf(path).slice(21)).toMatchObject([{ outcome: -32601, count: 6 }]);
  });

  it('have the counts before the log is closed', () => {
    for (let i = 0; i < 7; i++) log.record({ ...call, outcome: -61 });
    log.close();
    expect(linesOf(path).at(-1)).toMatchObject({ outcome: -61, count: 2 });
    expect(clock.timers).toBe(0);
  });

  it('are one for each call that made a transaction before it failed', () => {
    for (let i = 0; i < 20; i++) log.record({ ...call, outcome: -4, transactions: ['ab'] });
    expect(linesOf(path)).toHaveLength(20);
  });
});
