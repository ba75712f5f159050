import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { Hash } from '../../../src/monero/crypto/types.js';
import type { FoundOutgoing, OwnedOutput, ReceivedTx } from '../../../src/monero/wallet/scan/findings.js';
import { History, type HistoryList } from '../../../src/services/history/history.js';
import type { HistoryEntry } from '../../../src/services/history/history-rows.js';
import {
  PaymentExport,
  type ExportedPayment,
  type ExportFilter,
} from '../../../src/services/history/payment-export.js';
import { amount } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import type { Json } from '../../../src/util/json.js';
import { writeJson } from '../../../src/util/json-writer.js';
import { bytes, output, page, received } from '../../store/fixtures.js';
import { storeHistory } from '../../support/wallets/history-fixture.js';
import { madePayment } from '../../support/wallets/made-payment.js';
import { TestWallet } from '../../support/wallets/test-wallet.js';
import { unminedPayment } from '../../support/wallets/unmined-payment.js';

const ALWAYS = { from: 0, to: 4_000_000_000 };
const LISTS: readonly HistoryList[] = ['in', 'out', 'pending', 'failed', 'pool'];

async function exported(wallet: TestWallet, filter: ExportFilter): Promise<ExportedPayment[]> {
  const { pages, release } = PaymentExport.read(wallet, filter);
  const rows: ExportedPayment[] = [];
  for await (const rowsOfPage of pages) rows.push(...rowsOfPage);
  release();
  return rows;
}

const firstBytes = (rows: readonly ExportedPayment[]): (number | undefined)[] =>
  rows.map(({ txHash }) => txHash[0]);

/** All rows of the lists of `get_transfers`. */
async function transfers(wallet: TestWallet, account?: number): Promise<HistoryEntry[]> {
  const { lists, release } = new History(wallet, wallet).list(new Set(LISTS), {
    ...{ minHeight: -1, maxHeight: Number.MAX_SAFE_INTEGER },
    ...(account === undefined ? {} : { account }),
  });
  const entries: HistoryEntry[] = [];
  for (const list of LISTS) for await (const rows of lists[list] ?? []) entries.push(...rows);
  release();
  return entries;
}

const isIncoming = ({ type }: HistoryEntry): boolean => ['in', 'block', 'pool'].includes(type);

/** Facts of an entry that its export has too. */
const factsOf = (entry: HistoryEntry) => ({
  time: entry.timestamp,
  height: entry.height,
  txHash: toHex(entry.txHash),
  direction: isIncoming(entry) ? 'in' : 'out',
  account: entry.subaddress.major,
  state: ['in', 'block', 'out'].includes(entry.type) ? 'mined' : entry.type,
  address: isIncoming(entry) ? entry.address : '',
  destinations: entry.destinations.map((to) => ({ ...to })),
  // Amounts paid: see `export-sums.test.ts`.
  amount: isIncoming(entry) ? entry.amount : undefined,
  fee: isIncoming(entry) ? 0n : entry.fee,
});

const withoutNames = ({
  label: _l,
  reference: _r,
  orderKey: _k,
  payoutIds: _p,
  ...payment
}: ExportedPayment) => ({
  ...payment,
  destinations: payment.destinations.map((to) => ({ ...to })),
  txHash: toHex(payment.txHash),
  amount: payment.direction === 'in' ? payment.amount : undefined,
});

/** Rows as texts with the members in one order, sorted. */
const sorted = (rows: readonly { readonly [name: string]: Json | undefined }[]): string[] =>
  rows.map(writeJson).sort();

/** Records an order whose transaction has a hash of equal bytes. */
const placeOrder = (wallet: TestWallet, key: string, byte: number): number =>
  wallet.store.write((w) =>
    w.orders.add({
      ...{ key, method: 'transfer', requestHash: bytes<Hash>(9), created: 1, sent: true },
      made: { payments: [madePayment(byte, [byte])] },
    }),
  );

describe('exported payments', () => {
  let wallet: TestWallet;
  beforeEach(() => {
    wallet = new TestWallet();
    storeHistory(wallet);
  });
  afterEach(() => wallet.close());

  it('are all payments: mined ones by height, then the others by time', async () => {
    const rows = await exported(wallet, ALWAYS);
    expect(firstBytes(rows)).toEqual([1, 2, 3, 201, 202, 50, 51, 203, 204, 205]);
    expect(rows.map(({ state }) => state)).toEqual([
      ...['mined', 'mined', 'mined', 'mined', 'mined'],
      ...['pool', 'pool', 'pending', 'pending', 'failed'],
    ]);
    expect(rows.map(({ direction }) => direction)).toEqual([
      ...['in', 'in', 'in', 'out', 'out', 'in', 'in', 'out', 'out', 'out'],
    ]);
  });

  it('begin at the first time and lie before the second one', async () => {
    // Block 1 has the time 1001, block 3 the time 1003.
    const between = async (from: number, to: number) => firstBytes(await exported(wallet, { from, to }));
    expect(await between(1001, 1003)).toEqual([1, 2]);
    expect(await between(1002, 1004)).toEqual([2, 3]);
    expect(await between(50, 51)).toEqual([50]);
    expect(await between(1_700_000_000, 1_700_000_001)).toEqual([201, 202, 203, 204, 205]);
    expect(await between(2000, 3000)).toEqual([]);
  });

  it('are those of one account on request', async () => {
    expect(firstBytes(await exported(wallet, { ...ALWAYS, account: 1 }))).toEqual([3, 202, 51]);
  });

  it('have the fee only where this wallet paid it', async () => {
    const rows = await exported(wallet, ALWAYS);
    expect(new Set(rows.map(({ direction, fee }) => `${direction} ${fee}`))).toEqual(
      new Set(['in 0', 'out 2']),
    );
  });

  it('have the label of the address and the reference of its payment request', async () => {
    const subaddress = { major: 0, minor: 1 };
    wallet.store.write((w) => {
      w.subaddresses.setLabel(subaddress, 'shop');
      w.requests.add({
        ...{ requestId: 'r', token: new Uint8Array(16), subaddress, tolerance: amount(0n) },
        ...{ confirmations: 1, created: 1, firstHeight: 0, reference: '4711' },
      });
    });
    const named = (await exported(wallet, ALWAYS)).filter(({ reference }) => reference !== '');
    expect(named.map(({ txHash, label, reference }) => [txHash[0], label, reference])).toEqual([
      [2, 'shop', '4711'],
      [50, 'shop', '4711'],
    ]);
  });

  it('have the idempotency key of the order that made them', async () => {
    placeOrder(wallet, 'withdrawal-1', 202);
    placeOrder(wallet, 'withdrawal-2', 205);
    const keys = (await exported(wallet, ALWAYS)).map(({ txHash, orderKey }) => [txHash[0], orderKey]);
    expect(keys.filter(([, key]) => key !== '')).toEqual([
      [202, 'withdrawal-1'],
      [205, 'withdrawal-2'],
    ]);
  });

  it('have the recorded recipients of an outgoing payment', async () => {
    const rows = await exported(wallet, ALWAYS);
    const pending = rows.find(({ txHash }) => txHash[0] === 203);
    expect(pending?.destinations).toEqual([{ address: 'a', amount: 40n }]);
    expect(pending?.address).toBe('');
  });

  it('show neither label, reference, idempotency key nor recipients while notes are hidden', async () => {
    const hiding = new TestWallet({ backgroundSync: 'custom-background-password' });
    try {
      storeHistory(hiding);
      const subaddress = { major: 0, minor: 1 };
      hiding.store.write((w) => {
        w.subaddresses.setLabel(subaddress, 'shop');
        w.requests.add({
          ...{ requestId: 'r', token: new Uint8Array(16), subaddress, tolerance: amount(0n) },
          ...{ confirmations: 1, created: 1, firstHeight: 0, reference: '4711' },
        });
      });
      placeOrder(hiding, 'withdrawal-1', 202);
      hiding.hide();
      const rows = await exported(hiding, ALWAYS);
      expect(rows.length).toBe(10);
      expect(new Set(rows.map(({ label, reference, orderKey }) => label + reference + orderKey))).toEqual(
        new Set(['']),
      );
      expect(rows.flatMap(({ destinations }) => destinations)).toEqual([]);
    } finally {
      hiding.close();
    }
  });
});

/** A transaction of a random history. */
interface Tx {
  readonly kind: 'in' | 'out' | 'both' | 'pool' | 'pending' | 'prepared' | 'failed';
  readonly time: number;
  /** Number of blocks between the block of the former transaction and its own. */
  readonly gap: number;
  readonly account: number;
  readonly minors: readonly number[];
}

const EARLIEST = 1_700_000_000;
const transactions = fc.array(
  fc.record<Tx>({
    kind: fc.constantFrom('in', 'in', 'in', 'out', 'out', 'both', 'pool', 'pending', 'prepared', 'failed'),
    time: fc.integer({ min: EARLIEST, max: EARLIEST + 60 }),
    gap: fc.nat(2),
    account: fc.nat(1),
    minors: fc.array(fc.nat(3), { minLength: 1, maxLength: 3 }),
  }),
  { maxLength: 80 },
);

/** Stores a random history. Several of it make more than one page. */
function store({ store: file, accounts }: TestWallet, txs: readonly Tx[]): void {
  accounts.create('');
  let height = 1;
  const [found, outputs, sent]: [ReceivedTx[], OwnedOutput[], FoundOutgoing[]] = [[], [], []];
  file.write((w) => {
    txs.forEach(({ kind, time, gap, account, minors }, i) => {
      const n = 1000 + i;
      const txHash = bytes<Hash>(n);
      const own = unminedPayment(n, { txHash, account, timestamp: time });
      height += gap;
      if (kind === 'in' || kind === 'both') {
        found.push({ ...received(n, height), timestamp: time });
        outputs.push(
          ...minors.map((minor, k) =>
            output(n, height, BigInt(n + k), {
              ...{ outputIndex: k, globalIndex: 10 * n + k, subaddress: { major: account, minor } },
              ...{ publicKey: bytes(10 * n + k), keyImage: bytes(10 * n + k) },
            }),
          ),
        );
      }
      if (kind === 'out' || kind === 'both') {
        const { fromIndices, amountIn, fee, change, unlockTime } = own;
        sent.push({
          ...{ txHash, account, fromIndices, amountIn, fee, change, unlockTime, height },
          timestamp: time,
        });
      }
      if (kind === 'pool')
        w.pool.add({
          ...{ txHash, timestamp: time, unlockTime: 0n, fee: amount(1n), doubleSpendSeen: false },
          outputs: minors.map((minor, outputIndex) => ({
            ...{ outputIndex, amount: amount(BigInt(n)), subaddress: { major: account, minor } },
          })),
        });
      if (kind === 'pending' || kind === 'prepared' || kind === 'failed')
        w.outgoing.insert({
          ...own,
          state: kind,
          destinations: minors.map((minor) => ({ address: `a${minor}`, amount: amount(BigInt(minor)) })),
        });
    });
    w.applyPage(page(0, height + 1, { received: found, outputs, outgoing: sent }));
  });
}

describe('any history', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'export-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('is exported as get_transfers lists it, as far as it lies in the period', async () => {
    let run = 0;
    const bound = fc.integer({ min: EARLIEST - 1, max: EARLIEST + 62 });
    await fc.assert(
      fc.asyncProperty(
        ...([transactions, transactions, bound, bound, fc.option(fc.nat(1), { nil: undefined })] as const),
        async (some, others, from, to, account) => {
          const wallet = new TestWallet({ path: join(directory, `w${(run += 1)}`) });
          try {
            store(wallet, [...some, ...others]);
            const filter = { from, to, ...(account === undefined ? {} : { account }) };
            const rows = await exported(wallet, filter);
            const listed = (await transfers(wallet, account)).filter(
              ({ timestamp }) => timestamp >= from && timestamp < to,
            );
            expect(sorted(rows.map(withoutNames))).toEqual(sorted(listed.map(factsOf)));
            const heights = rows.filter(({ state }) => state === 'mined').map(({ height }) => height);
            expect(heights).toEqual([...heights].sort((a, b) => a - b));
          } finally {
            wallet.close();
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('belongs to one state of the store, whatever is written while it is read', async () => {
    const wallet = new TestWallet({ path: join(directory, 'w') });
    try {
      const txs = Array.from({ length: 400 }, (_, i): Tx => ({
        ...{ kind: i % 2 === 0 ? 'in' : 'out', time: EARLIEST + i, gap: 1, account: 0, minors: [i % 4] },
      }));
      store(wallet, txs);
      const { pages, release } = PaymentExport.read(wallet, ALWAYS);
      let count = 0;
      for await (const rows of pages) {
        if (count === 0) wallet.store.write((w) => w.detach(1));
        count += rows.length;
      }
      release();
      expect(count).toBe(400);
    } finally {
      wallet.close();
    }
  });
});
