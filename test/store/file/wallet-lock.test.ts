import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lockWallet } from '../../../src/store/file/wallet-lock.js';
import { start } from '../../support/processes/process.js';
import { isNight, itAtNight } from '../../support/jest/lanes.js';

const CONTENDER = fileURLToPath(new URL('../../support/processes/lock-contender.js', import.meta.url));
const RACER = fileURLToPath(new URL('../../support/processes/lock-race.js', import.meta.url));
const ATTEMPTS = isNight ? 100 : 30;
const PROCESSES = 3;
const ROUNDS = isNight ? 1000 : 200;

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'lock-'));
  path = join(directory, 'w.lock');
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('the lock of a wallet', () => {
  itAtNight('has one holder at a time among processes that take and release it repeatedly', async () => {
    const processes = Array.from({ length: PROCESSES }, () =>
      start(process.execPath, [CONTENDER, path, String(ROUNDS)]),
    );
    expect(await Promise.all(processes.map(({ exited }) => exited))).toEqual([0, 0, 0]);
    expect(processes.map(({ output }) => JSON.parse(output()) as unknown)).toEqual(
      Array.from({ length: PROCESSES }, () => ({ doubles: 0 })),
    );
  });

  it('is taken by one of two processes that try it at the same moment', async () => {
    const first = Date.now() + 1500;
    const racers = [1, 2].map(() =>
      start(process.execPath, [RACER, directory, String(first), String(ATTEMPTS)]),
    );
    expect(await Promise.all(racers.map(({ exited }) => exited))).toEqual([0, 0]);
    const [one = [], other = []] = racers.map(({ output }) => JSON.parse(output()) as boolean[]);
    expect(one.map((won, i) => won || other[i])).toEqual(Array(ATTEMPTS).fill(true));
  });

  it('is refused to the process that holds it, by every path of the wallet', () => {
    const alias = join(directory, 'alias');
    symlinkSync(directory, alias);
    const lock = lockWallet(path, 'w');
    expect(() => lockWallet(path, 'w')).toThrow('wallet_locked');
    expect(() => lockWallet(join(alias, 'w.lock'), 'w')).toThrow('wallet_locked');
    // A refused attempt must not have released the lock of the operating system.
    expect(() =>
      execFileSync(process.execPath, [
        '--input-type=module',
        '-e',
        `import { lockWallet } from ${JSON.stringify(new URL('../../../src/store/file/wallet-lock.js', import.meta.url).href)};
         try { lockWallet(${JSON.stringify(path)}, 'w'); } catch { process.exit(0); } process.exit(1);`,
      ]),
    ).not.toThrow();
    lock.release();
    lockWallet(path, 'w').release();
  });

  it('leaves its file behind when it is released', () => {
    lockWallet(path, 'w').release();
    expect(existsSync(path)).toBe(true);
    lockWallet(path, 'w').release();
  });

  it('names the reason if its path cannot be a lock file', () => {
    writeFileSync(path, 'of another program, and longer than the head of a database is'.repeat(100));
    expect(() => lockWallet(path, 'w')).toThrow(
      expect.objectContaining({
        fault: { kind: 'wallet_io', file: 'w.lock', reason: 'it is no lock file of this program: remove it' },
      }),
    );
    rmSync(path);
    mkdirSync(path);
    expect(() => lockWallet(path, 'w')).toThrow(
      expect.objectContaining({
        fault: { kind: 'wallet_io', file: 'w.lock', reason: 'it is a directory' },
      }),
    );
    rmSync(path, { recursive: true });
    execFileSync('mkfifo', [path]);
    expect(() => lockWallet(path, 'w')).toThrow(
      expect.objectContaining({
        fault: { kind: 'wallet_io', file: 'w.lock', reason: 'it is no regular file' },
      }),
    );
    expect(() => lockWallet(join(directory, 'gone', 'w.lock'), 'w')).toThrow(
      expect.objectContaining({ fault: expect.objectContaining({ kind: 'wallet_io', file: 'w.lock' }) }),
    );
  });
});
