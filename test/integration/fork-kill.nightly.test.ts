import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { systemRng } from '../../src/util/random.js';
import { walletCalls, type Loose } from '../support/network/json-rpc.js';
import type { RunningDaemon } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletProcess, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';

/* Kills of a server while it refreshes a wallet across the fork, with reorganisations between them. */

const XMR = 1_000_000_000_000;
const ROUNDS = 20;
/** Latest time of a kill after the refresh began [ms]. */
const LATEST_MS = 400;
const FORK = 60;

let daemon: RunningDaemon;
let server: WalletRpc;
let address: string;
let miner: string;

const launch = (walletDir?: string): Promise<WalletRpc> =>
  startWalletProcess({
    daemon: daemon.address,
    ...(walletDir === undefined ? {} : { walletDir }),
    args: ['--refresh-period=0', '--fork-rules=carrot-2026-07'],
  });

/** Mines blocks of each version that pay the wallet in both forms, with one in three and further outputs to the miner. */
async function fill(blocks: number): Promise<void> {
  for (let i = 0; i < blocks; i++) {
    await daemon.generate(i % 3 === 0 ? address : miner, 2);
    const { height } = await daemon.rpc('get_info');
    if (height >= FORK)
      await daemon.rpc('pay_carrot', {
        destinations: [
          { address, amount: XMR + i },
          { address: miner, amount: XMR },
        ],
      });
  }
  await daemon.generate(miner, 1);
}

beforeAll(async () => {
  daemon = await startRegtestDaemon(['--misbehave=none', `--fork-height=${FORK},${FORK + 20}`]);
  server = await launch();
  const [shop, other] = ['shop', 'other'].map((name) => walletCalls(server.port, name)) as [
    ReturnType<typeof walletCalls>,
    ReturnType<typeof walletCalls>,
  ];
  await Promise.all([createWallet(shop), createWallet(other)]);
  [address, miner] = (await Promise.all(
    [shop, other].map(async (wallet) => (await wallet.rpc('get_address')).address as string),
  )) as [string, string];
  await fill(45);
});

afterAll(async () => {
  await server?.stop();
  await daemon?.stop();
});

it(`a wallet that is killed ${ROUNDS} times in its refresh has the payments of one that was not`, async () => {
  const { key: seed } = await walletCalls(server.port, 'shop').rpc('query_key', { key_type: 'mnemonic' });
  const restored = async (name: string): Promise<Loose> => {
    const wallet = walletCalls(server.port, name);
    await wallet.rpc('restore_deterministic_wallet', { seed, restore_height: 0, password: '' });
    return wallet;
  };
  await restored('victim');
  for (let round = 0; round < ROUNDS; round++) {
    const victim = walletCalls(server.port, 'victim');
    const [first = 0, second = 0, third = 0] = systemRng(3);
    if (round % 4 === 3) {
      await daemon.popBlocks(1 + (third % 30));
      await fill(17);
    } else if (round % 2 === 1) await victim.call('rescan_blockchain', { hard: false });
    const refreshing = victim.call('refresh').catch(() => undefined);
    // Timer: the kill comes at a random time, in whatever the refresh does then.
    await new Promise((resolve) => setTimeout(resolve, ((first * 256 + second) / 65_536) * LATEST_MS));
    await server.stop({ signal: 'SIGKILL', keep: true });
    await refreshing;
    server = await launch(server.walletDir);
    await walletCalls(server.port, 'victim').rpc('open_wallet', { password: '' });
  }
  const victim = walletCalls(server.port, 'victim');
  await victim.rpc('refresh');
  const honest = await restored('honest');
  await honest.rpc('refresh');
  for (const [method, params] of [
    ['incoming_transfers', { transfer_type: 'all', verbose: true }],
    ['get_transfers', { in: true, out: true }],
    ['get_balance', { all_accounts: true }],
  ] as const)
    expect(await victim.rpc(method, params)).toEqual(await honest.rpc(method, params));
  expect((await victim.rpc('incoming_transfers', { transfer_type: 'all' })).transfers.length).toBeGreaterThan(
    40,
  );
}, 300_000);
