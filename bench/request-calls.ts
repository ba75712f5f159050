import { startReference, startWalletRpc, type WalletRpc } from '../test/support/processes/wallet-rpc.js';
import { referenceOf } from './filled-requests.js';
import { FILENAME, PASSWORD } from './method-calls.js';
import { PAYEE_SEED } from './paid-chain.js';
import { requestWallets } from './request-wallets.js';
import { median } from './table.js';
import { cpuSeconds, pidOf } from './usage.js';

export interface CallSetting {
  /** Number of open requests of the wallet. */
  readonly requests: number;
  readonly rounds: number;
  /** Directory for a profile of the server; absent: none. */
  readonly profile?: string | undefined;
}

/** Time of a call [ms]. */
export interface CallCost {
  /** Median until the answer. */
  readonly elapsed: number;
  /** Mean processor time of the server. */
  readonly cpu: number;
}

/** Costs of calls of a wallet with open requests. */
export interface CallFigures {
  readonly create: CallCost;
  readonly getOne: CallCost;
  readonly getByReference: CallCost;
  readonly list: CallCost;
  readonly listFromMiddle: CallCost;
  /** List of requests in several states. */
  readonly listByStates: CallCost;
  /** List of the requests with a text that none contains. */
  readonly listByText: CallCost;
}

/** Terms of a request that no payment fulfils. */
export const OPEN_TERMS = { amount: 1_000_000_000_000n, tolerance: 0n, confirmations: 10 };

const NAME = { filename: FILENAME, password: PASSWORD };

/** Measures a call of a server, after as many rounds that are not counted. */
async function timed(
  server: WalletRpc,
  rounds: number,
  call: (round: number) => Promise<unknown>,
): Promise<CallCost> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) await call(round);
  const before = cpuSeconds(pidOf(server));
  for (let round = rounds; round < 2 * rounds; round++) {
    const started = performance.now();
    await call(round);
    times.push(performance.now() - started);
  }
  return { elapsed: median(times), cpu: (1000 * (cpuSeconds(pidOf(server)) - before)) / rounds };
}

/** Measures calls of a wallet with open requests, whose store is on disk. */
export async function measureCalls({ requests, rounds, profile }: CallSetting): Promise<CallFigures> {
  const wallets = await requestWallets({ requests, terms: OPEN_TERMS });
  const server = await startWalletRpc({
    walletDir: wallets.requesting,
    nodeFlags: profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}/calls-${requests}`],
  });
  try {
    const { rpc } = server;
    await rpc('open_wallet', NAME);
    const place = (round: number): number => (round * 7919) % requests;
    const { request_id: id } = await rpc('get_payment_request', { reference: referenceOf(place(1)) });
    return {
      getOne: await timed(server, rounds, () => rpc('get_payment_request', { request_id: id })),
      getByReference: await timed(server, rounds, (round) =>
        rpc('get_payment_request', { reference: referenceOf(place(round)) }),
      ),
      list: await timed(server, rounds, () => rpc('list_payment_requests', { state: 'waiting', limit: 100 })),
      listFromMiddle: await timed(server, rounds, (round) =>
        rpc('list_payment_requests', { limit: 100, cursor: String(requests / 2 + round) }),
      ),
      listByStates: await timed(server, rounds, () =>
        rpc('list_payment_requests', { states: ['waiting', 'partial', 'paid'], limit: 100 }),
      ),
      listByText: await timed(server, rounds, () =>
        rpc('list_payment_requests', { text: 'no request contains this', limit: 100 }),
      ),
      create: await timed(server, rounds, (round) =>
        rpc('create_payment_request', {
          ...{ amount: 1_000_000_000_000, expires_in: 3600, label: 'a new order' },
          reference: `new ${round}`,
        }),
      ),
    };
  } finally {
    await server.stop();
    wallets.remove();
  }
}

/** Measures the call of the reference that a shop makes for a new order, with its address on disk. */
export async function measureReferenceAddress(rounds: number): Promise<CallCost> {
  const server = await startReference();
  try {
    await server.rpc('restore_deterministic_wallet', { ...NAME, seed: PAYEE_SEED, restore_height: 0 });
    return await timed(server, rounds, async () => {
      await server.rpc('create_address', { account_index: 0, label: 'a new order' });
      await server.rpc('store');
    });
  } finally {
    await server.stop();
  }
}
