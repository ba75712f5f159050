import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { unpackBenchChain } from '../test/support/chain/bench-chain.js';
import { startDaemonProxy } from '../test/support/network/daemon-proxy.js';
import { walletCalls, type Loose } from '../test/support/network/json-rpc.js';
import { startMonerod, type Monerod } from '../test/support/processes/monerod.js';
import { startRegtestDaemon } from '../test/support/processes/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../test/support/processes/wallet-rpc.js';
import { makePaidChain, PAYEE, PAYEE_SEED } from './paid-chain.js';
import { percentile, printTable } from './table.js';
import { cpuSeconds, mainThreadSeconds, memoryMiB, pidOf } from './usage.js';

/*
 * Many wallets in one process; beside it as many processes of the reference as there are wallets.
 * usage: many-wallets [--only restore,idle,busy] [--wallets 100] [--idle 1000] [--payments 50000]
 */

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'restore,idle,busy' },
    wallets: { type: 'string', default: '100' },
    idle: { type: 'string', default: '1000' },
    payments: { type: 'string', default: '50000' },
  },
});
const WALLETS = Number(options.wallets);
const IDLE = Number(options.idle);
const PAYMENTS = Number(options.payments);
const REFERENCES = 10;
const BLOCKS = 5;
/** Wallets in a row that must know a block before all are listed. */
const AT_TIP_ASKED = 20;
const language = 'English';
const CONNECTIONS = ['--rpc-max-connections=2000', '--rpc-max-connections-per-private-ip=2000'];

type Row = readonly [what: string, value: string, bar: string];
const rows: Row[] = [];
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const nameOf = (i: number): string => `w${i}`;
/** Runs tasks, some of them at the same time. */
async function inParallel(
  count: number,
  limit: number,
  task: (i: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) await task(i);
  };
  await Promise.all(Array.from({ length: limit }, worker));
}

/** Time of a request [ms]. */
async function timeOf(request: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await request();
  return performance.now() - started;
}

const METHODS = ['get_balance', 'get_address', 'get_height', 'get_transfers'];

/** True if a sampled request makes the server read the daemon's pool. */
const readsPool = (i: number): boolean => METHODS[i % METHODS.length] === 'get_transfers';

const spread = (times: readonly number[]): string =>
  `${percentile(times, 0.5).toFixed(1)} / ${percentile(times, 0.99).toFixed(1)} ms`;

/** Sends requests to random wallets until it is stopped. @returns their times [ms]. */
function sampleRequests(server: WalletRpc, wallets: number): { stop(): Promise<number[]> } {
  const times: number[] = [];
  let stopped = false;
  const sampling = (async () => {
    for (let i = 0; !stopped; i++) {
      const wallet = walletCalls(server.port, nameOf((i * 37) % wallets));
      const method = METHODS[i % METHODS.length] ?? 'get_height';
      times.push(await timeOf(() => wallet.call(method, { in: true, pool: true, limit: 10 })));
      await sleep(5);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await sampling;
      return times;
    },
  };
}

/** Waits until all wallets know a number of blocks. Asks single ones for it, before one list confirms it. */
async function untilAtTip(server: WalletRpc, wallets: number, height: number): Promise<void> {
  const isAtTip = (wallet: Loose): boolean => wallet.height === undefined || wallet.height >= height;
  for (;;) {
    for (let asked = 0, i = 0; asked < AT_TIP_ASKED; i++) {
      const at = isAtTip(await walletCalls(server.port, nameOf((i * 619) % wallets)).rpc('get_height'));
      asked = at ? asked + 1 : 0;
      await sleep(at ? 0 : 10);
    }
    if ((await server.rpc('list_wallets')).wallets.every(isAtTip)) return;
  }
}

/** Restores wallets over the bench chain: ours in one process, the reference's in a process each. */
async function measureRestore(): Promise<void> {
  const chain = unpackBenchChain();
  const daemon = await startMonerod({ dataDir: chain.dataDir });
  try {
    const { seed } = chain.wallet('merchant');
    const restoration = (filename: string, password = '') => ({
      filename,
      password,
      seed,
      restore_height: 0,
    });
    const ours = async (
      count: number,
      passwordOf: (i: number) => string = () => '',
    ): Promise<{ readonly ms: number; readonly cpu: number }> => {
      const server = await startWalletRpc({ daemon: daemon.address, args: CONNECTIONS });
      try {
        await sleep(1000);
        const before = cpuSeconds(pidOf(server));
        const ms = await timeOf(async () => {
          await inParallel(count, 8, (i) =>
            walletCalls(server.port, nameOf(i)).rpc(
              'restore_deterministic_wallet',
              restoration(nameOf(i), passwordOf(i)),
            ),
          );
          await inParallel(count, count, (i) => walletCalls(server.port, nameOf(i)).rpc('refresh'));
        });
        const cpu = cpuSeconds(pidOf(server));
        const { balance } = await walletCalls(server.port, nameOf(count - 1)).rpc('get_balance', {
          all_accounts: true,
        });
        if (balance !== chain.meta.merchant_balance) throw new Error(`wrong balance: ${balance}`);
        return { ms, cpu: cpu - before };
      } finally {
        await server.stop();
      }
    };
    const references = async (count: number): Promise<{ readonly ms: number; readonly cpu: number }> => {
      const servers = await Promise.all(
        Array.from({ length: count }, () => startReference({ daemon: daemon.address })),
      );
      try {
        await sleep(1000);
        const cpuOf = (): number => servers.reduce((sum, server) => sum + cpuSeconds(pidOf(server)), 0);
        const before = cpuOf();
        const ms = await timeOf(() =>
          Promise.all(
            servers.map(async (server) => {
              await server.rpc('restore_deterministic_wallet', restoration('w'));
              await server.rpc('refresh');
            }),
          ),
        );
        return { ms, cpu: cpuOf() - before };
      } finally {
        await Promise.all(servers.map((server) => server.stop()));
      }
    };
    const one = await ours(1);
    const ten = await ours(REFERENCES);
    const many = await ours(WALLETS);
    const referenceOne = await references(1);
    const reference = await references(REFERENCES);
    const own = await ours(WALLETS, (i) => `password ${i}`);
    rows.push(
      [
        '1 wallet restored, wall time: ours, reference',
        `${seconds(one.ms)}, ${seconds(referenceOne.ms)}`,
        '',
      ],
      [
        `${REFERENCES} wallets restored: ours, ${REFERENCES} references`,
        `${seconds(ten.ms)}, ${seconds(reference.ms)}`,
        '',
      ],
      [
        `${WALLETS} wallets restored, against ${REFERENCES} references with one each`,
        `${seconds(many.ms)}, ${seconds(reference.ms)}: ${(many.ms / reference.ms).toFixed(2)}`,
        'no slower',
      ],
      [
        'the same, each of ours with a password of its own',
        `${seconds(own.ms)}: ${(own.ms / reference.ms).toFixed(2)}`,
        'no slower',
      ],
      [
        'CPU with one password: ours, references',
        `${many.cpu.toFixed(1)} s, ${reference.cpu.toFixed(1)} s`,
        '',
      ],
      [`CPU of it, a wallet of ${WALLETS} over one alone`, (many.cpu / WALLETS / one.cpu).toFixed(2), ''],
    );
  } finally {
    await daemon.stop();
    chain.remove();
  }
}

/** Opens wallets at the start, leaves them idle, and brings them a block. */
async function measureIdle(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'idle-'));
  const daemon = await startRegtestDaemon();
  const proxy = await startDaemonProxy(daemon.address);
  let pages = 0;
  proxy.decide = (path) => {
    if (path.startsWith('/getblocks')) pages += 1;
    return 'forward';
  };
  try {
    const walletDir = join(root, 'wallets');
    mkdirSync(walletDir, { mode: 0o700 });
    const maker = await startWalletRpc({ walletDir, daemon: daemon.address, args: CONNECTIONS });
    await inParallel(IDLE, 8, async (i) => {
      const wallet = walletCalls(maker.port, nameOf(i));
      await wallet.rpc('create_wallet', { password: '', language });
      // A wallet that has read a block has all its addresses in its store, like any wallet in use.
      const { address } = await wallet.rpc('get_address');
      if (i === 0) await daemon.generate(address, 5);
      await wallet.rpc('refresh');
    });
    await maker.stop({ keep: true });
    const memory = new Map<number, number>();
    for (const count of [1, 100, IDLE]) {
      const server = await startWalletRpc({
        ...{ walletDir, daemon: proxy.address },
        args: [...CONNECTIONS, ...Array.from({ length: count }, (_, i) => `--open=${nameOf(i)}`)],
      });
      const sampler = sampleRequests(server, count);
      while (!server.process.output().includes('wallets of --open were opened')) await sleep(100);
      const times = await sampler.stop();
      const opening = cpuSeconds(pidOf(server));
      if (count === IDLE)
        rows.push(
          [`opening ${IDLE} wallets at the start, CPU`, `${opening.toFixed(0)} s`, '120 s'],
          ['requests meanwhile, 99th percentile', `${percentile(times, 0.99).toFixed(1)} ms`, ''],
        );
      await sleep(90_000);
      memory.set(count, memoryMiB(pidOf(server)));
      if (count === IDLE) await measureBlocks(server, daemon, () => pages);
      await server.stop({ keep: true });
    }
    const alone = memory.get(1) ?? 0;
    for (const [count, mebibytes] of memory)
      if (count > 1)
        rows.push([
          `memory of ${count} idle wallets, a wallet over one (${mebibytes.toFixed(0)} MiB in all)`,
          `${((mebibytes - alone) / (count - 1)).toFixed(2)} MiB`,
          '1.5 MiB',
        ]);
  } finally {
    await proxy.stop();
    await daemon.stop();
    rmSync(root, { recursive: true, force: true });
  }
}

/** Time and page requests until a block is in every wallet, once a refresh cycle begins; for several blocks. */
async function measureBlocks(server: WalletRpc, daemon: Monerod, pages: () => number): Promise<void> {
  const { address } = await walletCalls(server.port, nameOf(0)).rpc('get_address');
  const reached: number[] = [];
  const requested: number[] = [];
  const cpu: number[] = [];
  const times: number[] = [];
  for (let block = 0; block < BLOCKS; block++) {
    await daemon.rpc('generateblocks', { wallet_address: address, amount_of_blocks: 1 });
    const { height } = await daemon.rpc('get_info');
    const before = { pages: pages(), cpu: mainThreadSeconds(pidOf(server)) };
    while (pages() === before.pages) await sleep(2);
    const sampler = sampleRequests(server, IDLE);
    reached.push(await timeOf(() => untilAtTip(server, IDLE, height)));
    times.push(...(await sampler.stop()));
    requested.push(pages() - before.pages);
    cpu.push((1000 * (mainThreadSeconds(pidOf(server)) - before.cpu)) / IDLE);
    await sleep(10_000);
  }
  rows.push(
    [
      `a new block reaches ${IDLE} wallets, each of ${BLOCKS}`,
      reached.map((ms) => seconds(ms)).join(', '),
      '1 s',
    ],
    ['page requests to the daemon for it', requested.join(', '), '1'],
    ['CPU of the main thread for it, a wallet', cpu.map((ms) => `${ms.toFixed(2)} ms`).join(', '), ''],
    [
      `${times.length} requests meanwhile, 99th percentile (median)`,
      `${percentile(times, 0.99).toFixed(1)} ms (${percentile(times, 0.5).toFixed(1)} ms)`,
      '20 ms',
    ],
  );
}

/** Requests and a payment while many wallets refresh and one restores a large history. */
async function measureBusy(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'busy-'));
  await makePaidChain(dataDir, PAYEE, PAYMENTS, 1000);
  const daemon = await startRegtestDaemon([`--data-dir=${dataDir}`]);
  const server = await startWalletRpc({ daemon: daemon.address, args: [...CONNECTIONS, '--trusted-daemon'] });
  try {
    await inParallel(WALLETS, 4, (i) =>
      walletCalls(server.port, nameOf(i)).rpc('create_wallet', { password: '', language }),
    );
    const payer = walletCalls(server.port, nameOf(0));
    const { address } = await payer.rpc('get_address');
    await daemon.rpc('generateblocks', { wallet_address: address, amount_of_blocks: 80 });
    await payer.rpc('refresh');
    const pay = (): Promise<number> =>
      timeOf(() =>
        payer.rpc('transfer', { destinations: [{ amount: 1_000_000, address }], do_not_relay: true }),
      );
    const quiet: number[] = [];
    for (let i = 0; i < 7; i++) quiet.push(await pay());
    const large = walletCalls(server.port, 'large');
    const restoring = large
      .rpc('restore_deterministic_wallet', { password: '', seed: PAYEE_SEED, restore_height: 0 })
      .then(() => large.rpc('refresh'));
    let done = false;
    void restoring.then(() => (done = true));
    const rescans = inParallel(WALLETS - 1, WALLETS, (i) =>
      walletCalls(server.port, nameOf(i + 1)).rpc('rescan_blockchain'),
    );
    await sleep(500);
    const sampler = sampleRequests(server, WALLETS);
    const meanwhile: number[] = [];
    while (!done) {
      meanwhile.push(await pay());
      await sleep(500);
    }
    await rescans;
    const times = await sampler.stop();
    rows.push(
      [
        `requests while ${WALLETS} refresh and one restores ${PAYMENTS} payments, 99th percentile`,
        `${percentile(times, 0.99).toFixed(1)} ms`,
        '20 ms',
      ],
      [
        `medians and 99th percentiles of ${times.length} requests: without the pool, with it`,
        `${spread(times.filter((_, i) => !readsPool(i)))}, ${spread(times.filter((_, i) => readsPool(i)))}`,
        '',
      ],
      [
        'a payment meanwhile, over one in quiet (medians)',
        (percentile(meanwhile, 0.5) / percentile(quiet, 0.5)).toFixed(2),
        '2',
      ],
    );
  } finally {
    await server.stop();
    await daemon.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const only = options.only.split(',');
if (only.includes('restore')) await measureRestore();
if (only.includes('idle')) await measureIdle();
if (only.includes('busy')) await measureBusy();
printTable(['', 'measured', 'must reach'], rows);
