import { parseArgs } from 'node:util';
import { type Loose, type WalletCalls, walletCalls } from '../test/support/network/json-rpc.js';
import {
  newDatabase,
  startPostgres,
  type PostgresCluster,
} from '../test/support/processes/postgres-cluster.js';
import { until } from '../test/support/fakes/until.js';
import { PASSWORD, startWalletCluster } from '../test/support/processes/wallet-cluster.js';
import { startWalletRpc } from '../test/support/processes/wallet-rpc.js';
import { keptPaidChain } from './kept-paid-chain.js';
import { PAYEE_SEED, PAYMENTS_A_BLOCK } from './paid-chain.js';
import { median, percentile, printTable } from './table.js';
import { cpuSeconds, pidOf } from './usage.js';

/*
 * Cost of a cluster: the same calls for a wallet of one process, for one that a process of a cluster holds, and for one
 * whose calls another process passes on. Three PostgreSQL on this machine, of which two flush each commit to the disk.
 * usage: cluster [--rounds 60] [--payments 20000] [--refreshes 5] [--blocks 30] [--keep DIR]
 *        [--only calls,chain]
 */

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '60' },
    payments: { type: 'string', default: '20000' },
    refreshes: { type: 'string', default: '5' },
    blocks: { type: 'string', default: '30' },
    keep: { type: 'string' },
    only: { type: 'string', default: 'calls,chain' },
  },
});
const only = options.only.split(',');
const rounds = Number(options.rounds);
const payments = Number(options.payments);
const refreshes = Number(options.refreshes);
const blocks = Number(options.blocks);

/** Rewards for the payments of one wallet: up to three for each, and some to spare. */
const REWARDS = 3 * rounds + 20;
const UNLOCK_BLOCKS = 60;
const MOST_MORE = '10 ms';

const ms = (value: number): string => `${value.toFixed(1)} ms`;
const kib = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`;
const rows: string[][] = [];

/** A wallet of a process without a cluster, one of a cluster, and the same one through another process. */
interface Wallets {
  readonly plain: WalletCalls;
  readonly held: WalletCalls;
  readonly passedOn: WalletCalls;
}

async function time(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

/** Measures a call of each wallet in turn. */
async function measureCall(
  { plain, held, passedOn }: Wallets,
  method: string,
  params: (wallet: WalletCalls, round: number) => Loose,
): Promise<void> {
  const times: [number[], number[], number[]] = [[], [], []];
  // A transfer changes the set of outputs, so each wallet that pays makes the same number of payments.
  const order = [plain, held, passedOn];
  for (let round = 0; round < rounds; round++)
    for (const [i, wallet] of order.entries())
      times[i]?.push(await time(() => wallet.rpc(method, params(wallet, 3 * round + i))));
  const [without, within, through] = times;
  rows.push([
    method,
    ...[ms(median(without)), ms(median(within)), ms(median(within) - median(without)), MOST_MORE],
    ...[ms(percentile(without, 0.95)), ms(percentile(within, 0.95)), ms(median(through))],
  ]);
}

async function measureCalls(postgres: PostgresCluster): Promise<void> {
  const database = await newDatabase(postgres, 'calls');
  const cluster = await startWalletCluster({ postgres, database, wallets: ['shop'], members: 2 });
  const { daemon, members } = cluster;
  const server = await startWalletRpc({ daemon: daemon.address, args: ['--trusted-daemon'] });
  try {
    const [first, second] = members;
    if (first === undefined || second === undefined) throw new Error('two processes run');
    const wallets = {
      plain: walletCalls(server.port, 'shop'),
      held: first.wallet('shop'),
      passedOn: second.wallet('shop'),
    };
    const address = new Map<WalletCalls, string>();
    for (const wallet of [wallets.plain, wallets.held]) {
      await wallet.rpc('create_wallet', { password: PASSWORD, language: 'English' });
      address.set(wallet, String((await wallet.rpc('get_address')).address));
    }
    address.set(wallets.passedOn, address.get(wallets.held) ?? '');
    // As many outputs to choose from in both, although the second wallet pays twice as often.
    await daemon.generate(address.get(wallets.plain) ?? '', 2 * REWARDS);
    await daemon.generate(address.get(wallets.held) ?? '', 2 * REWARDS);
    await daemon.generate(address.get(wallets.plain) ?? '', UNLOCK_BLOCKS);
    for (const wallet of [wallets.plain, wallets.held]) await wallet.rpc('refresh');
    const holder = await cluster.held('shop');
    if (holder !== first) throw new Error('the second process holds the wallet');
    await measureCall(wallets, 'get_balance', () => ({}));
    await measureCall(wallets, 'label_address', (_, round) => ({
      index: { major: 0, minor: 0 },
      label: `label ${round}`,
    }));
    await measureCall(wallets, 'create_address', (_, round) => ({
      account_index: 0,
      label: `label ${round}`,
    }));
    await measureCall(wallets, 'create_payment_request', (_, round) => ({
      amount: 1_000_000_000,
      label: `order ${round}`,
    }));
    await measureCall(wallets, 'transfer', (wallet) => ({
      destinations: [{ amount: 1_000_000_000, address: address.get(wallet) }],
    }));
  } finally {
    await server.stop();
    await cluster.stop();
  }
}

const chainRows: string[][] = [];

/** Returns the row of a measure in both worlds [ms]. */
function compared(name: string, { plain, held }: Readonly<Record<'plain' | 'held', number[]>>): string[] {
  const more = 100 * (median(held) / median(plain) - 1);
  return [name, ms(median(plain)), ms(median(held)), `${more.toFixed(1)} %`, '5 %'];
}

/** Number of bytes of frames and of bases that the only wallet of a database was given. */
async function shipped(
  postgres: PostgresCluster,
  database: string,
): Promise<{ frames: number; base: number }> {
  const [row] = await postgres.primary().sql(
    `SELECT greatest((SELECT coalesce(max(total), 0) FROM wallet_rpc.frame),
                     (SELECT coalesce(max(total), 0) FROM wallet_rpc.base))::text AS frames,
            (SELECT coalesce(sum(bytes), 0) FROM wallet_rpc.base)::text AS base`,
    database,
  );
  return { frames: Number(row?.['frames']), base: Number(row?.['base']) };
}

async function measureChain(postgres: PostgresCluster): Promise<void> {
  const chain = await keptPaidChain({ payments, addresses: payments, keep: options.keep });
  const restored = Array.from({ length: refreshes }, (_, i) => `payee-${i}`);
  const database = await newDatabase(postgres, 'chain');
  const cluster = await startWalletCluster({
    ...{ postgres, database, members: 1, wallets: restored },
    daemonArgs: [`--data-dir=${chain.dataDir}`],
    args: ['--refresh-period=0'],
  });
  const { daemon } = cluster;
  const server = await startWalletRpc({
    daemon: daemon.address,
    args: ['--trusted-daemon', '--refresh-period=0'],
  });
  try {
    const [member] = cluster.members;
    if (member === undefined) throw new Error('a process runs');
    const times: { plain: number[]; held: number[] } = { plain: [], held: [] };
    const cpu: { plain: number[]; held: number[] } = { plain: [], held: [] };
    const restore = async (wallet: WalletCalls, kind: 'plain' | 'held'): Promise<void> => {
      await wallet.rpc('restore_deterministic_wallet', {
        ...{ password: PASSWORD, seed: PAYEE_SEED, restore_height: 0 },
      });
      const pid = kind === 'plain' ? pidOf(server) : member.pid;
      const before = cpuSeconds(pid);
      times[kind].push(await time(() => wallet.rpc('refresh')));
      cpu[kind].push(1000 * (cpuSeconds(pid) - before));
    };
    for (const name of restored) {
      const [plain, held] = [walletCalls(server.port, name), member.wallet(name)];
      await restore(plain, 'plain');
      await restore(held, 'held');
      if (name !== restored.at(-1)) for (const wallet of [plain, held]) await wallet.rpc('close_wallet');
    }
    chainRows.push(
      compared(`refresh of ${payments.toLocaleString('en')} payments from scratch`, times),
      compared('processor time of the server meanwhile', cpu),
    );
    await measureTip(
      postgres,
      database,
      walletCalls(server.port, restored.at(-1) ?? ''),
      member.wallet(restored.at(-1) ?? ''),
      daemon,
      server.port,
    );
  } finally {
    await server.stop();
    await cluster.stop();
    await chain.remove();
  }
}

/** Mines blocks with ten payments each, and refreshes after each of them. */
async function measureTip(
  postgres: PostgresCluster,
  database: string,
  plain: WalletCalls,
  held: WalletCalls,
  daemon: { generate(address: string, blocks: number): Promise<void> },
  port: number,
): Promise<void> {
  const payer = walletCalls(port, 'payer');
  await payer.rpc('create_wallet', { password: PASSWORD, language: 'English' });
  const { address } = await payer.rpc('get_address');
  await daemon.generate(address, blocks + 5);
  await daemon.generate(address, UNLOCK_BLOCKS);
  await payer.rpc('refresh');
  const { addresses } = await held.rpc('get_address', { account_index: 0 });
  const payees = (addresses as Loose[]).slice(0, PAYMENTS_A_BLOCK).map(({ address: one }) => String(one));
  for (const wallet of [plain, held]) await wallet.rpc('refresh');
  const steady = async (): Promise<number> => {
    let last = -1;
    return until('all frames', async () => {
      const { frames } = await shipped(postgres, database);
      const isSteady = frames === last;
      last = frames;
      return isSteady ? frames : undefined;
    });
  };
  const before = await steady();
  const times: { plain: number[]; held: number[] } = { plain: [], held: [] };
  for (let block = 0; block < blocks; block++) {
    await payer.rpc('transfer', {
      destinations: Array.from({ length: PAYMENTS_A_BLOCK }, (_, i) => ({
        amount: 1_000_000_000 + block,
        address: payees[i % payees.length],
      })),
    });
    await daemon.generate(address, 1);
    times.plain.push(await time(() => plain.rpc('refresh')));
    times.held.push(await time(() => held.rpc('refresh')));
    await payer.rpc('refresh');
  }
  const bytes = (await steady()) - before;
  chainRows.push(
    compared(`refresh of a block with ${PAYMENTS_A_BLOCK} payments at the tip`, times),
    [`bytes in frames for such a block`, '', kib(bytes / blocks), '', ''],
    ['bytes of all bases in the database', '', kib((await shipped(postgres, database)).base), '', ''],
  );
}

const postgres = await startPostgres({ isDurable: true });
try {
  if (only.includes('calls')) await measureCalls(postgres);
  if (only.includes('chain')) await measureChain(postgres);
} finally {
  await postgres.stop();
}
process.stdout.write(`medians of ${rounds} calls, of ${refreshes} refreshes, of ${blocks} blocks\n`);
printTable(['call', 'alone', 'cluster', 'more', 'bar', 'alone, 95 %', 'cluster, 95 %', 'passed on'], rows);
process.stdout.write('\n');
printTable(['chain', 'alone', 'cluster', 'more', 'bar'], chainRows);
process.exit(0);
