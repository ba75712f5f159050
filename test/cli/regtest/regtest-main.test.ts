import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, test } from '@jest/globals';
import { UNRELATED_ADDRESS } from '../../support/differential/differential-calls.js';
import { post, result } from '../../support/network/json-rpc.js';
import { logged, freePort, start, stop } from '../../support/processes/process.js';
import { bundled } from '../../support/processes/wallet-rpc.js';
import { someRows } from '../../support/jest/lanes.js';

const MAIN = bundled('regtest-main');

describe('the regtest daemon', () => {
  it('warns at start-up of flags without effect, and stops on a signal', async () => {
    const running = start(process.execPath, [
      MAIN,
      '--regtest',
      `--rpc-bind-port=${await freePort()}`,
      '--p2p-bind-port=18280',
      '--no-igd',
      '--bootstrap-daemon-login=me:hunter2',
    ]);
    await logged(running, 'Chain of 1 blocks');
    for (const flag of ['p2p-bind-port', 'no-igd', 'bootstrap-daemon-login'])
      expect(running.output()).toContain(`--${flag} is ignored`);
    expect(running.output()).not.toContain('hunter2');
    expect(running.output()).not.toContain('--regtest is ignored');
    await stop(running);
    expect(await running.exited).toBe(0);
  });

  it('says at start-up what it does not verify after the next fork, and refuses a chain that forks elsewhere', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'regtest-main-'));
    const port = await freePort();
    const run = (height: number) =>
      start(process.execPath, [
        MAIN,
        ...[`--rpc-bind-port=${port}`, `--data-dir=${dataDir}`, `--fork-height=${height}`],
      ]);
    try {
      const running = run(2);
      await logged(running, 'membership proofs are not verified, and the tree of outputs is a placeholder');
      await logged(running, 'core RPC server started ok');
      await result(port, 'generateblocks', { amount_of_blocks: 3, wallet_address: UNRELATED_ADDRESS });
      await stop(running);
      const other = run(3);
      expect(await other.exited).toBe(1);
      expect(other.output()).toContain('--fork-height: block 2 of the stored chain has version 17');
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });

  it('answers stop_daemon, then stops', async () => {
    const port = await freePort();
    const running = start(process.execPath, [MAIN, `--rpc-bind-port=${port}`]);
    await logged(running, 'Chain of 1 blocks');
    const { text } = await post(port, '/stop_daemon', {});
    expect(JSON.parse(text)).toMatchObject({ status: 'OK' });
    expect(await running.exited).toBe(0);
  });

  test.each(someRows(['--no-such-flag', '--testnet']))('does not start with %s', async (flag) => {
    const running = start(process.execPath, [MAIN, flag]);
    expect(await running.exited).toBe(1);
    expect(running.output()).toContain(flag);
  });
});
