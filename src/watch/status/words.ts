import { adviceFor } from '../../daemon/errors.js';
import { formatCoins } from '../../monero/cryptonote/coins.js';
import type { EventType } from '../../model/events.js';
import type { OrderState } from '../../model/order.js';
import type { RequestState } from '../../model/payment-request.js';
import type { EventJson } from '../../services/events/event-json.js';
import type { Item } from '../desk/items.js';
import { amount } from '../../util/amount.js';
import type { Json } from '../../util/json.js';
import type { NotReady } from '../readiness.js';

/** Writes an integer with a comma between groups of three digits. */
export const grouped = (integer: number): string => integer.toLocaleString('en-US');

/** Writes a fraction (0 to 1) as a percentage, rounded down, so that `100.0 %` means all. */
export const percentage = (share: number): string => `${(Math.floor(1000 * share) / 10).toFixed(1)} %`;

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Writes a duration in its two largest units at most, such as `3 h 20 min`. @param seconds duration [s]. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const first = Math.max(
    0,
    UNITS.findIndex(([, length]) => whole >= length),
  );
  if (whole === 0) return '0 s';
  // Leaves seconds out beside minutes, as too precise.
  const shown = UNITS.slice(first, first + 2).filter(([unit], i) => i === 0 || unit !== 's');
  let rest = whole;
  const parts = shown.map(([unit, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count === 0 ? '' : `${count} ${unit}`;
  });
  return parts.filter((part) => part !== '').join(' ');
}

const MIB = 1024 ** 2;

/** Writes a number with its noun in singular or plural. @param plural absent: the singular with an s. */
export const counted = (count: number, singular: string, plural = `${singular}s`): string =>
  `${grouped(count)} ${count === 1 ? singular : plural}`;

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Writes a size with three digits at least, such as `12.3 GiB`. */
export function sizeText(bytes: number): string {
  const power = Math.min(BYTE_UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  const value = bytes / 1024 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${BYTE_UNITS[power] ?? ''}`;
}

/** Writes a reason why a server is not ready, as a sentence. */
export function reasonText(reason: NotReady): string {
  switch (reason.reason) {
    case 'opening_wallets':
      return `${counted(reason.wallets, 'wallet')} still to be opened`;
    case 'wallets_not_opened':
      return `${counted(reason.wallets, 'wallet')} not opened`;
    case 'daemon_unreachable':
      return reason.seconds === undefined
        ? 'the daemon has not answered yet'
        : `no answer of the daemon for ${durationText(reason.seconds)}`;
    case 'wallets_behind':
      return `${counted(reason.wallets, 'wallet')} behind, by up to ${counted(reason.blocks, 'block')}`;
    case 'update_needed':
      return `${adviceFor(reason.version)}: block ${grouped(reason.height)} has version ${reason.version}, which it does not know (${counted(reason.wallets, 'wallet')})`;
    case 'no_quorum':
      return `no standby of the cluster's database has confirmed anything for ${durationText(reason.seconds)}, and calls are refused`;
    case 'disk_nearly_full':
      return `${grouped(Math.floor(reason.free_bytes / MIB))} MiB of disk space left`;
    case 'store_damaged':
      return `${counted(reason.wallets, 'wallet')} with a damaged store`;
  }
}

/** Writes an amount in XMR, without trailing zeros. */
export const coinsText = (value: Json | undefined): string =>
  typeof value === 'bigint' ? `${formatCoins(amount(value)).replace(/\.?0+$/, '')} XMR` : '';

/** Names of the states of payment requests; the states of open requests come first. */
export const REQUEST_NAMES: Readonly<Record<RequestState, string>> = {
  waiting: 'Waiting',
  partial: 'Paid in part',
  seen: 'In the mempool',
  confirming: 'Confirming',
  paid: 'Paid',
  expired: 'Expired',
  cancelled: 'Cancelled',
};

const OPEN_STATES: readonly RequestState[] = ['waiting', 'partial', 'seen', 'confirming'];

/** Counts the payment requests that are neither paid nor at their end. */
export const openRequests = (requests: ReadonlyMap<RequestState, number>): number =>
  OPEN_STATES.reduce((sum, state) => sum + (requests.get(state) ?? 0), 0);

/** Names of the states of orders and of their transactions. */
export const ORDER_NAMES: Readonly<Record<OrderState, string>> = {
  prepared: 'To be signed or relayed',
  relayed: 'In the mempool',
  mined: 'Mined',
  failed: 'Failed',
};

/** Types of events that the page shows: those after which somebody may have to do something. */
export const MATTERING = [
  'payment.reversed',
  'transfer.failed',
  'output.spent',
  'request.overpaid',
  'request.late',
  'request.reversed',
  'payout.awaiting_approval',
  'payout.failed',
  'payout.rejected',
  'payout.expired',
  'balance.low',
  'wallet.reorganised',
] as const satisfies readonly EventType[];

const TITLES: Readonly<Record<EventJson['type'], string>> = {
  'payment.seen': 'Payment in the mempool',
  'payment.mined': 'Payment mined',
  'payment.confirmed': 'Payment confirmed',
  'payment.unlocked': 'Payment can be spent',
  'payment.reversed': 'Payment reversed',
  'transfer.relayed': 'Transfer sent',
  'transfer.mined': 'Transfer mined',
  'transfer.failed': 'Transfer failed',
  'output.spent': 'Output spent elsewhere',
  'output.unspent': 'Output no longer spent elsewhere',
  'request.partial': 'Payment request paid in part',
  'request.seen': 'Payment request paid in the mempool',
  'request.paid': 'Payment request paid',
  'request.overpaid': 'Payment request overpaid',
  'request.expired': 'Payment request expired',
  'request.late': 'Late payment to a request',
  'request.reversed': 'Payment of a request reversed',
  'request.refund': 'Refund of a request',
  'payout.awaiting_approval': 'Payout waits for approval',
  'payout.queued': 'Payout queued',
  'payout.awaiting_signature': 'Payout waits for a signature',
  'payout.sending': 'Payout is being sent',
  'payout.sent': 'Payout sent',
  'payout.mined': 'Payout mined',
  'payout.confirmed': 'Payout confirmed',
  'payout.failed': 'Payout failed',
  'payout.cancelled': 'Payout cancelled',
  'payout.rejected': 'Payout rejected',
  'payout.expired': 'Payout expired',
  'balance.low': 'Balance low',
  'wallet.synced': 'Wallet up to date',
  'wallet.reorganised': 'Blocks replaced',
};

/** Returns the title of an event by its type. */
export const eventTitle = ({ type }: EventJson): string => TITLES[type];

/** Writes the facts of an event as a short text. @param withSums false: without amounts. */
export function eventText(event: EventJson, withSums = true): string {
  const { type, data } = event;
  const height = data['height'] === undefined ? '' : `block ${grouped(Number(data['height']))}`;
  const { reason } = data;
  const parts: (string | false)[] = [
    withSums && sumText(event),
    type === 'payment.confirmed' && counted(Number(data['confirmations']), 'confirmation'),
    type === 'wallet.reorganised' && `${counted(Number(data['depth']), 'block')} replaced`,
    type === 'wallet.synced' ? counted(Number(data['height']), 'block') : height,
    typeof reason === 'string' && reasonWords(reason),
  ];
  return parts.filter((part) => part !== '' && part !== false).join(', ');
}

/** Writes the amounts of an event. */
function sumText(event: EventJson): string {
  const { type, data } = event;
  if (type.startsWith('transfer.')) return spentText(event);
  if (type === 'balance.low') return `${coinsText(data['balance'])}, below ${coinsText(data['low_water'])}`;
  const { refund } = data;
  if (type === 'request.refund' && typeof refund === 'object' && refund !== null && 'amount' in refund)
    return coinsText(refund['amount']);
  if (!type.startsWith('request.')) return coinsText(data['amount']);
  const { received, received_unconfirmed: unconfirmed, amount: asked, late } = data;
  if (typeof received !== 'bigint' || typeof unconfirmed !== 'bigint') return '';
  const of = typeof asked === 'bigint' ? ` of ${coinsText(asked)}` : '';
  return `${coinsText(received + unconfirmed)}${of} received${late === 0n ? '' : `, ${coinsText(late)} late`}`;
}

const REASON_WORDS: Readonly<Record<string, string>> = {
  reorganised: 'its block was replaced',
  dropped: 'neither the mempool nor a block contains it',
  rescan: 'a rescan has not found it',
  corrected: 'facts became known later',
  not_sent: 'its batch never left this server',
  refused: 'the node refused it',
  overtaken: 'another transaction spends an input of it',
  lost: 'neither the mempool nor the chain contains it',
  unsigned: 'it was not signed in time',
};

const reasonWords = (reason: string): string => REASON_WORDS[reason] ?? reason;

/** Returns the thing that an event is about; undefined for the wallet itself. */
export function itemOf({ type, wallet, data }: EventJson): Item | undefined {
  const { request_id: request, payout_id: payout, tx_hash: hash } = data;
  if (type.startsWith('request.') && typeof request === 'string')
    return { kind: 'request', wallet, id: request };
  if (type.startsWith('payout.') && typeof payout === 'string') return { kind: 'payout', wallet, id: payout };
  return typeof hash === 'string' ? { kind: 'transaction', wallet, id: hash } : undefined;
}

/** Writes the amount that a transfer takes from the balance, including the fee. */
export function spentText({ data }: EventJson): string {
  const { amount_in: spent, change } = data;
  return typeof spent === 'bigint' && typeof change === 'bigint' ? coinsText(spent - change) : '';
}
