import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { walletCalls, type Loose, type WalletCalls } from '../support/json-rpc.js';
import { killMoment } from '../support/kill-moment.js';
import type { Monerod } from '../support/monerod.js';
import { until } from '../support/until.js';
import { startRegtestDaemon } from '../support/regtest-daemon.js';
import { seededRng } from '../support/seeded-rng.js';
import { startWalletRpc, type WalletRpc } from '../support/wallet-rpc.js';

const KILLS = Number(process.env['NOTIFY_KILLS'] ?? '3');
const BLOCKS_PER_KILL = 20;

let root: string;
let daemon: Monerod;
/** File with a line per run of the command. */
let runs: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'notify-kill-'));
  runs = join(root, 'runs');
  // Timer: a command takes time, so that a kill leaves some that have not begun.
  writeFileSync(join(root, 'notify.sh'), `echo "$1" >> ${runs}\nsleep 0.05\n`);
  daemon = await startRegtestDaemon();
});

afterAll(async () => {
  await daemon?.stop();
  rmSync(root, { recursive: true, force: true });
});

const start = (): Promise<WalletRpc> =>
  startWalletRpc({
    daemon: daemon.address,
    walletDir: join(root, 'wallets'),
    args: [`--tx-notify=sh ${join(root, 'notify.sh')} %s`],
  });

const shopOf = (server: WalletRpc): WalletCalls => walletCalls(server.port, 'shop');

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
      await daemon.generate(address, BLOCKS_PER_KILL);
      const before = lines().length;
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
