import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { post } from '../../support/network/json-rpc.js';
import { freePort, start, stop, type RunningProcess } from '../../support/processes/process.js';
import { until } from '../../support/fakes/until.js';
import { SCRIPT, startWalletProcess } from '../../support/processes/wallet-rpc.js';
import { describeAtNight, someRows } from '../../support/jest/lanes.js';

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'dumps-'));
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

const ofProcess = ({ child }: RunningProcess, file: string): string =>
  readFileSync(`/proc/${child.pid ?? 0}/${file}`, 'utf8');

/** Starts the command with the highest core dump limit that this process may set. */
async function startCommand(command: string): Promise<RunningProcess> {
  const port = await freePort();
  const running = start('sh', [
    '-c',
    'ulimit -S -c "$(ulimit -H -c)"; exec "$0" "$@"',
    command,
    `--wallet-dir=${directory}`,
    `--rpc-bind-port=${port}`,
    '--offline',
    '--disable-rpc-login',
  ]);
  await until('the server', async () => (await post(port, '/json_rpc', {})).status === 200 || undefined);
  return running;
}

describe('the process that bin/wallet-rpc starts', () => {
  test.each(
    someRows([
      ['itself', () => SCRIPT],
      [
        'as npm links it',
        () => {
          const link = join(directory, 'wallet-rpc');
          symlinkSync(SCRIPT, link);
          return link;
        },
      ],
    ]),
  )('dumps no core, and cannot allow it again: %s', async (_, command) => {
    const running = await startCommand(command());
    try {
      expect(ofProcess(running, 'limits')).toMatch(/^Max core file size +0 +0 /m);
    } finally {
      await stop(running);
    }
  });
});

describeAtNight('a server that is started without bin/wallet-rpc', () => {
  it('excludes all memory from core dumps', async () => {
    const wallet = await startWalletProcess();
    try {
      expect(Number.parseInt(ofProcess(wallet.process, 'coredump_filter'), 16)).toBe(0);
      expect(wallet.process.output()).not.toContain('Core dumps are on');
    } finally {
      await wallet.stop();
    }
  });
});
