import { startRegtestDaemon } from '../test/support/processes/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../test/support/processes/wallet-rpc.js';
import { keptPaidChain, type PaymentKind } from './kept-paid-chain.js';
import { FILENAME, PASSWORD } from './method-calls.js';
import { PAYEE_SEED } from './paid-chain.js';
import { requestWallets } from './request-wallets.js';
import { median } from './table.js';
import { cpuSeconds, mainThreadSeconds, pidOf } from './usage.js';

export interface RefreshSetting {
  /** Number of payments, each to another address, and of requests. */
  readonly payments: number;
  readonly kind: PaymentKind;
  readonly rounds: number;
  /** Directory that keeps chains for later runs; absent: a new chain is made and removed. */
  readonly keep?: string | undefined;
  /** Directory for profiles of our servers; absent: none. */
  readonly profile?: string | undefined;
  /** Whether the reference is measured. */
  readonly reference: boolean;
}

/** Times of a refresh of the whole chain [ms]. */
export interface RefreshCost {
  readonly elapsed: number;
  readonly cpu: number;
  readonly mainThread: number;
}

export interface RefreshFigures {
  readonly plain: RefreshCost;
  readonly requesting: RefreshCost;
  readonly reference?: {
    readonly elapsed: number;
    readonly cpu: number;
    /** Time of `get_transfers` of all addresses [ms]. */
    readonly pollAll: number;
    /** Time of `get_transfers` of one address [ms]. */
    readonly pollOne: number;
  };
}

/** Terms that the payments of both chains fulfil, 1.6 to 3.6 XMR each, without an excess. */
const TERMS = { amount: 20_000_000_000_000n, tolerance: 19_500_000_000_000n, confirmations: 10 };

const NAME = { filename: FILENAME, password: PASSWORD };
const COSTS = ['elapsed', 'cpu', 'mainThread'] as const;

async function costOf(server: WalletRpc): Promise<RefreshCost> {
  const pid = pidOf(server);
  const [cpu, mainThread] = [cpuSeconds(pid), mainThreadSeconds(pid)];
  const started = performance.now();
  await server.rpc('refresh');
  return {
    elapsed: performance.now() - started,
    cpu: 1000 * (cpuSeconds(pid) - cpu),
    mainThread: 1000 * (mainThreadSeconds(pid) - mainThread),
  };
}

const medianCost = (costs: readonly RefreshCost[]): RefreshCost => ({
  elapsed: median(costs.map(({ elapsed }) => elapsed)),
  cpu: median(costs.map(({ cpu }) => cpu)),
  mainThread: median(costs.map(({ mainThread }) => mainThread)),
});

/**
 * Measures polls of the reference, which has read the chain from scratch. It finds payments to many addresses only partly,
 * because it extends its lookahead between batches of blocks.
 */
async function ofReference(daemon: string, rounds: number): Promise<RefreshFigures['reference']> {
  const server = await startReference({ daemon });
  try {
    await server.rpc('restore_deterministic_wallet', { ...NAME, seed: PAYEE_SEED, restore_height: 0 });
    const cost = await costOf(server);
    const poll = async (params: object): Promise<number> => {
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const started = performance.now();
        await server.rpc('get_transfers', { in: true, pool: true, account_index: 0, ...params });
        times.push(performance.now() - started);
      }
      return median(times);
    };
    return { ...cost, pollAll: await poll({}), pollOne: await poll({ subaddr_indices: [7] }) };
  } finally {
    await server.stop();
  }
}

/** Refreshes a wallet whose addresses all have a request, and one without requests, alternately over the same chain. */
export async function measureRefresh(setting: RefreshSetting): Promise<RefreshFigures> {
  const { payments, kind, rounds, keep, profile } = setting;
  const chain = await keptPaidChain({ payments, addresses: payments, kind, keep });
  const wallets = await requestWallets({ requests: payments, terms: TERMS });
  const daemon = await startRegtestDaemon([`--data-dir=${chain.dataDir}`]);
  const refresh = async (directory: string, paid: number): Promise<RefreshCost> => {
    const nodeFlags =
      profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}/${kind}-${paid}`];
    const server = await startWalletRpc({
      ...{ walletDir: wallets.copyOf(directory), daemon: daemon.address },
      ...{ args: ['--refresh-period=0'], nodeFlags },
    });
    try {
      await server.rpc('open_wallet', NAME);
      const cost = await costOf(server);
      const { requests = [] } = await server.rpc('list_payment_requests', { state: 'paid', limit: 1000 });
      if ((requests as unknown[]).length !== Math.min(1000, paid))
        throw new Error(`${(requests as unknown[]).length} requests are paid in place of ${paid}`);
      process.stderr.write(`${paid} requests: ${COSTS.map((of) => cost[of].toFixed(0)).join(' ')}\n`);
      return cost;
    } finally {
      await server.stop();
    }
  };
  try {
    const samples: { readonly plain: RefreshCost[]; readonly requesting: RefreshCost[] } = {
      plain: [],
      requesting: [],
    };
    // The payments in the last blocks of the chain are locked, or have too few confirmations.
    const paid = payments - 1000;
    for (let round = 0; round < rounds; round++) {
      samples.plain.push(await refresh(wallets.plain, 0));
      samples.requesting.push(await refresh(wallets.requesting, paid));
    }
    const reference = setting.reference ? await ofReference(daemon.address, rounds) : undefined;
    return {
      plain: medianCost(samples.plain),
      requesting: medianCost(samples.requesting),
      ...(reference === undefined ? {} : { reference }),
    };
  } finally {
    await daemon.stop();
    wallets.remove();
    chain.remove();
  }
}
