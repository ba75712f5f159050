import * as wire from '../../http/methods/wire.js';
import { formatCoins } from '../../monero/cryptonote/coins.js';
import { EXPORT_STATES, type ExportedPayment } from '../../services/history/payment-export.js';
import { toHex } from '../../util/bytes.js';
import { instantText } from '../../util/clock.js';
import { BOOK_FORMATS, exportBooks, isBooked, type BookFormat } from './accounting.js';
import { csvRecord, withoutFormulas } from './csv.js';

/** Form in which payments are exported. */
export const EXPORT_FORMATS = ['csv', 'json', ...BOOK_FORMATS] as const;

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
  payout_ids: [...payment.payoutIds],
  account_index: payment.account,
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
    payout_ids: wire.list(wire.text('Id of a payout'), 'Payouts that an outgoing payment pays'),
    account_index: wire.u32('Account that was paid, or that paid'),
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
  ['account_index', ({ account }) => String(account)],
  ['payout_ids', ({ payoutIds }) => withoutFormulas(payoutIds.join(' '))],
];

const csvRow = (payment: ExportedPayment): string => csvRecord(COLUMNS.map(([, value]) => value(payment)));

/** True for a payment that a form contains. */
export const isExported = (format: ExportFormat, payment: ExportedPayment): boolean =>
  format === 'csv' || format === 'json' || isBooked(payment);

/** Writes payments as text, page by page. */
export const exportText = (
  format: 'csv' | BookFormat,
  pages: AsyncIterable<readonly ExportedPayment[]>,
): AsyncGenerator<string, void> => (format === 'csv' ? exportCsv(pages) : exportBooks(format, pages));

/** Writes payments as CSV page by page, after a record with the names of the columns. */
async function* exportCsv(pages: AsyncIterable<readonly ExportedPayment[]>): AsyncGenerator<string, void> {
  yield csvRecord(COLUMNS.map(([name]) => name));
  for await (const page of pages) yield page.map(csvRow).join('');
}
