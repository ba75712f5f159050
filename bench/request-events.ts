import { setTimeout as sleep } from 'node:timers/promises';
import { formatAddress } from '../src/monero/cryptonote/address.js';
import { subaddressKeys } from '../src/monero/cryptonote/subaddress-keys.js';
import { createClient } from '../src/client/client.js';
import { walletCalls } from '../test/support/network/json-rpc.js';
import { freePort } from '../test/support/processes/process.js';
import type { Monerod } from '../test/support/processes/monerod.js';
import { startRegtestDaemon } from '../test/support/processes/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../test/support/processes/wallet-rpc.js';
import { FILENAME, PASSWORD } from './method-calls.js';
import { PAYEE, PAYEE_SEED } from './paid-chain.js';
import { requestWallets } from './request-wallets.js';
import { median } from './table.js';
import { cpuSeconds, pidOf } from './usage.js';

export interface LatencySetting {
  /** Number of open requests of the wallet. */
  readonly requests: number;
  /** Number of payments to each kind of wallet. */
  readonly payments: number;
  /** Whether the reference is measured. */
  readonly reference: boolean;
}

/** Medians of the time from a transaction or block at the daemon until the shop knows of it [ms]. */
export interface Latency {
  readonly seen: number;
  readonly mined: number;
}

/** Latency of our server, and its processor time for one payment from the mempool to its block [ms]. */
export interface OwnLatency extends Latency {
  readonly cpu: number;
}

export interface LatencyFigures {
  readonly plain: OwnLatency;
  readonly requesting: OwnLatency;
  readonly reference?: Latency;
}

const AMOUNT = 1_000_000_000;
const TERMS = { amount: BigInt(AMOUNT), tolerance: 0n, confirmations: 1 };
/** Blocks whose rewards the payer can spend, and the blocks that lock them. */
const FIRST_BLOCKS = 140;
/** Parts in which the two kinds of wallets are measured by turns. */
const TURNS = 5;
/** Time between two polls of a shop that uses the reference [ms]. */
const POLL_MS = 1000;
const NAME = { filename: FILENAME, password: PASSWORD };

/** Address that the next payment is made to, of those that have a request. */
const addressOf = (minor: number): string =>
  formatAddress({
    ...{ network: 'mainnet', kind: 'subaddress' },
    ...subaddressKeys(PAYEE.spendPublicKey, PAYEE.viewSecret, { major: 0, minor }),
  });

/** Waits until the shop knows of a payment, in the mempool or in a block, to an address. */
type Watch = (payment: { readonly minor: number; readonly isMined: boolean }) => Promise<void>;

/** Pays from a wallet of its own. */
class Payer {
  readonly #daemon: Monerod;
  readonly #wallet: WalletRpc;
  #address = '';

  constructor(daemon: Monerod, wallet: WalletRpc) {
    this.#daemon = daemon;
    this.#wallet = wallet;
  }

  async open(): Promise<void> {
    await this.#wallet.rpc('create_wallet', { filename: 'payer', password: '', language: 'English' });
    this.#address = (await this.#wallet.rpc('get_address')).address as string;
    await this.#daemon.generate(this.#address, FIRST_BLOCKS);
    await this.#wallet.rpc('refresh');
  }

  /** Pays an address, first into the mempool and then in a block. @returns the times until the shop knows it [ms]. */
  async pay(minor: number, watch: Watch): Promise<Latency> {
    await this.#wallet.rpc('refresh');
    const { tx_blob: blob } = await this.#wallet.rpc('transfer', {
      destinations: [{ address: addressOf(minor), amount: AMOUNT }],
      ...{ do_not_relay: true, get_tx_hex: true },
    });
    await sleep(50 + Math.random() * 500);
    const seen = await this.#until(watch({ minor, isMined: false }), () =>
      this.#daemon.plain('/send_raw_transaction', { tx_as_hex: blob }),
    );
    await sleep(50 + Math.random() * 500);
    const mined = await this.#until(watch({ minor, isMined: true }), () =>
      this.#daemon.generate(this.#address, 1),
    );
    return { seen, mined };
  }

  async #until(known: Promise<void>, cause: () => Promise<unknown>): Promise<number> {
    const started = performance.now();
    const [at] = await Promise.all([known.then(() => performance.now()), cause()]);
    return at - started;
  }
}

const medians = (latencies: readonly Latency[]): Latency => ({
  seen: median(latencies.map(({ seen }) => seen)),
  mined: median(latencies.map(({ mined }) => mined)),
});

/** Returns a watch by the stream of events of our server. */
function byEvents(
  server: WalletRpc,
  types: { readonly seen: string; readonly mined: string },
  signal: AbortSignal,
): Watch {
  const waiting = new Map<string, () => void>();
  const client = createClient({ url: `http://127.0.0.1:${server.port}`, wallet: FILENAME });
  const read = async (): Promise<void> => {
    const { cursor } = await client.get_events({ limit: 1000 });
    for await (const event of client.events({ after: Number(cursor), signal }))
      if ('subaddr_index' in event.data)
        waiting.get(`${event.type} ${Number(event.data.subaddr_index.minor)}`)?.();
  };
  read().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return ({ minor, isMined }) =>
    new Promise((resolve) => waiting.set(`${isMined ? types.mined : types.seen} ${minor}`, resolve));
}

/** Returns a watch by polls of the reference. */
const byPolls =
  (server: WalletRpc): Watch =>
  async ({ minor, isMined }) => {
    // The payment comes at any time between two polls.
    await sleep(Math.random() * POLL_MS);
    for (;;) {
      const list = await server.rpc('get_transfers', {
        ...{ in: true, pool: true, account_index: 0, subaddr_indices: [minor] },
      });
      if ((list[isMined ? 'in' : 'pool'] ?? []).length > 0) return;
      await sleep(POLL_MS);
    }
  };

/** Pays requests of a wallet at the tip, and measures the time until the shop knows it, with and without requests by turns. */
export async function measureLatency({
  requests,
  payments,
  reference,
}: LatencySetting): Promise<LatencyFigures> {
  const wallets = await requestWallets({ requests, terms: TERMS });
  const zmq = await freePort();
  const daemon = await startRegtestDaemon([`--zmq-pub=tcp://127.0.0.1:${zmq}`]);
  const payerServer = await startWalletRpc({ daemon: daemon.address, args: ['--refresh-period=0'] });
  const payer = new Payer(daemon, payerServer);
  let paid = 0;
  const measure = async (watch: Watch, count: number): Promise<Latency[]> => {
    const latencies: Latency[] = [];
    for (let i = 0; i < count; i++) latencies.push(await payer.pay(++paid, watch));
    return latencies;
  };
  const ofEvents = async (
    walletDir: string,
    types: { seen: string; mined: string },
  ): Promise<{ readonly latencies: Latency[]; readonly cpu: number }> => {
    const server = await startWalletRpc({
      ...{ walletDir, daemon: daemon.address, args: [`--daemon-zmq=tcp://127.0.0.1:${zmq}`] },
    });
    const abort = new AbortController();
    try {
      const wallet = walletCalls(server.port, FILENAME);
      await wallet.rpc('open_wallet', { password: PASSWORD });
      await wallet.rpc('refresh');
      const watch = byEvents(server, types, abort.signal);
      await sleep(1000);
      const before = cpuSeconds(pidOf(server));
      const latencies = await measure(watch, Math.ceil(payments / TURNS));
      return { latencies, cpu: (1000 * (cpuSeconds(pidOf(server)) - before)) / latencies.length };
    } finally {
      abort.abort();
      await server.stop({ keep: true });
    }
  };
  const ofPolls = async (): Promise<Latency[]> => {
    const server = await startReference({ daemon: daemon.address });
    try {
      await server.rpc('restore_deterministic_wallet', { ...NAME, seed: PAYEE_SEED, restore_height: 0 });
      await server.rpc('refresh');
      await server.rpc('auto_refresh', { period: POLL_MS / 1000 });
      return await measure(byPolls(server), payments);
    } finally {
      await server.stop();
    }
  };
  try {
    await payer.open();
    const plain: Awaited<ReturnType<typeof ofEvents>>[] = [];
    const requesting: typeof plain = [];
    for (let turn = 0; turn < TURNS; turn++) {
      plain.push(await ofEvents(wallets.plain, { seen: 'payment.seen', mined: 'payment.mined' }));
      requesting.push(await ofEvents(wallets.requesting, { seen: 'request.seen', mined: 'request.paid' }));
    }
    const figuresOf = (turns: typeof plain): OwnLatency => ({
      ...medians(turns.flatMap(({ latencies }) => latencies)),
      cpu: median(turns.map(({ cpu }) => cpu)),
    });
    return {
      plain: figuresOf(plain),
      requesting: figuresOf(requesting),
      ...(reference ? { reference: medians(await ofPolls()) } : {}),
    };
  } finally {
    await payerServer.stop();
    await daemon.stop();
    wallets.remove();
  }
}
