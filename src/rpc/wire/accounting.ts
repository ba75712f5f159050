import { formatCoins } from '../../monero/cryptonote/coins.js';
import type { ExportedPayment } from '../../services/history/payment-export.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { instantText } from '../../util/clock.js';
import { csvRecord, withoutFormulas } from './csv.js';

/*
 * Forms of the export for programs that compute taxes and keep books: one entry for each mined transaction. The entries of a
 * period sum to the change of the balance by blocks of the period. Payments between accounts of the wallet cancel out.
 */

/** Mined transaction in the books of the wallet. `received` less `paid` and `fee` is the sum of `changes`. */
interface BookEntry {
  readonly time: number;
  readonly txHash: string;
  /** Change of each account that the transaction changes [atomic units]. */
  readonly changes: ReadonlyMap<number, bigint>;
  /** Amount received from others [atomic units]. */
  readonly received: bigint;
  /** Amount paid to others, without the fee [atomic units]. */
  readonly paid: bigint;
  readonly fee: bigint;
  /** References, labels and idempotency keys of the payments. */
  readonly description: string;
}

/** Form of one entry, and the text before the first one. */
interface BookForm {
  readonly begin: string;
  readonly write: (entry: BookEntry) => string;
}

/** Writes an amount; empty for zero. */
const coinsOrNothing = (value: bigint): string => (value === 0n ? '' : formatCoins(value));

const currencyOf = (value: bigint): string => (value === 0n ? '' : 'XMR');

/** Returns the time of an entry in UTC, as `2026-01-31 12:00:00`. */
const dateTime = ({ time }: BookEntry): string => instantText(time).replace('T', ' ').replace('Z', '');

/** True for a payment that the forms for books contain. */
export const isBooked = ({ state }: ExportedPayment): boolean => state === 'mined';

/** Makes the entry of the payments of a transaction. */
function entryOf(payments: readonly [ExportedPayment, ...ExportedPayment[]]): BookEntry {
  const [{ time, txHash }] = payments;
  const changes = new Map<number, bigint>();
  let [balance, fee] = [0n, 0n];
  for (const payment of payments) {
    const change = payment.direction === 'in' ? payment.amount : -payment.amount - payment.fee;
    changes.set(payment.account, (changes.get(payment.account) ?? 0n) + change);
    balance += change;
    fee += payment.fee;
  }
  const gained = balance + fee;
  const texts = payments.map(({ reference, label, orderKey }) => reference || label || orderKey);
  return {
    ...{ time, txHash: toHex(txHash), changes, fee },
    received: gained > 0n ? gained : 0n,
    paid: gained < 0n ? -gained : 0n,
    description: [...new Set(texts.filter((text) => text !== ''))].join(', '),
  };
}

/** Groups the mined payments of a wallet by transaction: those of one transaction follow each other. */
async function* entriesOf(pages: AsyncIterable<readonly ExportedPayment[]>): AsyncGenerator<BookEntry, void> {
  let open: [ExportedPayment, ...ExportedPayment[]] | undefined;
  for await (const page of pages)
    for (const payment of page) {
      if (!isBooked(payment)) continue;
      if (open !== undefined && equalBytes(open[0].txHash, payment.txHash)) {
        open.push(payment);
        continue;
      }
      if (open !== undefined) yield entryOf(open);
      open = [payment];
    }
  if (open !== undefined) yield entryOf(open);
}

/** Amounts of a double entry by the name of the account; they sum to zero. */
function postingsOf({
  changes,
  received,
  paid,
  fee,
}: BookEntry): (readonly [account: string, value: bigint])[] {
  const postings = [...changes].map(([account, change]) => [`Assets:Monero:${account}`, change] as const);
  return [
    ...postings,
    ['Income:Monero', -received] as const,
    ['Expenses:Monero:Payments', paid] as const,
    ['Expenses:Monero:Fees', fee] as const,
  ].filter(([, value]) => value !== 0n);
}

/** Makes a text of a person the description of an entry of `ledger` and `hledger`, which ends at a line end or a semicolon. */
const inLedger = (text: string): string => text.replaceAll(/[\p{C}\p{Zl}\p{Zp};|]+/gu, ' ').trim();

const FORMS = {
  /* Universal template of Koinly: the fee is paid beside the sent amount. A fee alone is a `cost`. */
  koinly: {
    begin: csvRecord([
      ...['Date', 'Sent Amount', 'Sent Currency', 'Received Amount', 'Received Currency', 'Fee Amount'],
      ...['Fee Currency', 'Net Worth Amount', 'Net Worth Currency', 'Label', 'Description', 'TxHash'],
    ]),
    write(entry) {
      const { received, paid, fee } = entry;
      const isFeeAlone = received === 0n && paid === 0n;
      const [sent, beside] = isFeeAlone ? [fee, 0n] : [paid, fee];
      return csvRecord([
        ...[`${dateTime(entry)} UTC`, coinsOrNothing(sent), currencyOf(sent)],
        ...[coinsOrNothing(received), currencyOf(received), coinsOrNothing(beside), currencyOf(beside)],
        ...['', '', isFeeAlone ? 'cost' : '', withoutFormulas(entry.description), entry.txHash],
      ]);
    },
  },
  /* Import of CoinTracking: the amount sold contains the fee. */
  cointracking: {
    begin: csvRecord([
      ...['Type', 'Buy Amount', 'Buy Currency', 'Sell Amount', 'Sell Currency', 'Fee', 'Fee Currency'],
      ...['Exchange', 'Trade-Group', 'Comment', 'Date', 'Tx-ID'],
    ]),
    write(entry) {
      const record = (type: string, bought: bigint, sold: bigint, fee: bigint): string =>
        csvRecord([
          ...[type, coinsOrNothing(bought), currencyOf(bought), coinsOrNothing(sold), currencyOf(sold)],
          ...[coinsOrNothing(fee), currencyOf(fee), 'Monero', '', withoutFormulas(entry.description)],
          ...[dateTime(entry), entry.txHash],
        ]);
      const { received, paid, fee } = entry;
      if (paid > 0n) return record('Withdrawal', 0n, paid + fee, fee);
      const deposit = received > 0n ? record('Deposit', received, 0n, 0n) : '';
      return deposit + (fee > 0n ? record('Other Fee', 0n, fee, 0n) : '');
    },
  },
  /* Double entries, a record for each account that a transaction changes. */
  journal: {
    begin: csvRecord(['time', 'tx_hash', 'account', 'amount_xmr', 'amount_atomic', 'description']),
    write: (entry) =>
      postingsOf(entry)
        .map(([account, value]) =>
          csvRecord([
            ...[instantText(entry.time), entry.txHash, account, formatCoins(value), String(value)],
            withoutFormulas(entry.description),
          ]),
        )
        .join(''),
  },
  /* Double entries as the programs `ledger` and `hledger` read them. */
  ledger: {
    begin: '',
    write: (entry) =>
      [
        `${instantText(entry.time).slice(0, 10)} * (${entry.txHash}) ${inLedger(entry.description)}`.trimEnd(),
        `    ; time: ${instantText(entry.time)}`,
        ...postingsOf(entry).map(([account, value]) => `    ${account}  ${formatCoins(value)} XMR`),
        ...['', ''],
      ].join('\n'),
  },
} as const satisfies Record<string, BookForm>;

/** Form for a program that computes taxes or keeps books. */
export type BookFormat = keyof typeof FORMS;

export const BOOK_FORMATS = [
  'koinly',
  'cointracking',
  'journal',
  'ledger',
] as const satisfies readonly BookFormat[];

/** Number of entries that are written as one text. */
const ENTRIES = 128;

/** Writes the mined payments in a form for books, a transaction each, and leaves the others out. */
export async function* exportBooks(
  format: BookFormat,
  pages: AsyncIterable<readonly ExportedPayment[]>,
): AsyncGenerator<string, void> {
  const { begin, write }: BookForm = FORMS[format];
  let written = [begin];
  for await (const entry of entriesOf(pages)) {
    written.push(write(entry));
    if (written.length < ENTRIES) continue;
    yield written.join('');
    written = [];
  }
  yield written.join('');
}
