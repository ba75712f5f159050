import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readBlock, submitBlock } from '../support/chain/chain-copy.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { startDaemonProxy, type DaemonProxy } from '../support/network/daemon-proxy.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { until } from '../support/fakes/until.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { FIRST_BLOCKS, startTwins, type TwinChain } from '../support/chain/twin-chain.js';
import { startWalletProcess, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { logged } from '../support/processes/process.js';

/*
 * Three daemons in one list: the first one behind a proxy, one with a longer chain of its own, and the real daemon with
 * the chain of the first.
 */

const XMR = 1_000_000_000_000;
const SEND = '/sendrawtransaction';
const TRANSACTIONS = '/gettransactions';
const OTHER_ADDRESS =
  '42ey1afDFnn4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfJJQAWDm';

let twins: TwinChain;
let liar: Monerod;
let first: DaemonProxy;
let server: WalletRpc;
let address: string;

const startServer = (daemons: readonly string[], walletDir?: string): Promise<WalletRpc> =>
  startWalletProcess({
    ...(walletDir === undefined ? {} : { walletDir }),
    args: daemons.map((daemon) => `--daemon-address=${daemon}`),
    daemon: first.address,
  });

const get = async (path: string): Promise<string> =>
  (await fetch(`http://127.0.0.1:${server.port}${path}`)).text();
const serving = async (): Promise<number> => (JSON.parse(await get('/readyz')) as Loose).daemon.serving;
const untilServes = (place: number): Promise<unknown> =>
  until(`daemon ${place} to serve`, async () => (await serving()) === place || undefined);
const height = async (daemon: Monerod): Promise<number> => (await daemon.rpc('get_info')).height as number;
const pool = async (daemon: Monerod): Promise<string[]> =>
  (await daemon.plain('/get_transaction_pool_hashes')).tx_hashes ?? [];

beforeAll(async () => {
  [twins, liar] = await Promise.all([startTwins(), startRegtestDaemon()]);
  first = await startDaemonProxy(twins.ours.address);
  await liar.generate(OTHER_ADDRESS, FIRST_BLOCKS + 20);
  await twins.mine(OTHER_ADDRESS, 1);
  server = await startServer([liar.address, `${twins.theirs.address},trusted`]);
  await createWallet(server, 'w');
  await server.rpc('auto_refresh', { enable: false });
  ({ address } = await server.rpc('get_address'));
  await twins.mine(address, FIRST_BLOCKS);
  await server.rpc('refresh');
});

afterAll(async () => {
  await server?.stop();
  if (server !== undefined) rmSync(server.walletDir, { recursive: true, force: true });
  await first?.stop();
  await Promise.all([twins?.stop(), liar?.stop()]);
});

describe('a lying daemon with a longer chain', () => {
  it('does not serve: the first one is not behind by its word', async () => {
    await until(
      'a probe of the liar',
      async () =>
        (await get('/metrics')).includes(`listed_daemon_usable{daemon="${liar.address}"} 0`) || undefined,
    );
    expect(await serving()).toBe(1);
  });
});

describe('a daemon that is three blocks behind', () => {
  it('is replaced by the real daemon, which the wallet then follows', async () => {
    const start = await height(twins.theirs);
    await twins.theirs.generate(address, 3);
    await untilServes(3);
    await server.rpc('refresh');
    expect((await server.rpc('get_height')).height).toBe(start + 3);
    await logged(server.process, /daemon: switched from \S+ to \S+: 3 blocks behind/);
    expect(await get('/metrics')).toContain('wallet_rpc_daemon_switches_total{reason="behind"} 1');
    for (let at = start; at < start + 3; at++)
      await submitBlock(twins.ours, await readBlock(twins.theirs, at));
  });
});

describe('a payment whose answer was lost before the server was killed', () => {
  let txid: string;

  it('is with the first daemon alone', async () => {
    const { walletDir } = server;
    await server.stop({ keep: true });
    server = await startServer([liar.address, `${twins.theirs.address},trusted`], walletDir);
    await server.rpc('open_wallet', { filename: 'w', password: '' });
    await server.rpc('auto_refresh', { enable: false });
    await server.rpc('refresh');
    first.decide = (path) => (path === SEND ? 'forward-and-drop-the-answer' : 'forward');
    const destinations = [{ amount: XMR, address: OTHER_ADDRESS }];
    ({ tx_hash: txid } = await server.rpc('transfer', { destinations }));
    expect([await pool(twins.ours), await pool(twins.theirs)]).toEqual([[txid], []]);
    await server.stop({ signal: 'SIGKILL', keep: true });
  });

  it('is not sent to the next daemon while the first one, which stalls, holds it', async () => {
    // It accepts connections and never answers, but for the question for the transaction.
    first.decide = () => 'forward';
    first.hold = (path) => (path === TRANSACTIONS ? Promise.resolve() : new Promise(() => undefined));
    const { walletDir } = server;
    server = await startServer([liar.address, `${twins.theirs.address},trusted`], walletDir);
    await server.rpc('open_wallet', { filename: 'w', password: '' });
    await server.rpc('auto_refresh', { enable: false });
    await untilServes(3);
    await logged(server.process, /daemon: switched from \S+ to \S+: 3 failures \(timeout/);
    await server.rpc('refresh');
    expect(await pool(twins.theirs)).toEqual([]);
    expect(await get('/metrics')).toContain('wallet_rpc_wallet_held_payments{wallet="w"} 1');
    await logged(server.process, 'it is sent to no other');
    const { transfer } = await server.rpc('get_transfer_by_txid', { txid });
    expect(transfer.type).toBe('pending');
    await server.stop({ signal: 'SIGKILL', keep: true });
  });

  it('is sent to the next daemon once the operator takes the first one from the list, and is mined', async () => {
    const { walletDir } = server;
    server = await startWalletProcess({ walletDir, daemon: twins.theirs.address });
    await server.rpc('open_wallet', { filename: 'w', password: '' });
    await server.rpc('auto_refresh', { enable: false });
    await server.rpc('refresh');
    expect(await pool(twins.theirs)).toEqual([txid]);
    await twins.theirs.generate(address, 1);
    await server.rpc('refresh');
    const { transfer } = await server.rpc('get_transfer_by_txid', { txid });
    expect(transfer.type).toBe('out');
  });
});
