import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { start, stop, type RunningProcess } from '../support/processes/process.js';
import { bundled } from '../support/processes/wallet-rpc.js';

const MAIN = bundled('demo-main');

const leavings = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('wallet-rpc-demo-'));

describe('bin/demo', () => {
  let demo: RunningProcess;
  const before = leavings();

  beforeAll(() => {
    demo = start(process.execPath, [MAIN]);
  });

  afterAll(() => stop(demo));

  it('mines, requests, pays and proves a payment, and prints each step, in under a minute', async () => {
    expect(await demo.exited).toBe(0);
    const output = demo.output();
    expect(output).toMatch(/80 blocks are mined to the customer/);
    expect(output).toMatch(/paid 1\.5 XMR to 8\w+…/);
    expect(output).toMatch(/the request is waiting, and needs 10 confirmations/);
    expect(output).toMatch(/the request is seen: 0 XMR in blocks, 1\.5 XMR in the mempool/);
    expect(output).toMatch(/the request is confirming: 1\.5 XMR in blocks, 0 XMR in the mempool/);
    expect(output).toMatch(/the request is paid: 1\.5 XMR in blocks, 0 XMR in the mempool/);
    expect(output).toMatch(/shop has 1\.5 XMR, of which 1\.5 XMR can be spent/);
    expect(output).toMatch(/"order 1, paid": good, 1\.5 XMR received/);
    expect(output).toMatch(/"order 2, paid": not good/);
    const [, seconds] = /All of it took ([\d.]+) s/.exec(output) ?? [];
    expect(Number(seconds)).toBeLessThan(60);
  });

  it('removes all its files', () => {
    expect(leavings()).toEqual(before);
  });
});

describe('bin/demo payouts', () => {
  let demo: RunningProcess;
  const before = leavings();

  beforeAll(() => {
    demo = start(process.execPath, [MAIN, 'payouts']);
  });

  afterAll(() => stop(demo));

  it('creates, approves, sends, confirms and proves payouts, sweeps the rest, and prints each step', async () => {
    expect(await demo.exited).toBe(0);
    const output = demo.output();
    expect(output).toMatch(/w-1 {2}1 XMR {2}queued; waits for others/);
    expect(output).toMatch(/w-3 {2}25 XMR {2}awaiting_approval; has 0 of 1 approvals/);
    expect(output).toMatch(/w-1 {2}the same payout: there are 3/);
    expect(output).toMatch(/w-2 {2}refused: the payout 'w-2' exists with another amount/);
    expect(output).toMatch(/transaction \w+…\w+ pays all three/);
    expect(output).toMatch(/w-1 mined, w-2 mined, w-3 mined/);
    expect(output).toMatch(/w-1 confirmed, w-2 confirmed, w-3 confirmed/);
    expect(output).toMatch(/"receipt of w-1": good, the transaction pays 27\.99\d+ XMR to the customer/);
    expect(output).toMatch(/sweep-0-\d+ {2}[\d.]+ XMR {2}awaiting_approval; has 0 of 1 approvals/);
    expect(output).toMatch(/the cold store has [1-9][\d.]* XMR/);
  });

  it('removes all its files', () => {
    expect(leavings()).toEqual(before);
  });
});

describe('bin/demo fork', () => {
  let demo: RunningProcess;
  const before = leavings();

  beforeAll(() => {
    demo = start(process.execPath, [MAIN, 'fork']);
  });

  afterAll(() => stop(demo));

  it('receives before, across and after the fork with a view-only copy, and prints each step', async () => {
    expect(await demo.exited).toBe(0);
    const output = demo.output();
    expect(output).toMatch(/wallet_rpc_daemon_fork_blocks\{version="17"\} 19\n/);
    for (const [block, version, sum, outputs] of [
      [81, 16, 6, 3],
      [100, 17, 12, 6],
      [110, 18, 18, 9],
    ])
      expect(output).toMatch(
        new RegExp(
          `block ${block}, version ${version}: .*\\n {3}shop {7}${sum} XMR in ${outputs} outputs; .*3 payment\\.seen, 3 payment\\.mined.*\\n` +
            ` {3}view-only {2}${sum} XMR in ${outputs} outputs; .*3 payment\\.seen, 3 payment\\.mined`,
        ),
      );
    expect(output).toMatch(/-4: no payments are made since block 100: /);
    expect(output).toMatch(
      /w-1 queued; waits because of the fork to version 17 at block 100\n\s+w-1 cancelled/,
    );
    expect(output).toMatch(
      /newest 13 blocks are replaced.*\n {3}shop {7}6 XMR in 3 outputs; 6 payment\.reversed/,
    );
    expect(output).toMatch(
      /they come back\n {3}shop {7}18 XMR in 9 outputs; 6 payment\.seen, 6 payment\.mined/,
    );
    expect(output).toMatch(/restored {3}18 XMR in 9 outputs, the same as the shop/);
    expect(output).toMatch(/Unexpected hard fork version v17 at height 100/);
    expect(output).toMatch(/get_height: 100 blocks, update_needed: version 17/);
    expect(output).toMatch(/updated {4}18 XMR in 9 outputs, the same as the shop/);
  });

  it('removes all its files', () => {
    expect(leavings()).toEqual(before);
  });
});

describe('bin/demo with another name', () => {
  it('names the demos, and starts nothing', async () => {
    const demo = start(process.execPath, [MAIN, 'nonsense']);
    expect(await demo.exited).toBe(1);
    expect(demo.output()).toContain("there is no demo 'nonsense'");
  });
});
