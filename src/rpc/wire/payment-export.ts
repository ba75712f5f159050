import * as wire from '../../http/methods/wire.js';
import { formatCoins } from '../../monero/cryptonote/coins.js';
import { EXPORT_STATES, type ExportedPayment } from '../../services/history/payment-export.js';
import { toHex } from '../../util/bytes.js';
import { instantText } from '../../util/clock.js';

/** End of a record. Source: RFC 4180, section 2, rule 1. */
const LINE_END = '\r\n';

/**
 * Characters because of which a field is written in quotes. Semicolons and tabs separate fields in programs of some
 * countries.
 */
const QUOTED = /[",;\t\r\n]/;

/**
 * Places at which a spreadsheet finds a formula: the beginning, and every place that is the beginning of a cell for a
 * program which divides the text by semicolons or tabs. Spaces may precede the formula. The last four characters are
 * the full-width forms of the four characters before. Source: OWASP, CSV Injection.
 */
const FORMULA = /(^|[;\t\r\n"])([^\S\t\r\n]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/** Writes a field, in quotes if the field needs quotes. Source: RFC 4180, section 2, rules 5 to 7. */
const field = (text: string): string => (QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Writes a record with its line end. */
export const csvRecord = (fields: readonly string[]): string => fields.map(field).join(',') + LINE_END;

/**
 * Makes a text of a person harmless in a spreadsheet: where a formula could begin, an apostrophe is inserted, and a
 * leading tab or line break, which spreadsheets skip, also gets an apostrophe.
 */
export const withoutFormulas = (text: string): string =>
  text.replace(FORMULA, "$1$2'").replace(/^(?=[\t\r\n])/, "'");

/** Form in which payments are exported. */
export const EXPORT_FORMATS = ['csv', 'json'] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Row of export_payments. */
export const exportRow = (payment: ExportedPayment) => ({
  timestamp: payment.time,
  height: payment.height,
  tx_hash: toHex(payment.txHash),
  direction: payment.direction,
  state: payment.state,
  amount: payment.amount,
  fee: payment.fee,
  address: payment.address,
  destinations: payment.destinations.map(({ address, amount }) => ({ address, amount })),
  label: payment.label,
  reference: payment.reference,
  idempotency_key: payment.orderKey,
});

/** Schema of {@link exportRow}. */
export const exportRowSchema = () =>
  wire.object({
    timestamp: wire.uint(
      'Time of its block; while it is not mined, time at which it was seen or made [Unix s]',
    ),
    height: wire.uint('Height of its block; 0 if it is not mined'),
    tx_hash: wire.hash('Transaction hash'),
    direction: wire.oneOf(['in', 'out'], 'in: a payment to this wallet; out: a payment of this wallet'),
    state: wire.oneOf(
      EXPORT_STATES,
      'mined; pool: incoming, in the mempool; pending: outgoing, not in a block; failed: outgoing, it will not be mined',
    ),
    amount: wire.amount('Amount received, or paid to others than the paying account, without the fee'),
    fee: wire.amount('Fee that this wallet paid; 0 for an incoming payment'),
    address: wire.text('Receiving address of an incoming payment; empty for an outgoing one'),
    destinations: wire.list(
      wire.object({ address: wire.text('Address paid'), amount: wire.amount('Amount paid') }),
      'Recorded recipients of an outgoing payment',
    ),
    label: wire.text('Label of the receiving address; empty: none'),
    reference: wire.text('Reference of the payment request for the receiving address; empty: none'),
    idempotency_key: wire.text('Idempotency key of the order that made an outgoing payment; empty: none'),
  });

/** Columns of the CSV with their values. */
const COLUMNS: readonly (readonly [name: string, value: (payment: ExportedPayment) => string])[] = [
  ['time', ({ time }) => instantText(time)],
  ['height', ({ state, height }) => (state === 'mined' ? String(height) : '')],
  ['tx_hash', ({ txHash }) => toHex(txHash)],
  ['address', ({ address, destinations }) => address || destinations.map((to) => to.address).join(' ')],
  ['label', ({ label }) => withoutFormulas(label)],
  ['reference', ({ reference }) => withoutFormulas(reference)],
  ['amount_xmr', ({ amount }) => formatCoins(amount)],
  ['amount_atomic', ({ amount }) => String(amount)],
  ['fee_xmr', ({ fee }) => formatCoins(fee)],
  ['fee_atomic', ({ fee }) => String(fee)],
  ['direction', ({ direction }) => direction],
  ['state', ({ state }) => state],
  ['idempotency_key', ({ orderKey }) => withoutFormulas(orderKey)],
];

const csvRow = (payment: ExportedPayment): string => csvRecord(COLUMNS.map(([, value]) => value(payment)));

/** Writes payments as CSV page by page, after a record with the names of the columns. */
export async function* exportCsv(
  pages: AsyncIterable<readonly ExportedPayment[]>,
): AsyncGenerator<string, void> {
  yield csvRecord(COLUMNS.map(([name]) => name));
  for await (const page of pages) yield page.map(csvRow).join('');
}
