import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { post } from '../test/support/json-rpc.js';
import { startWalletRpc } from '../test/support/wallet-rpc.js';
import { fillStore } from './filled-store.js';
import { PAYEE_SEED } from './paid-chain.js';
import { median, printTable } from './table.js';
import { pidOf, usage } from './usage.js';

/*
 * Longest time for which a call keeps the main thread from other work, by the number of addresses of the wallet. The
 * server is offline.
 * usage: addresses [--sizes 1000,250000,300000,1000000] [--payments 10000] [--rounds 3] [--only METHOD]
 */

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,250000,300000,1000000' },
    payments: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
  },
});
const ROUNDS = Number(options.rounds);
const BAR_MS = 50;
const MAX_NEW_ADDRESSES = 65_536;
const PROBE = fileURLToPath(new URL('loop-probe.js', import.meta.url));

/** Time of a call, and processor time of the longest block of the main thread meanwhile [ms]. */
interface Sample {
  readonly ms: number;
  readonly blocked: number;
}

type Call = readonly [what: string, method: string, params?: (round: number) => unknown];

const CALLS: readonly Call[] = [
  ['create_address', 'create_address', () => ({ account_index: 0 })],
  ['get_address after it', 'get_address'],
  ['get_address again', 'get_address'],
  ['get_address of one', 'get_address', (round) => ({ address_index: [round] })],
  [
    'get_address of 1,000',
    'get_address',
    () => ({ address_index: Array.from({ length: 1000 }, (_, i) => 1000 - i) }),
  ],
  ['label_address', 'label_address', (round) => ({ index: { major: 0, minor: round }, label: 'x' })],
  ['get_address after it', 'get_address'],
  ['create_address, 65,536', 'create_address', () => ({ account_index: 0, count: MAX_NEW_ADDRESSES })],
  [
    'the same with a label',
    'create_address',
    () => ({ account_index: 0, count: MAX_NEW_ADDRESSES, label: 'x' }),
  ],
  ['create_account', 'create_account'],
  ['label_account', 'label_account', () => ({ account_index: 0, label: 'first' })],
  ['get_accounts', 'get_accounts'],
  ['get_balance', 'get_balance'],
  ['get_balance of all accounts', 'get_balance', () => ({ all_accounts: true })],
  ['get_transfers', 'get_transfers', () => ({ in: true, out: true, pool: true })],
  ['incoming_transfers', 'incoming_transfers', () => ({ transfer_type: 'all' })],
  ['get_bulk_payments', 'get_bulk_payments', () => ({})],
  ['get_height', 'get_height'],
  ['get_events', 'get_events', () => ({ limit: 1000 })],
  ['add_address_book', 'add_address_book', () => ({ address: STRANGER })],
  ['get_address_book', 'get_address_book'],
  ['export_outputs', 'export_outputs', () => ({ all: true })],
  ['export_key_images', 'export_key_images', () => ({ all: true })],
  [
    'set_subaddress_lookahead',
    'set_subaddress_lookahead',
    (round) => ({ major_idx: 50, minor_idx: 200 + 100 * round }),
  ],
  ['rescan_spent', 'rescan_spent'],
  ['store', 'store'],
  ['list_wallets', 'list_wallets'],
  ['close_wallet', 'close_wallet'],
  ['open_wallet', 'open_wallet', () => NAME],
];

const NAME = { filename: 'w', password: '' };
const STRANGER =
  '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';

async function measure(addresses: number): Promise<ReadonlyMap<string, Sample>> {
  const walletDir = mkdtempSync(join(tmpdir(), 'addresses-'));
  const socket = join(walletDir, 'probe.socket');
  const longest = async (): Promise<number> =>
    (JSON.parse(await text(connect(socket))) as { readonly cpu: number }).cpu;
  try {
    const maker = await startWalletRpc({ walletDir });
    await maker.rpc('restore_deterministic_wallet', { ...NAME, seed: PAYEE_SEED, restore_height: 0 });
    for (let made = 1; made < addresses; made += MAX_NEW_ADDRESSES) {
      const count = Math.min(MAX_NEW_ADDRESSES, addresses - made);
      await maker.rpc('create_address', { account_index: 0, count });
    }
    await maker.stop({ keep: true });
    await fillStore(join(walletDir, 'w'), Number(options.payments), addresses);
    const probe = { nodeFlags: [`--import=${PROBE}`], env: { LOOP_PROBE: socket } };
    const server = await startWalletRpc({ walletDir, ...probe });
    const samples = new Map<string, Sample[]>();
    const measureCall = async (what: string, method: string, params: unknown = {}): Promise<void> => {
      // Work that the call before left to be done, such as sending addresses to the refresh thread, is its own.
      await sleep(300);
      await longest();
      const started = performance.now();
      const body = JSON.stringify({ jsonrpc: '2.0', id: '0', method, params });
      const { text: answer } = await post(server.port, '/json_rpc', body);
      const ms = performance.now() - started;
      await sleep(700);
      const blocked = await longest();
      const error = answer.slice(0, 300).includes('"error"') ? answer.slice(0, 200) : '';
      process.stderr.write(
        `${addresses}: ${what}: ${ms.toFixed(1)}, blocked ${blocked.toFixed(1)} ${error}\n`,
      );
      samples.set(what, [...(samples.get(what) ?? []), { ms, blocked }]);
    };
    try {
      await measureCall('first open_wallet', 'open_wallet', NAME);
      await measureCall('first get_address', 'get_address');
      for (let round = 0; round < ROUNDS; round++)
        for (const [what, method, params = () => ({})] of CALLS)
          if (options.only === undefined || options.only === method || method === 'open_wallet')
            await measureCall(what, method, params(round));
      samples.set('resident MiB', [{ ms: usage(pidOf(server)).residentMiB, blocked: 0 }]);
    } finally {
      await server.stop({ keep: true });
    }
    return new Map(
      [...samples].map(([what, list]) => [
        what,
        { ms: median(list.map(({ ms }) => ms)), blocked: median(list.map(({ blocked }) => blocked)) },
      ]),
    );
  } finally {
    rmSync(walletDir, { recursive: true, force: true });
  }
}

const sizes = options.sizes.split(',').map(Number);
const measured: ReadonlyMap<string, Sample>[] = [];
for (const size of sizes) measured.push(await measure(size));
process.stdout.write(
  `processor time of the longest block of the main thread, and wall time of the call in brackets [ms], medians of ${ROUNDS}; the bar is ${BAR_MS}\n`,
);
printTable(
  ['addresses', ...sizes.map((size) => size.toLocaleString('en'))],
  [...(measured[0]?.keys() ?? [])].map((what) => [
    what,
    ...measured.map((figures) => {
      const { ms, blocked } = figures.get(what) ?? { ms: Number.NaN, blocked: Number.NaN };
      return what === 'resident MiB' ? ms.toFixed(0) : `${blocked.toFixed(0)} (${ms.toFixed(0)})`;
    }),
  ]),
);
