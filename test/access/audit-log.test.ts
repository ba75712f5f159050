import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AuditLog } from '../../src/access/audit-log.js';

const call = { credential: 'shop', client: '127.0.0.1', method: 'transfer', outcome: 'ok' as const };

let folder: string;
let path: string;
let log: AuditLog;
let problems: unknown[];

const linesOf = (file: string): Record<string, unknown>[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-'));
  path = join(folder, 'audit.log');
  problems = [];
  log = new AuditLog(
    path,
    (error) => problems.push(error),
    () => new Date(0),
  );
});

afterEach(() => {
  log.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the audit log', () => {
  it('has a JSON line for each call, which its owner alone may read', () => {
    log.record({ ...call, wallet: 'w', transactions: ['ab'] });
    log.record({ ...call, method: 'a\nbé', outcome: -60 });
    expect(linesOf(path)).toEqual([
      { time: '1970-01-01T00:00:00.000Z', ...call, wallet: 'w', transactions: ['ab'] },
      { time: '1970-01-01T00:00:00.000Z', ...call, method: 'a\nbé', outcome: -60 },
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('takes the rights of others from a file that existed', () => {
    log.close();
    writeFileSync(path, '{"old":1}\n', { mode: 0o644 });
    log = new AuditLog(path, () => undefined);
    log.record(call);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(linesOf(path)).toHaveLength(2);
  });

  it('goes on in a new file after it was renamed and reopened', () => {
    log.record(call);
    renameSync(path, `${path}.1`);
    log.record(call);
    log.reopen();
    log.record(call);
    expect([linesOf(`${path}.1`).length, linesOf(path).length]).toEqual([2, 1]);
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
  });
});
