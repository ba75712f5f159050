import { setTimeout as sleep } from 'node:timers/promises';
import { accountKeysOf, spendSecretFromSeed } from '../src/monero/cryptonote/account-keys.js';
import { formatAddress } from '../src/monero/cryptonote/address.js';
import { post } from '../test/support/network/json-rpc.js';
import { startRegtestDaemon } from '../test/support/processes/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../test/support/processes/wallet-rpc.js';
import { besideBusyPrograms } from './busy-programs.js';
import { createAddresses } from './create-addresses.js';
import { keptPaidChain } from './kept-paid-chain.js';
import { PAYEE_SEED, PAYMENTS_A_BLOCK } from './paid-chain.js';
import { median as medianOf, percentile } from './table.js';
import { cpuSeconds, memoryMiB, MemoryWatch, pidOf } from './usage.js';

export type Server = 'ours' | 'reference';

export interface Setting {
  readonly payments: number;
  /** Number of addresses that receive payments. */
  readonly addresses: number;
  readonly rounds: number;
  /** Number of additional addresses, for our server only: the reference creates 64 per call, which takes hours. */
  readonly subaddresses: number;
  readonly servers: readonly Server[];
  /** Whether only refreshes are measured, beside programs that keep all processors busy. */
  readonly busy: boolean;
  /** Directory that keeps chains for later runs; absent: a new chain is made and removed. */
  readonly keep?: string;
}

/** Number of payments that each client makes for a rate. */
const PAYMENTS_A_CLIENT = 8;

/** Time after which idle threads have ended and their memory is released. */
const REST_SECONDS = 75;

/** Times by request [ms]. */
export type Figures = ReadonlyMap<string, number>;

const clock = async (task: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await task();
  return performance.now() - started;
};

/** Time from sending a call to the last byte of its answer [ms]. */
async function ask(wallet: WalletRpc, method: string, params: unknown = {}): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: '0', method, params });
  const started = performance.now();
  const { text } = await post(wallet.port, '/json_rpc', body);
  const elapsed = performance.now() - started;
  if (text.slice(0, 300).includes('"error"')) throw new Error(`${method}: ${text.slice(0, 300)}`);
  return elapsed;
}

async function several(rounds: number, task: () => Promise<number>): Promise<number> {
  const samples = [];
  for (let round = 0; round < rounds; round++) samples.push(await task());
  return medianOf(samples);
}

/** Address of an unrelated wallet. */
const STRANGER = formatAddress({
  network: 'mainnet',
  kind: 'standard',
  ...accountKeysOf(spendSecretFromSeed(new Uint8Array(32).fill(7))),
});

const destinations = (count: number): object => ({
  destinations: Array.from({ length: count }, (_, i) => ({
    amount: 1_000_000 + i,
    address: STRANGER,
  })),
});

/** Makes requests while the wallet refreshes. @returns the time of each answer [ms]. */
async function whileRefreshing(wallet: WalletRpc, over: () => boolean): Promise<number[]> {
  const latencies: number[] = [];
  while (!over())
    for (const [method, params] of [
      ['get_balance', {}],
      ['get_transfers', { in: true, filter_by_height: true, min_height: 100, max_height: 110 }],
      ['create_address', { account_index: 0 }],
    ] as const) {
      latencies.push(await ask(wallet, method, params));
      await sleep(5);
    }
  return latencies;
}

/** Returns the number of payments to one payee that clients make in a second, none of which is relayed. */
async function paymentRate(wallet: WalletRpc, clients: number): Promise<number> {
  const params = { ...destinations(1), do_not_relay: true };
  const client = async (): Promise<void> => {
    for (let round = 0; round < PAYMENTS_A_CLIENT; round++) await ask(wallet, 'transfer', params);
  };
  const elapsed = await clock(() => Promise.all(Array.from({ length: clients }, client)));
  return (1000 * clients * PAYMENTS_A_CLIENT) / elapsed;
}

/** Times of a refresh [ms]. */
interface Refresh {
  readonly ms: number;
  readonly cpuMs: number;
}

const RESTORED = { password: '', seed: PAYEE_SEED, restore_height: 0 };

async function refresh(wallet: WalletRpc): Promise<Refresh> {
  const cpu = (): number => 1000 * cpuSeconds(pidOf(wallet));
  const before = cpu();
  const ms = await clock(() => wallet.rpc('refresh'));
  return { ms, cpuMs: cpu() - before };
}

/** Restores a wallet, and refreshes it while requests are made. @returns the time of each answer too [ms]. */
async function refreshWithRequests(
  wallet: WalletRpc,
  filename: string,
): Promise<{ readonly refreshed: Refresh; readonly latencies: readonly number[] }> {
  await wallet.rpc('restore_deterministic_wallet', { ...RESTORED, filename });
  let over = false;
  const refreshing = refresh(wallet).finally(() => (over = true));
  const [refreshed, latencies] = await Promise.all([refreshing, whileRefreshing(wallet, () => over)]);
  return { refreshed, latencies };
}

type Note = (what: string, value: number) => void;

/** Measures refreshes from scratch by a server, alternately alone and with requests. */
async function measureRefreshes(launch: () => Promise<WalletRpc>, rounds: number, note: Note): Promise<void> {
  const wallet = await launch();
  const alone: Refresh[] = [];
  const asked: Refresh[] = [];
  const latencies: number[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      await wallet.rpc('restore_deterministic_wallet', { ...RESTORED, filename: `undisturbed-${round}` });
      alone.push(await refresh(wallet));
      await wallet.rpc('close_wallet');
      const { refreshed, latencies: times } = await refreshWithRequests(wallet, `asked-${round}`);
      asked.push(refreshed);
      latencies.push(...times);
      await wallet.rpc('close_wallet');
    }
  } finally {
    await wallet.stop();
  }
  note('refresh', medianOf(alone.map(({ ms }) => ms)));
  note('refresh, CPU', medianOf(alone.map(({ cpuMs }) => cpuMs)));
  note('refresh with requests', medianOf(asked.map(({ ms }) => ms)));
  note('refresh with requests, CPU', medianOf(asked.map(({ cpuMs }) => cpuMs)));
  note('requests meanwhile, 99th percentile', percentile(latencies, 0.99));
  note('requests meanwhile, number', latencies.length);
}

/** Measures memory and requests of a server that has restored one wallet. @param tip height of the last payments. */
async function measure(
  launch: () => Promise<WalletRpc>,
  tip: number,
  { rounds, subaddresses, busy }: Pick<Setting, 'rounds' | 'subaddresses' | 'busy'>,
): Promise<Figures> {
  const figures = new Map<string, number>();
  const note: Note = (what, value) => {
    figures.set(what, value);
    process.stderr.write(`${what}: ${value.toFixed(1)}\n`);
  };
  if (busy) {
    await besideBusyPrograms(() => measureRefreshes(launch, rounds, note));
    return figures;
  }
  await measureRefreshes(launch, rounds, note);
  const wallet = await launch();
  const median = (task: () => Promise<number>): Promise<number> => several(rounds, task);
  const pid = pidOf(wallet);
  const watch = new MemoryWatch(pid);
  const name = { filename: 'large', password: '' };
  try {
    await refreshWithRequests(wallet, name.filename);
    note('get_balance', await median(() => ask(wallet, 'get_balance')));
    note('get_address', await median(() => ask(wallet, 'get_address')));
    const recent = {
      in: true,
      filter_by_height: true,
      min_height: tip - 100 / PAYMENTS_A_BLOCK,
      max_height: tip,
    };
    note('get_transfers, last 100', await median(() => ask(wallet, 'get_transfers', recent)));
    note(
      'get_transfers, whole',
      await median(() => ask(wallet, 'get_transfers', { in: true, out: true, pool: true, pending: true })),
    );
    note(
      'incoming_transfers, whole',
      await median(() => ask(wallet, 'incoming_transfers', { transfer_type: 'all' })),
    );
    note('create_address', await median(() => ask(wallet, 'create_address', { account_index: 0 })));
    note('store', await median(() => ask(wallet, 'store')));
    for (const count of [1, 15])
      try {
        note(`transfer to ${count}`, await median(() => ask(wallet, 'transfer', destinations(count))));
      } catch (error) {
        // The reference refuses the rings of a short chain.
        process.stderr.write(`left out: ${String(error)}\n`);
      }
    const closing: number[] = [];
    const opening: number[] = [];
    for (let round = 0; round < rounds; round++) {
      closing.push(await ask(wallet, 'close_wallet'));
      opening.push(await ask(wallet, 'open_wallet', name));
    }
    note('close_wallet', medianOf(closing));
    note('open_wallet', medianOf(opening));
    note('peak MiB', watch.stop());
    note('memory MiB', memoryMiB(pid));
    await sleep(1000 * REST_SECONDS);
    note('memory MiB, after a minute of rest', memoryMiB(pid));
    for (const clients of [1, 6])
      try {
        note(`payments a second, ${clients} at once`, await paymentRate(wallet, clients));
      } catch (error) {
        process.stderr.write(`left out: ${String(error)}\n`);
      }
    if (subaddresses === 0) return figures;
    await createAddresses(wallet, subaddresses);
    const number = subaddresses.toLocaleString('en');
    note(
      `create_address with ${number} subaddresses`,
      await median(() => ask(wallet, 'create_address', { account_index: 0 })),
    );
    note(`memory MiB with ${number} subaddresses`, memoryMiB(pid));
    return figures;
  } finally {
    await wallet.stop();
  }
}

/** Measures requests to a wallet with many payments, for both servers on the same chain in one run. */
export async function figuresOf(setting: Setting): Promise<ReadonlyMap<Server, Figures>> {
  const chain = await keptPaidChain(setting);
  const launch = { ours: startWalletRpc, reference: startReference };
  const results = new Map<Server, Figures>();
  try {
    const daemon = await startRegtestDaemon([`--data-dir=${chain.dataDir}`]);
    try {
      for (const server of setting.servers) {
        process.stderr.write(`${setting.payments} payments, ${server}\n`);
        const subaddresses = server === 'ours' ? setting.subaddresses : 0;
        results.set(
          server,
          await measure(
            () => launch[server]({ daemon: daemon.address }),
            setting.payments / PAYMENTS_A_BLOCK,
            { rounds: setting.rounds, subaddresses, busy: setting.busy },
          ),
        );
        await post(daemon.port, '/json_rpc', { jsonrpc: '2.0', id: '0', method: 'flush_txpool' });
      }
    } finally {
      await daemon.stop();
    }
  } finally {
    chain.remove();
  }
  return results;
}
