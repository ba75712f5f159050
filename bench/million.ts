import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { toHex } from '../src/util/bytes.js';
import { startRegtestDaemon } from '../test/support/processes/regtest-daemon.js';
import { startWalletRpc } from '../test/support/processes/wallet-rpc.js';
import { createAddresses } from './create-addresses.js';
import { fillStore, paymentHash, PAYMENTS_A_BLOCK } from './filled-store.js';
import { PAYEE_SEED } from './paid-chain.js';
import { median, printTable } from './table.js';
import { memoryMiB, pidOf } from './usage.js';

/*
 * Cost of calls that an index serves, in a small wallet and in one with a million payments. The store's own writers
 * write the rows; the daemon has an empty chain, and answers get_transfer_by_txid about its pool.
 * usage: million [--sizes 1000,1000000] [--addresses-share 0.2] [--rounds 15]
 */

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,1000000' },
    'addresses-share': { type: 'string', default: '0.2' },
    rounds: { type: 'string', default: '15' },
  },
});
const ROUNDS = Number(options.rounds);

const BAR = 1.5;

type Figures = ReadonlyMap<string, number>;

async function measure(payments: number): Promise<Figures> {
  const figures = new Map<string, number>();
  const note = (what: string, value: number): void => {
    figures.set(what, value);
    process.stderr.write(`${payments}: ${what}: ${value.toFixed(2)}\n`);
  };
  const walletDir = mkdtempSync(join(tmpdir(), 'million-'));
  const addresses = Math.max(10, Math.round(payments * Number(options['addresses-share'])));
  const name = { filename: 'w', password: '' };
  try {
    const maker = await startWalletRpc({ walletDir });
    await maker.rpc('restore_deterministic_wallet', { ...name, seed: PAYEE_SEED, restore_height: 0 });
    await createAddresses(maker, addresses - 1);
    await maker.stop({ keep: true });
    const path = join(walletDir, 'w');
    const started = performance.now();
    await fillStore(path, payments, addresses);
    // Otherwise the system writes the new store to disk while calls are measured.
    execFileSync('sync');
    note('written, rows of payments a second', payments / ((performance.now() - started) / 1000));
    note('bytes of the store a payment', statSync(path).size / payments);
    const daemon = await startRegtestDaemon();
    const server = await startWalletRpc({ walletDir, daemon: daemon.address });
    try {
      const timed = async (method: string, params: unknown = {}): Promise<number> => {
        const before = performance.now();
        await server.rpc(method, params);
        return performance.now() - before;
      };
      note('open_wallet, ms', await timed('open_wallet', name));
      await server.rpc('auto_refresh', { enable: false });
      const tip = payments / PAYMENTS_A_BLOCK - 1;
      const place = (round: number) => ({ account_index: 0, subaddr_indices: [(round * 7919) % addresses] });
      const last = { in: true, out: true, filter_by_height: true, min_height: tip - 10, max_height: tip };
      const calls: readonly (readonly [
        what: string,
        method: string,
        params: (round: number) => unknown,
        afterChange?: boolean,
      ])[] = [
        ['get_balance', 'get_balance', () => ({ address_indices: [0] })],
        [
          'get_balance of one address',
          'get_balance',
          (round) => ({ address_indices: place(round).subaddr_indices }),
        ],
        ['get_balance after a change', 'get_balance', () => ({ address_indices: [0] }), true],
        ['get_accounts after a change', 'get_accounts', () => ({}), true],
        ['get_height', 'get_height', () => ({})],
        [
          'get_address of one address',
          'get_address',
          (round) => ({ address_index: place(round).subaddr_indices }),
        ],
        ['get_transfers of one address', 'get_transfers', (round) => ({ in: true, ...place(round) })],
        ['get_transfers of the last 10 blocks', 'get_transfers', () => last],
        ['get_transfers, a page of 100', 'get_transfers', () => ({ in: true, out: true, limit: 100 })],
        [
          'get_transfer_by_txid',
          'get_transfer_by_txid',
          (round) => ({ txid: toHex(paymentHash((round * 104_729) % payments)) }),
        ],
        ['get_events, 100', 'get_events', () => ({ limit: 100 })],
        ['get_events from the middle, 100', 'get_events', () => ({ after: payments, limit: 100 })],
        [
          'set_tx_notes',
          'set_tx_notes',
          (round) => ({ txids: [toHex(paymentHash((round * 31) % payments))], notes: ['paid'] }),
        ],
        [
          'get_tx_notes',
          'get_tx_notes',
          (round) => ({ txids: [toHex(paymentHash((round * 31) % payments))] }),
        ],
        ['label_address', 'label_address', (round) => ({ index: { major: 0, minor: round }, label: 'x' })],
        ['create_address', 'create_address', () => ({ account_index: 0 })],
        ['store', 'store', () => ({})],
      ];
      for (const [what, method, params, afterChange = false] of calls) {
        const times: number[] = [];
        for (let round = 0; round < 2 * ROUNDS; round++) {
          // Drops what is cached until the store changes.
          if (afterChange) await server.rpc('set_attribute', { key: 'round', value: String(round) });
          times.push(await timed(method, params(round)));
        }
        note(`${what}, ms`, median(times.slice(ROUNDS)));
      }
      note('close_wallet, ms', await timed('close_wallet'));
      note('memory MiB', memoryMiB(pidOf(server)));
    } finally {
      await server.stop({ keep: true });
      await daemon.stop();
    }
    return figures;
  } finally {
    rmSync(walletDir, { recursive: true, force: true });
  }
}

const sizes = options.sizes.split(',').map(Number);
const measured: Figures[] = [];
for (const size of sizes) measured.push(await measure(size));
const [small = new Map<string, number>(), large = new Map<string, number>()] = [measured[0], measured.at(-1)];
process.stdout.write(`medians of ${ROUNDS} after as many; the bar of calls is ${BAR}\n`);
printTable(
  ['payments', ...sizes.map((size) => size.toLocaleString('en')), 'ratio'],
  [...small.keys()].map((what) => [
    what,
    ...measured.map((figures) => (figures.get(what) ?? Number.NaN).toFixed(2)),
    ((large.get(what) ?? Number.NaN) / (small.get(what) ?? Number.NaN)).toFixed(2),
  ]),
);
