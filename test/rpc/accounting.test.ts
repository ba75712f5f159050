import { describe, expect, it, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { Hash } from '../../src/monero/crypto/types.js';
import { BOOK_FORMATS, exportBooks, type BookFormat } from '../../src/rpc/wire/accounting.js';
import type { ExportedPayment } from '../../src/services/history/payment-export.js';
import { amount } from '../../src/util/amount.js';
import { toHex } from '../../src/util/bytes.js';
import { bytes } from '../store/fixtures.js';
import { csvRecords } from '../support/values/csv-records.js';

const XMR = 1_000_000_000_000n;
/** 2026-01-31T12:00:05Z. */
const TIME = 1_769_860_805;

const payment = (n: number, changes: Partial<ExportedPayment>): ExportedPayment => ({
  ...{ time: TIME, height: n, txHash: bytes<Hash>(n), direction: 'in', state: 'mined', account: 0 },
  ...{ address: '', destinations: [], label: '', reference: '', orderKey: '', payoutIds: [] },
  ...{ amount: amount(0n), fee: amount(0n) },
  ...changes,
});

const received = (n: number, value: bigint, changes: Partial<ExportedPayment> = {}): ExportedPayment =>
  payment(n, { amount: amount(value), ...changes });
const paid = (
  n: number,
  value: bigint,
  fee: bigint,
  changes: Partial<ExportedPayment> = {},
): ExportedPayment => payment(n, { direction: 'out', amount: amount(value), fee: amount(fee), ...changes });

async function* pagesOf(
  payments: readonly ExportedPayment[],
  size = payments.length || 1,
): AsyncGenerator<readonly ExportedPayment[]> {
  for (let i = 0; i < payments.length; i += size) yield await Promise.resolve(payments.slice(i, i + size));
}

async function textOf(
  format: BookFormat,
  payments: readonly ExportedPayment[],
  size?: number,
): Promise<string> {
  let text = '';
  for await (const piece of exportBooks(format, pagesOf(payments, size))) text += piece;
  return text;
}

const recordsOf = async (format: BookFormat, payments: readonly ExportedPayment[]): Promise<string[][]> =>
  csvRecords(await textOf(format, payments)).slice(1);

const hash = (n: number): string => toHex(bytes<Hash>(n));

describe('the form for Koinly', () => {
  it('has the columns of the universal template, with the fee beside the sent amount', async () => {
    const text = await textOf('koinly', [received(1, XMR, { reference: '4711' }), paid(2, XMR, XMR / 1000n)]);
    expect(text.split('\r\n')).toEqual([
      'Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash',
      `2026-01-31 12:00:05 UTC,,,1.000000000000,XMR,,,,,,4711,${hash(1)}`,
      `2026-01-31 12:00:05 UTC,1.000000000000,XMR,,,0.001000000000,XMR,,,,,${hash(2)}`,
      '',
    ]);
  });

  it('has a fee alone as a cost', async () => {
    expect(await recordsOf('koinly', [paid(3, 0n, XMR / 1000n)])).toEqual([
      ['2026-01-31 12:00:05 UTC', '0.001000000000', 'XMR', '', '', '', '', '', '', 'cost', '', hash(3)],
    ]);
  });
});

describe('the form for CoinTracking', () => {
  it('has the columns of its import, with the fee in the amount sold', async () => {
    const text = await textOf('cointracking', [
      received(1, XMR),
      paid(2, XMR, XMR / 1000n, { orderKey: 'withdrawal-1' }),
      paid(3, 0n, XMR / 1000n),
    ]);
    expect(text.split('\r\n')).toEqual([
      'Type,Buy Amount,Buy Currency,Sell Amount,Sell Currency,Fee,Fee Currency,Exchange,Trade-Group,Comment,Date,Tx-ID',
      `Deposit,1.000000000000,XMR,,,,,Monero,,,2026-01-31 12:00:05,${hash(1)}`,
      `Withdrawal,,,1.001000000000,XMR,0.001000000000,XMR,Monero,,withdrawal-1,2026-01-31 12:00:05,${hash(2)}`,
      `Other Fee,,,0.001000000000,XMR,,,Monero,,,2026-01-31 12:00:05,${hash(3)}`,
      '',
    ]);
  });
});

describe('the journal', () => {
  it('has a record for each account that a transaction changes', async () => {
    const text = await textOf('journal', [paid(2, XMR, 5n, { account: 3, orderKey: '=1' })]);
    expect(text.split('\r\n')).toEqual([
      'time,tx_hash,account,amount_xmr,amount_atomic,description',
      `2026-01-31T12:00:05Z,${hash(2)},Assets:Monero:3,-1.000000000005,-1000000000005,'=1`,
      `2026-01-31T12:00:05Z,${hash(2)},Expenses:Monero:Payments,1.000000000000,1000000000000,'=1`,
      `2026-01-31T12:00:05Z,${hash(2)},Expenses:Monero:Fees,0.000000000005,5,'=1`,
      '',
    ]);
  });

  it('moves a payment between accounts of the wallet, which is neither income nor an expense', async () => {
    const moved = [received(4, XMR, { account: 1 }), paid(4, 3n * XMR, 7n)];
    expect((await recordsOf('journal', moved)).map(([, , account, , value]) => [account, value])).toEqual([
      ['Assets:Monero:1', String(XMR)],
      ['Assets:Monero:0', String(-3n * XMR - 7n)],
      ['Expenses:Monero:Payments', String(2n * XMR)],
      ['Expenses:Monero:Fees', '7'],
    ]);
  });
});

describe('the text for ledger', () => {
  it('has an entry for each transaction, with an empty line after it', async () => {
    const text = await textOf('ledger', [received(1, XMR, { label: 'tea; 2\u2028kg | green\n' })]);
    expect(text).toBe(
      [
        `2026-01-31 * (${hash(1)}) tea  2 kg   green`,
        '    ; time: 2026-01-31T12:00:05Z',
        '    Assets:Monero:0  1.000000000000 XMR',
        '    Income:Monero  -1.000000000000 XMR',
        '',
        '',
      ].join('\n'),
    );
  });
});

describe('the forms for books', () => {
  test.each(BOOK_FORMATS)('leave out what is not mined: %s', async (format) => {
    const payments = (['pool', 'pending', 'failed'] as const).map((state) => received(1, XMR, { state }));
    expect(await textOf(format, payments)).toBe(await textOf(format, []));
  });

  // The text is written in pieces of 128 records, of which the names of the columns are one.
  test.each([126, 127, 128, 254, 255, 256])(
    'contain each of %i transactions once, in their order',
    async (count) => {
      const payments = Array.from({ length: count }, (_, n) =>
        received(n % 256, BigInt(n + 1), { height: n }),
      );
      const records = await recordsOf('journal', payments);
      const assets = records.filter(([, , account = '']) => account.startsWith('Assets'));
      expect(assets.map(([, , , , atomic]) => atomic)).toEqual(
        payments.map(({ amount: got }) => String(got)),
      );
    },
  );

  it('have entries that sum to the changes of the accounts, however the pages divide them', async () => {
    const value = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    const part = fc.record({
      value,
      fee: fc.bigInt({ min: 0n, max: XMR }),
      account: fc.nat(2),
      isPaid: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(part, { minLength: 1, maxLength: 4 }), { maxLength: 300 }),
        fc.integer({ min: 1, max: 7 }),
        async (txs, size) => {
          const payments = txs.flatMap((parts, n) =>
            parts.map((one, i) =>
              // A transaction has one payer at most.
              one.isPaid && i === 0
                ? paid(n % 256, one.value, one.fee, { account: one.account, height: n })
                : received(n % 256, one.value, { account: one.account, height: n }),
            ),
          );
          const changes = new Map<string, bigint>();
          for (const { direction, account, amount: moved, fee } of payments) {
            const name = `Assets:Monero:${account}`;
            changes.set(name, (changes.get(name) ?? 0n) + (direction === 'in' ? moved : -moved - fee));
          }
          const text = await textOf('journal', payments, size);
          const totals = new Map<string, bigint>();
          let total = 0n;
          for (const [, , account = '', , atomic = ''] of csvRecords(text).slice(1)) {
            totals.set(account, (totals.get(account) ?? 0n) + BigInt(atomic));
            total += BigInt(atomic);
          }
          expect(total).toBe(0n);
          for (const [account, change] of changes) expect(totals.get(account) ?? 0n).toBe(change);
          const net = [...changes.values()].reduce((sum, change) => sum + change, 0n);
          const atomic = (coins: string): bigint => BigInt(coins === '' ? 0 : coins.replace('.', ''));
          const koinly = csvRecords(await textOf('koinly', payments, size)).slice(1);
          expect(
            koinly.reduce(
              (sum, [, sent = '', , got = '', , fee = '']) => sum + atomic(got) - atomic(sent) - atomic(fee),
              0n,
            ),
          ).toBe(net);
          const tracked = csvRecords(await textOf('cointracking', payments, size)).slice(1);
          expect(
            tracked.reduce((sum, [, bought = '', , sold = '']) => sum + atomic(bought) - atomic(sold), 0n),
          ).toBe(net);
        },
      ),
      { numRuns: 60 },
    );
  });
});
