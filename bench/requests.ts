import { parseArgs } from 'node:util';
import { startRegtestDaemon } from '../test/support/processes/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../test/support/processes/wallet-rpc.js';
import { HttpCaller } from './http-caller.js';
import { keptPaidChain } from './kept-paid-chain.js';
import { PAYEE_SEED, PAYMENTS_A_BLOCK } from './paid-chain.js';
import { median, percentile, printTable } from './table.js';

/*
 * Time and number of small requests with a digest login, ours and the reference's on the same wallet: a shop with a
 * payment to each of its addresses.
 * usage: requests [--payments 5300] [--rounds 100] [--seconds 5] [--connections 50] [--only ours|reference]
 *   [--keep DIR]
 */

const { values: options } = parseArgs({
  options: {
    payments: { type: 'string', default: '5300' },
    rounds: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '50' },
    only: { type: 'string' },
    keep: { type: 'string' },
  },
});
const payments = Number(options.payments);
const rounds = Number(options.rounds);
const login = { user: 'bench', password: 'bench' };
const ARGS = [
  `--rpc-login=${login.user}:${login.password}`,
  '--rpc-max-connections=1000',
  '--rpc-max-connections-per-private-ip=1000',
];

/** Height of the last payments. */
const tip = payments / PAYMENTS_A_BLOCK;

interface Figure {
  readonly value: number;
  readonly unit: 'ms' | 'a second';
  /** Ratio to the reference: at most for times, at least for rates. */
  readonly bar?: number;
}

/** Payments of the small wallet, each to its own address. */
const SMALL = 100;

/** The n-th of the mixed requests to the small wallet. */
function mixed(n: number): readonly [method: string, params: unknown] {
  const requests: readonly (readonly [string, unknown])[] = [
    ['get_balance', {}],
    ['get_address', { account_index: 0, address_index: [n % SMALL] }],
    ['get_height', {}],
    ['get_transfers', { in: true, subaddr_indices: [n % SMALL] }],
    ['get_version', {}],
    ['incoming_transfers', { transfer_type: 'available', subaddr_indices: [n % SMALL] }],
    ['get_accounts', {}],
  ];
  return requests[n % requests.length] ?? ['get_version', {}];
}

/** Makes mixed requests on connections, each of which waits for its answer. @returns their times [ms]. */
async function load(port: number, connections: number): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + 1000 * Number(options.seconds);
  const run = async (first: number): Promise<void> => {
    const caller = new HttpCaller(port, login);
    for (let n = first; performance.now() < end; n++) times.push(await caller.time(...mixed(n)));
    caller.close();
  };
  await Promise.all(Array.from({ length: connections }, (_, i) => run(i)));
  return times;
}

/** Most addresses that the reference creates in one call. */
const MOST_CREATED = 64;

type Note = (what: string, value: number, unit: Figure['unit'], bar?: number) => void;

/** Restores the wallet that a chain pays, and returns it once it has found a number of payments. */
async function restore(server: WalletRpc, payments: number): Promise<HttpCaller> {
  const caller = new HttpCaller(server.port, login);
  await caller.call('restore_deterministic_wallet', {
    ...{ filename: 'shop', password: '', seed: PAYEE_SEED, restore_height: 0 },
  });
  // The reference finds payments to created addresses and to the 200 after them: it extends them between requests for
  // blocks only.
  for (let made = 1; made < payments; made += MOST_CREATED)
    await caller.call('create_address', { account_index: 0, count: Math.min(MOST_CREATED, payments - made) });
  await caller.call('rescan_blockchain');
  const found = await caller.call('incoming_transfers', { transfer_type: 'all' });
  const { length } = (JSON.parse(found) as { result: { transfers: unknown[] } }).result.transfers;
  if (length !== payments) throw new Error(`the wallet found ${length} payments`);
  return caller;
}

async function measureShop(server: WalletRpc, note: Note): Promise<void> {
  const caller = await restore(server, payments);
  const typical = async (paramsOf: (minor: number) => readonly [string, unknown]): Promise<number> => {
    const times: number[] = [];
    // The first half is not counted: a running server has compiled its code.
    for (let round = 0; round < 2 * rounds; round++)
      times.push(await caller.time(...paramsOf((round * 37) % payments)));
    return median(times.slice(rounds));
  };
  const place = (minor: number) => ({ account_index: 0, subaddr_indices: [minor] });
  const last = (blocks: number) => ({
    ...{ in: true, filter_by_height: true, min_height: tip - blocks, max_height: tip },
  });
  const ofOne = (lists: object) => (minor: number) =>
    ['get_transfers', { ...lists, ...place(minor) }] as const;
  const inAndPool = await typical(ofOne({ in: true, pool: true }));
  note('poll of a shop: get_transfers {in, pool} of one address', inAndPool, 'ms', 1);
  note('get_transfers {in} of one address', await typical(ofOne({ in: true })), 'ms', 1);
  const balance = await typical((minor) => ['get_balance', { account_index: 0, address_indices: [minor] }]);
  note('get_balance of one address', balance, 'ms', 0.5);
  note('get_transfers of the last 10 blocks', await typical(() => ['get_transfers', last(10)]), 'ms', 0.1);
  const all = await typical(() => ['incoming_transfers', { transfer_type: 'all' }]);
  note('incoming_transfers, whole', all, 'ms', 1);
  caller.close();
}

async function measureLoad(server: WalletRpc, note: Note): Promise<void> {
  (await restore(server, SMALL)).close();
  await load(server.port, 1);
  for (const [connections, rate, slowest] of [
    [1, 1, undefined],
    [Number(options.connections), 1.5, 0.8],
  ] as const) {
    const times = await load(server.port, connections);
    const named = `${connections} connection${connections === 1 ? '' : 's'} with digest, mixed requests`;
    note(`${named}: rate`, times.length / Number(options.seconds), 'a second', rate);
    note(`${named}: 99th percentile`, percentile(times, 0.99), 'ms', slowest);
  }
}

const servers = { ours: startWalletRpc, reference: startReference };
const figures = { ours: new Map<string, Figure>(), reference: new Map<string, Figure>() };
for (const [count, measure] of [
  [payments, measureShop],
  [SMALL, measureLoad],
] as const) {
  const chain = await keptPaidChain({ payments: count, addresses: count, keep: options.keep });
  const daemon = await startRegtestDaemon([`--data-dir=${chain.dataDir}`]);
  try {
    for (const name of ['ours', 'reference'] as const) {
      if (options.only !== undefined && options.only !== name) continue;
      const server = await servers[name]({ daemon: daemon.address, args: ARGS });
      try {
        await measure(server, (what, value, unit, bar) => {
          figures[name].set(what, { value, unit, ...(bar === undefined ? {} : { bar }) });
          process.stderr.write(`${name}: ${what}: ${value.toFixed(2)} ${unit}\n`);
        });
      } finally {
        await server.stop();
      }
    }
  } finally {
    await daemon.stop();
    chain.remove();
  }
}
process.stdout.write(
  `A shop with ${payments} payments to as many addresses (medians of ${rounds}), and a wallet with ${SMALL}\n`,
);
const names = [...new Set([...figures.ours.keys(), ...figures.reference.keys()])];
printTable(
  ['', 'ours', 'reference', 'ratio', 'bar'],
  names.map((what) => {
    const [ours, theirs] = [figures.ours.get(what), figures.reference.get(what)];
    const show = (figure: Figure | undefined): string =>
      figure === undefined ? '' : `${figure.value.toFixed(2)} ${figure.unit}`;
    const ratio = ours === undefined || theirs === undefined ? '' : (ours.value / theirs.value).toFixed(2);
    return [what, show(ours), show(theirs), ratio, String((ours ?? theirs)?.bar ?? '')];
  }),
);
