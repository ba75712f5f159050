import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { keccak } from '../src/crypto/keccak.js';
import type { Hash, KeyImage, PublicKey } from '../src/crypto/types.js';
import { accountKeysOf, spendSecretFromSeed } from '../src/cryptonote/account-keys.js';
import { decodeMnemonic } from '../src/cryptonote/mnemonic.js';
import { storeKey } from '../src/store/file/store-key.js';
import { WalletStore } from '../src/store/wallet-store.js';
import { amount } from '../src/util/amount.js';
import { toHex, utf8 } from '../src/util/bytes.js';
import type { FoundOutgoing, FoundSpend, OwnedOutput, ReceivedTx } from '../src/wallet/model/records.js';
import { startWalletRpc } from '../test/support/wallet-rpc.js';
import { PAYEE_SEED } from './paid-chain.js';
import { median, printTable } from './table.js';
import { pidOf, usage } from './usage.js';

/*
 * Cost of calls that an index serves, in a small wallet and in one with a million payments. The store's own writers
 * write the rows; no daemon is needed.
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

const PAYMENTS_A_BLOCK = 10;
const OUTPUTS_A_PAYMENT = 2;
/** Blocks per page, as in a refresh. */
const PAGE_BLOCKS = 100;
/** Age at which the outputs of a block are spent by one transaction [blocks]. One block in ten is not spent. */
const SPENT_AFTER = 20;
const ADDRESSES_AT_ONCE = 50_000;
const BAR = 1.5;

/** Bytes that a name determines. */
const named = <T>(kind: string, n: number): T => keccak(utf8(`${kind} ${n}`)) as Uint8Array as T;

const paymentHash = (n: number): Hash => named('payment', n);
const heightOf = (payment: number): number => Math.floor(payment / PAYMENTS_A_BLOCK);

/** The transaction of a payment, and its outputs. */
function paymentOf(n: number, addresses: number): { tx: ReceivedTx; outputs: OwnedOutput[] } {
  const txHash = paymentHash(n);
  const height = heightOf(n);
  const subaddress = { major: 0, minor: n % addresses };
  const outputs = Array.from({ length: OUTPUTS_A_PAYMENT }, (_, outputIndex): OwnedOutput => {
    const globalIndex = OUTPUTS_A_PAYMENT * n + outputIndex;
    return {
      ...{ txHash, outputIndex, globalIndex, subaddress, height },
      publicKey: named<PublicKey>('key', globalIndex),
      keyImage: named<KeyImage>('image', globalIndex),
      derivationKey: txHash as Uint8Array as PublicKey,
      ...{ amount: amount(1_000_000n + BigInt(n)), mask: 5n, rct: true, unlockTime: 0n },
      ...{ coinbase: false, change: false, burnt: false, frozen: false },
    };
  });
  const tx = {
    ...{ txHash, height, timestamp: 1_700_000_000 + 120 * height, unlockTime: 0n, fee: amount(30_000n) },
    ...{
      coinbase: false,
      txPublicKey: txHash as Uint8Array as PublicKey,
      additionalPublicKeys: [],
      size: 2000,
    },
  };
  return { tx, outputs };
}

/** Spends of all outputs of a block by one transaction. */
function spendingOf(
  spent: number,
  height: number,
  addresses: number,
): { spends: FoundSpend[]; outgoing: FoundOutgoing } {
  const txHash = named<Hash>('spending', height);
  const outputs = Array.from({ length: PAYMENTS_A_BLOCK }, (_, i) =>
    paymentOf(PAYMENTS_A_BLOCK * spent + i, addresses),
  ).flatMap((payment) => payment.outputs);
  const total = outputs.reduce((sum, output) => sum + output.amount, 0n);
  return {
    spends: outputs.flatMap(({ keyImage }) => (keyImage === undefined ? [] : [{ keyImage, txHash, height }])),
    outgoing: {
      ...{ txHash, height, timestamp: 1_700_000_000 + 120 * height, account: 0, unlockTime: 0n },
      fromIndices: [...new Set(outputs.map(({ subaddress }) => subaddress.minor))].sort((a, b) => a - b),
      ...{ amountIn: amount(total), change: amount(0n), fee: amount(30_000n) },
    },
  };
}

/** Writes payments to a store. */
async function fill(path: string, payments: number, addresses: number): Promise<void> {
  const spendSecret = spendSecretFromSeed(decodeMnemonic(PAYEE_SEED).seed);
  const { viewSecret } = accountKeysOf(spendSecret);
  const store = WalletStore.open(path, storeKey(viewSecret, spendSecret));
  const blocks = payments / PAYMENTS_A_BLOCK;
  for (let start = 0; start < blocks; start += PAGE_BLOCKS) {
    const heights = Array.from({ length: Math.min(PAGE_BLOCKS, blocks - start) }, (_, i) => start + i);
    const paid = heights.flatMap((height) =>
      Array.from({ length: PAYMENTS_A_BLOCK }, (_, i) => paymentOf(PAYMENTS_A_BLOCK * height + i, addresses)),
    );
    const spent = heights
      .filter((height) => height >= SPENT_AFTER && (height - SPENT_AFTER) % 10 !== 0)
      .map((height) => spendingOf(height - SPENT_AFTER, height, addresses));
    store.addPage({
      startHeight: start,
      hashes: heights.map((height) => named<Hash>('block', height)),
      received: paid.map(({ tx }) => tx),
      outputs: paid.flatMap(({ outputs }) => outputs),
      spends: spent.flatMap(({ spends }) => spends),
      outgoing: spent.map(({ outgoing }) => outgoing),
      subaddresses: [],
      lastBlockReward: amount(600_000_000_000n),
    });
    if ((start / PAGE_BLOCKS) % 20 === 0) await store.checkpoint();
  }
  await store.checkpoint();
  store.close();
}

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
    for (let made = 1; made < addresses; made += ADDRESSES_AT_ONCE) {
      const count = Math.min(ADDRESSES_AT_ONCE, addresses - made);
      await maker.rpc('create_address', { account_index: 0, count });
    }
    await maker.stop({ keep: true });
    const path = join(walletDir, 'w');
    const started = performance.now();
    await fill(path, payments, addresses);
    note('written, rows of payments a second', payments / ((performance.now() - started) / 1000));
    note('bytes of the store a payment', statSync(path).size / payments);
    const server = await startWalletRpc({ walletDir });
    try {
      const timed = async (method: string, params: unknown = {}): Promise<number> => {
        const before = performance.now();
        await server.rpc(method, params);
        return performance.now() - before;
      };
      note('open_wallet, ms', await timed('open_wallet', name));
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
      note('resident MiB', usage(pidOf(server)).residentMiB);
    } finally {
      await server.stop({ keep: true });
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
