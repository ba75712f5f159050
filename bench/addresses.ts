import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { formatAddress } from '../src/monero/cryptonote/address.js';
import { subaddressKeys } from '../src/monero/cryptonote/subaddress-keys.js';
import { startRegtestDaemon } from '../test/support/processes/regtest-daemon.js';
import { addressWallet } from './address-wallet.js';
import { startWatched, type Blocking } from './blocking.js';
import { MAX_NEW_ADDRESSES } from './create-addresses.js';
import { HttpCaller } from './http-caller.js';
import { CALLS, FILENAME, PASSWORD, prepared, type Members, type Server } from './method-calls.js';
import { PAYEE } from './paid-chain.js';
import { printTable } from './table.js';
import { memoryMiB, MemoryWatch, pidOf } from './usage.js';

/*
 * Longest time for which a call keeps the main thread from other work, by the number of addresses of the wallet: by the
 * clock of the thread's processor time, and as another client feels it. The wallet has received payments on as many
 * addresses, and its daemon finds blocks.
 * usage: addresses [--sizes 1000,300000,1000000] [--payments 20000] [--rounds 3] [--keep DIR] [--only TEXT]
 */

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,300000,1000000' },
    payments: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '3' },
    keep: { type: 'string' },
    only: { type: 'string' },
  },
});
const ROUNDS = Number(options.rounds);
const PAYMENTS = Number(options.payments);
const BAR_MS = 50;
const NAME = { filename: FILENAME, password: PASSWORD };
/** Addresses beyond those that a wallet watches, with the usual lookahead. */
const BEYOND_LOOKAHEAD = 5000;

const addressOf = (minor: number): string =>
  formatAddress({
    ...{ network: 'mainnet', kind: 'subaddress' },
    ...subaddressKeys(PAYEE.spendPublicKey, PAYEE.viewSecret, { major: 0, minor }),
  });

/** Server, with the other means of the bench. */
interface Bench {
  readonly server: Server;
  readonly port: number;
  readonly addresses: number;
  readonly round: number;
  mine(blocks: number): Promise<void>;
}

/** Measured task, or a call of `CALLS` by the same name. */
type Task = (bench: Bench) => Promise<unknown>;

const calling =
  (method: string, params: (bench: Bench) => Members = () => ({})): Task =>
  (bench) =>
    bench.server.caller.call(method, params(bench));

const page =
  (path: string): Task =>
  ({ port }) =>
    new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port, path, agent: false }, (answer) => resolve(text(answer))).on(
        'error',
        reject,
      );
    });

const range = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first + i);
const EVERY_LIST = { in: true, out: true, pending: true, failed: true, pool: true };
const TIP = PAYMENTS / 10;

/** Pays addresses of the wallet in a new block. */
async function payIn({ server, mine }: Bench, minors: readonly number[]): Promise<void> {
  const destinations = minors.map((minor) => ({ address: addressOf(minor), amount: 1_000_000 }));
  await server.caller.call('transfer', { destinations });
  await mine(1);
}

/** Tasks by their names; those of `CALLS` are added. */
const TASKS: Record<string, Task> = {
  'open_wallet, first': calling('open_wallet', () => NAME),
  'get_address, first': calling('get_address'),
  create_address: calling('create_address', () => ({ account_index: 0 })),
  'get_address after it': calling('get_address'),
  'get_address of 1,000': calling('get_address', () => ({ address_index: range(1, 1000).reverse() })),
  'get_address of the last': calling('get_address', ({ addresses }) => ({ address_index: [addresses - 1] })),
  'get_address_index of the last': calling('get_address_index', ({ addresses }) => ({
    address: addressOf(addresses - 1),
  })),
  label_address: calling('label_address', ({ round }) => ({ index: { major: 0, minor: round }, label: 'x' })),
  'get_address after label': calling('get_address'),
  'create_address, 65,536': calling('create_address', () => ({ account_index: 0, count: MAX_NEW_ADDRESSES })),
  'create_address, 65,536 with label': calling('create_address', () => ({
    ...{ account_index: 0, count: MAX_NEW_ADDRESSES, label: 'x' },
  })),
  'mine after creating': ({ mine }) => mine(1),
  'refresh after creating': calling('refresh'),
  create_account: calling('create_account', () => ({ label: 'account' })),
  get_accounts: calling('get_accounts'),
  'get_accounts, strict': calling('get_accounts', () => ({ strict_balances: true })),
  get_balance: calling('get_balance'),
  'get_balance again': calling('get_balance'),
  'get_balance, strict': calling('get_balance', () => ({ strict: true })),
  'get_balance of all accounts': calling('get_balance', () => ({ all_accounts: true })),
  'get_balance of 10,000 addresses': calling('get_balance', () => ({ address_indices: range(0, 10_000) })),
  'get_balance of one address': calling('get_balance', () => ({ address_indices: [17] })),
  'get_transfers, all': calling('get_transfers', () => EVERY_LIST),
  'get_transfers, all accounts': calling('get_transfers', () => ({ ...EVERY_LIST, all_accounts: true })),
  'get_transfers of one address': calling('get_transfers', () => ({ ...EVERY_LIST, subaddr_indices: [17] })),
  'get_transfers of 10,000 addresses': calling('get_transfers', () => ({
    ...{ in: true, out: true, subaddr_indices: range(0, 10_000) },
  })),
  'get_transfers of 10 blocks': calling('get_transfers', () => ({
    ...{ in: true, out: true, filter_by_height: true, min_height: TIP - 10, max_height: TIP },
  })),
  'get_transfers, pool': calling('get_transfers', () => ({ pool: true })),
  'get_payments of all': calling('get_payments', () => ({ payment_id: '0'.repeat(16) })),
  get_bulk_payments: calling('get_bulk_payments'),
  'incoming_transfers, all': calling('incoming_transfers', () => ({ transfer_type: 'all' })),
  'incoming_transfers, available': calling('incoming_transfers', () => ({ transfer_type: 'available' })),
  'incoming_transfers of one address': calling('incoming_transfers', () => ({
    ...{ transfer_type: 'available', subaddr_indices: [17] },
  })),
  'get_events, 1,000': calling('get_events', () => ({ limit: 1000 })),
  'get_events, waiting': calling('get_events', () => ({ after: 1_000_000_000_000, wait_ms: 1000 })),
  list_wallets: calling('list_wallets'),
  '/status': page('/status'),
  '/metrics': page('/metrics'),
  '/readyz': page('/readyz'),
  'rpc.discover': calling('rpc.discover'),
  set_subaddress_lookahead: calling('set_subaddress_lookahead', ({ round }) => ({
    ...{ password: PASSWORD, major_idx: 50, minor_idx: 200 + 100 * round },
  })),
  'transfer to 15': calling('transfer', ({ server: { address } }) => ({
    destinations: Array.from({ length: 15 }, () => ({ address, amount: 1_000_000 })),
    do_not_relay: true,
  })),
  'transfer_split of most of it': calling('transfer_split', ({ server: { address } }) => ({
    destinations: [{ address, amount: 300_000_000_000_000 }],
    do_not_relay: true,
  })),
  'transfer from all addresses': calling('transfer', ({ server: { address } }) => ({
    destinations: [{ address, amount: 1_000_000 }],
    subaddr_indices: range(0, 5000),
    do_not_relay: true,
  })),
  'sweep_all of 300 addresses': calling('sweep_all', ({ server: { address } }) => ({
    ...{ address, account_index: 0, subaddr_indices: range(1, 300), do_not_relay: true },
  })),
  'sweep_all below an amount': calling('sweep_all', ({ server: { address } }) => ({
    ...{ address, account_index: 0, below_amount: 2_000_000, do_not_relay: true },
  })),
  'pay and mine': (bench) => payIn(bench, range(1000 * bench.round, 10)),
  'refresh, new payments': calling('refresh'),
  'pay in and beyond the lookahead': (bench) =>
    payIn(bench, [bench.addresses + 150, bench.addresses + 3 * MAX_NEW_ADDRESSES + BEYOND_LOOKAHEAD]),
  'refresh, payments beyond': calling('refresh'),
  backup_wallet: calling('backup_wallet'),
  setup_background_sync: calling('setup_background_sync', () => ({
    ...{ background_sync_type: 'reuse-wallet-password', wallet_password: PASSWORD },
  })),
  start_background_sync: calling('start_background_sync'),
  'refresh in background sync': calling('refresh'),
  stop_background_sync: calling('stop_background_sync', () => ({ wallet_password: PASSWORD })),
};

/** Leaves out calls that take minutes with many outputs, or after which another wallet is open. */
const LEFT_OUT = ['change_wallet_password', 'create_wallet', 'get_reserve_proof, all'];

const tasks: readonly (readonly [name: string, task: Task])[] = [
  ...Object.entries(TASKS),
  ...Object.entries(CALLS).flatMap(([name, call]) => {
    if (name in TASKS || LEFT_OUT.includes(name)) return [];
    const task: Task = async ({ server, round }) => {
      const made = call(server, round);
      if (made !== undefined) await server.caller.call(...made);
    };
    return [[name, task] as const];
  }),
];

async function measure(addresses: number): Promise<ReadonlyMap<string, Blocking>> {
  const made = await addressWallet({ addresses, payments: PAYMENTS, keep: options.keep });
  const daemon = await startRegtestDaemon([`--data-dir=${made.chainDir}`]);
  const watched = await startWatched(made.walletDir, daemon.address, [`--backup-dir=${made.backupDir}`]);
  const memory = new MemoryWatch(pidOf(watched.wallet));
  const caller = new HttpCaller(watched.wallet.port, { user: '', password: '' });
  const best = new Map<string, Blocking>();
  const note = async (name: string, task: () => Promise<unknown>): Promise<void> => {
    let failure = '';
    const found = await watched.during(() =>
      task().catch((error: unknown) => {
        failure = String(error).slice(0, 200);
      }),
    );
    const { ms, blocked, felt } = found;
    process.stderr.write(
      `${addresses}: ${name}: ${ms.toFixed(0)}, blocked ${blocked.toFixed(1)}, felt ${felt.toFixed(1)} ${failure}\n`,
    );
    const known = best.get(name) ?? found;
    best.set(name, {
      ms: Math.min(known.ms, ms),
      blocked: Math.min(known.blocked, blocked),
      felt: Math.min(known.felt, felt),
    });
  };
  try {
    await note('open_wallet, first', () => caller.call('open_wallet', NAME));
    await note('refresh, first', () => caller.call('refresh'));
    await caller.call('auto_refresh', { enable: false });
    const server = await prepared(caller, true);
    const mine = (blocks: number): Promise<void> => daemon.generate(server.address, blocks);
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, task] of tasks)
        if (options.only === undefined || new RegExp(options.only).test(name))
          await note(name, () => task({ server, port: watched.wallet.port, addresses, round, mine }));
    best.set('peak MiB', { ms: memory.stop(), blocked: 0, felt: 0 });
    best.set('memory MiB', { ms: memoryMiB(pidOf(watched.wallet)), blocked: 0, felt: 0 });
  } finally {
    caller.close();
    await watched.stop();
    await daemon.stop();
    made.remove();
  }
  return best;
}

const sizes = options.sizes.split(',').map(Number);
const measured: ReadonlyMap<string, Blocking>[] = [];
for (const size of sizes) measured.push(await measure(size));
process.stdout.write(
  `longest block of the main thread: processor time / felt by another client, (time of the call) [ms]; least of ${ROUNDS}; the bar is ${BAR_MS}\n`,
);
printTable(
  ['addresses', ...sizes.map((size) => size.toLocaleString('en'))],
  [...(measured[0]?.keys() ?? [])].map((what) => [
    what,
    ...measured.map((figures) => {
      const found = figures.get(what);
      if (found === undefined) return '';
      const { ms, blocked, felt } = found;
      return what.endsWith('MiB')
        ? ms.toFixed(0)
        : `${blocked.toFixed(0)} / ${felt.toFixed(0)} (${ms.toFixed(0)})`;
    }),
  ]),
);
