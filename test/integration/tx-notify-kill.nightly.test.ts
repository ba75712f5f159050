import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { walletCalls, type Loose, type WalletCalls } from '../support/network/json-rpc.js';
import { killMoment } from '../support/processes/kill-moment.js';
import type { Monerod } from '../support/processes/monerod.js';
import { until } from '../support/fakes/until.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { startWalletProcess, type WalletRpc } from '../support/processes/wallet-rpc.js';

const KILLS = Number(process.env['NOTIFY_KILLS'] ?? '3');
const BLOCKS_PER_KILL = 20;

/** Most commands that run to their end between two kills: less than the blocks, so that each kill leaves some. */
const MOST_RUNS = 8;

let root: string;
let daemon: Monerod;
/** File with a line per run of the command. */
let runs: string;
/** File with the number of lines from which on a command waits before it exits. */
let limit: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'notify-kill-'));
  runs = join(root, 'runs');
  limit = join(root, 'limit');
  // However slow the test is, commands beyond the limit have not begun when the server is killed.
  // Timer: of the command, between two looks at the limit.
  const waits = `while [ "$(wc -l < ${runs})" -ge "$(cat ${limit})" ]; do sleep 0.05; done`;
  writeFileSync(join(root, 'notify.sh'), `echo "$1" >> ${runs}\n${waits}\n`);
  daemon = await startRegtestDaemon();
});

afterAll(async () => {
  await daemon?.stop();
  rmSync(root, { recursive: true, force: true });
});

const start = (): Promise<WalletRpc> =>
  startWalletProcess({
    daemon: daemon.address,
    walletDir: join(root, 'wallets'),
    args: [`--tx-notify=sh ${join(root, 'notify.sh')} %s`],
  });

const shopOf = (server: WalletRpc): WalletCalls => walletCalls(server.port, 'shop');

/** Replaced at once: a command never reads an empty file. */
function setLimit(count: number): void {
  writeFileSync(`${limit}.new`, String(count));
  renameSync(`${limit}.new`, limit);
}

const lines = (): string[] => (existsSync(runs) ? readFileSync(runs, 'utf8').trim().split('\n') : []);

it(
  'runs --tx-notify for each transaction through kills of the server, and again at most for the one being started',
  async () => {
    const rng = seededRng('notify kills');
    let server = await start();
    await shopOf(server).rpc('create_wallet', { password: '', language: 'English' });
    const address = (await shopOf(server).rpc('get_address')).address as string;
    let runsAtRestart = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const before = lines().length;
      setLimit(before + 1 + ((rng(1)[0] ?? 0) % MOST_RUNS));
      await daemon.generate(address, BLOCKS_PER_KILL);
      const refreshing = shopOf(server)
        .rpc('refresh')
        .catch(() => undefined);
      await until('a command', () => lines().length > before);
      await killMoment((rng(1)[0] ?? 0) / 4);
      server.process.child.kill('SIGKILL');
      await Promise.all([refreshing, server.process.exited]);
      runsAtRestart = lines().length;
      server = await start();
      await shopOf(server).rpc('open_wallet', { password: '' });
    }
    // The last kill left commands that were not started.
    expect(runsAtRestart).toBeLessThan(KILLS * BLOCKS_PER_KILL);
    setLimit(Number.MAX_SAFE_INTEGER);
    await shopOf(server).rpc('refresh');
    const { in: mined } = await shopOf(server).rpc('get_transfers', { in: true });
    const txids = (mined as Loose[]).map(({ txid }) => txid as string);
    expect(txids).toHaveLength(KILLS * BLOCKS_PER_KILL);
    await until('all commands', () => txids.every((txid) => lines().includes(txid)));
    await server.stop({ keep: true });

    const restarted = await start();
    await shopOf(restarted).rpc('open_wallet', { password: '' });
    await shopOf(restarted).rpc('rescan_blockchain');
    // A transaction behind all others: its command is started last.
    await daemon.generate(address, 1);
    await shopOf(restarted).rpc('refresh');
    await until('the last command', () => lines().some((txid) => !txids.includes(txid)));
    await restarted.stop();
    expect(new Set(lines()).size).toBe(txids.length + 1);
    expect(lines().length).toBeLessThanOrEqual(txids.length + 1 + KILLS);
  },
  60_000 + KILLS * 20_000,
);
