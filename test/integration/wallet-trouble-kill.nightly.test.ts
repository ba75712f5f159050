import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { walletCalls, type WalletCalls } from '../support/network/json-rpc.js';
import { killMoment } from '../support/processes/kill-moment.js';
import { until } from '../support/fakes/until.js';
import { moneyOf, moneyOfTwin, startCrowd, type Crowd } from '../support/wallets/wallet-crowd.js';
import { startWalletProcess, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { WalletWrites } from '../support/wallets/wallet-writes.js';

/* kill -9 of a server at a random moment while ten wallets write. */

/** Kills; sixty of them, by hand, take some minutes. */
const KILLS = Number(process.env['WALLET_KILLS'] ?? '2');

/** Most acknowledged writes, and payments among them, until a kill. */
const MOST_WRITES = 200;
const MOST_PAYMENTS = 4;

/** Most time from then to the kill [ms]: longer than most writes. */
const MOST_MS = 50;

/** Blocks until change can be spent again. */
const CHANGE_BLOCKS = 10;

const names = Array.from({ length: 10 }, (_, i) => `wallet ${i}`);
const passwordOf = (name: string): string => `password of ${name}`;

let crowd: Crowd;
let server: WalletRpc;
let passwordDir: string;
const writes = new Map<string, WalletWrites>();

const at = (name: string): WalletCalls => walletCalls(server.port, name);
const total = (count: (of: WalletWrites) => number): number =>
  [...writes.values()].reduce((sum, of) => sum + count(of), 0);

/** Resolves after a random number of payments, or of other writes. */
async function someWrites(payments: boolean): Promise<void> {
  const done = (): number => total((of) => (payments ? of.payments : of.count));
  const enough = done() + Math.ceil(Math.random() * (payments ? MOST_PAYMENTS : MOST_WRITES));
  await until('the writes', () => done() >= enough);
}

/** Mines until a wallet has no pending payment: one that a kill kept from the daemon is relayed by a later refresh. */
const untilMined = (name: string): Promise<true> =>
  until(`the payments of ${name}`, async () => {
    await crowd.mine(1);
    await at(name).rpc('refresh');
    const { pending, failed } = await at(name).rpc('get_transfers', { pending: true, failed: true });
    expect(failed).toBeUndefined();
    return pending === undefined ? true : undefined;
  });

/** Starts a server that opens all wallets. */
async function restart(): Promise<void> {
  server = await startWalletProcess({
    walletDir: crowd.server.walletDir,
    daemon: crowd.daemon.address,
    args: ['--trusted-daemon', `--password-dir=${passwordDir}`, ...names.map((name) => `--open=${name}`)],
  });
  const line = await until(
    'the wallets',
    () => /opened=(\d+) failed=(\d+)/.exec(server.process.output()) ?? undefined,
  );
  expect(line.slice(1)).toEqual([String(names.length), '0']);
}

beforeAll(async () => {
  crowd = await startCrowd(names, { passwordOf });
  passwordDir = mkdtempSync(join(tmpdir(), 'passwords-'));
  names.forEach((name, i) => {
    writeFileSync(join(passwordDir, name), passwordOf(name));
    writes.set(name, new WalletWrites(crowd.address(names[(i + 1) % names.length] ?? name)));
  });
  await crowd.server.stop({ keep: true });
  await restart();
});

afterAll(async () => {
  await server?.stop({ keep: true });
  await crowd?.stop();
  rmSync(passwordDir, { recursive: true, force: true });
});

describe('kill -9 while ten wallets write', () => {
  it.each(Array.from({ length: KILLS }, (_, i) => i + 1))(
    'loses no acknowledged write of any of them, kill %i',
    async (kill) => {
      const writing = Promise.all([...writes].map(([name, of]) => of.run(at(name))));
      await someWrites(kill % 2 === 0);
      await killMoment(Math.random() * MOST_MS);
      await server.stop({ signal: 'SIGKILL', keep: true });
      await writing;
      await restart();
      await Promise.all([...writes].map(([name, of]) => of.check(at(name))));
      await crowd.mine(CHANGE_BLOCKS);
      await Promise.all(names.map((name) => at(name).rpc('refresh')));
    },
  );

  it('leaves each wallet with the money that a restored one finds', async () => {
    expect(total((of) => of.count)).toBeGreaterThan(KILLS);
    expect(total((of) => of.payments)).toBeGreaterThan(0);
    for (const name of names.slice(0, 3)) {
      await untilMined(name);
      const twin = await moneyOfTwin({ at }, name, `twin of ${name}`);
      expect(await moneyOf(at(name))).toEqual(twin);
    }
    if (KILLS > 5)
      console.log(
        `${KILLS} kills, ${total((of) => of.count)} writes, ${total((of) => of.payments)} payments`,
      );
  });
});
