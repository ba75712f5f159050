import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { notifyServiceManager } from '../../../src/cli/process/run-process.js';

let directory: string;
let received: string;
const warnings: unknown[] = [];
const log = { warn: (...args: unknown[]) => void warnings.push(args) };

/** Environment of a unit, with a program that records its arguments in place of systemd-notify. */
const unitWith = (body: string): NodeJS.ProcessEnv => {
  const program = join(directory, 'systemd-notify');
  writeFileSync(program, `#!/bin/sh\n${body}\n`);
  chmodSync(program, 0o755);
  return { PATH: `${directory}:/bin:/usr/bin`, NOTIFY_SOCKET: '/run/notify' };
};

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'notify-'));
  received = join(directory, 'received');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('a server that systemd started', () => {
  it('notifies it when it is ready and when it stops, as its main process', async () => {
    const env = unitWith(`echo "$NOTIFY_SOCKET $@" >> ${received}`);
    await notifyServiceManager('ready', log, env);
    await notifyServiceManager('stopping', log, env);
    expect(readFileSync(received, 'utf8').trim().split('\n')).toEqual([
      `/run/notify --pid=${process.pid} READY=1`,
      `/run/notify --pid=${process.pid} STOPPING=1`,
    ]);
    expect(warnings).toEqual([]);
  });

  it('warns and goes on when the notification fails', async () => {
    await notifyServiceManager('ready', log, unitWith('exit 3'));
    expect(warnings).toHaveLength(1);
  });
});

describe('a server that no service manager started', () => {
  it('notifies nothing', async () => {
    const env = unitWith(`echo unexpected >> ${received}.other`);
    delete env['NOTIFY_SOCKET'];
    await notifyServiceManager('ready', log, env);
    expect(() => readFileSync(`${received}.other`)).toThrow('ENOENT');
  });
});
