import { describe, expect, it, test } from '@jest/globals';
import { post } from '../../support/network/json-rpc.js';
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
