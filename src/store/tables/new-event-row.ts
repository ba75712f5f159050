import { toHex } from '../../util/bytes.js';
import type { EventBody, PayoutEventType, RefundChange, RequestSums } from '../../model/events.js';
import type { RequestState } from '../../model/payment-request.js';
import type { PayoutChange } from '../../model/payout.js';
import { toColumn } from './columns.js';
import { CODES, usualRefundable, type RequestRowType, type RowFacts } from './event-row.js';

/** Values of a new row without `id`, `time` and `confirmations`. */
export type NewRow = readonly [
  type: number,
  txHash: Uint8Array | null,
  account: number | null,
  minor: number | null,
  amount: bigint | null,
  height: number | null,
  timestamp: number | null,
  data: string | null,
];

/**
 * Contents of a new row: an event, whose payment request is named by its address alone, and whose payout by its number
 * alone.
 */
export type NewEvent =
  | Exclude<EventBody, { readonly type: RequestRowType | PayoutEventType }>
  | { readonly type: PayoutEventType; readonly data: PayoutChange }
  | {
      readonly type: Exclude<RequestRowType, 'request.reversed' | 'request.refund'>;
      readonly data: RequestSums;
    }
  | { readonly type: 'request.refund'; readonly data: RequestSums & { readonly refund: RefundChange } }
  | { readonly type: 'request.reversed'; readonly data: RequestSums & { readonly was: RequestState } };

/** Returns the values of a new row. */
export function rowOf(event: NewEvent): NewRow {
  if (isPayoutEvent(event)) return payoutRow(event);
  const { type, data } = event;
  switch (type) {
    case 'transfer.relayed':
    case 'transfer.mined':
    case 'transfer.failed': {
      const facts: RowFacts = {
        change: data.change.toString(),
        fee: data.fee.toString(),
        ...(type === 'transfer.failed' ? { reason: data.reason } : {}),
      };
      const height = type === 'transfer.mined' ? data.height : null;
      return [
        ...([CODES[type], data.txHash, data.account, null, toColumn(data.amountIn)] as const),
        ...([height, null, JSON.stringify(facts)] as const),
      ];
    }
    case 'output.spent':
    case 'output.unspent': {
      const { txHash, subaddress, amount: value, keyImage } = data;
      const facts: RowFacts = {
        keyImage: toHex(keyImage),
        ...(type === 'output.spent' ? {} : { reverses: data.reverses, reason: data.reason }),
      };
      return [
        ...([CODES[type], txHash, subaddress.major, subaddress.minor, toColumn(value)] as const),
        ...([null, null, JSON.stringify(facts)] as const),
      ];
    }
    case 'request.partial':
    case 'request.seen':
    case 'request.paid':
    case 'request.overpaid':
    case 'request.expired':
    case 'request.late':
      return requestRow(type, data, {});
    case 'request.reversed':
      return requestRow(type, data, { was: data.was });
    case 'request.refund': {
      const { payout, state, amount: value, txHash } = data.refund;
      return requestRow(type, data, { payout, refund: { state, amount: value.toString() } }, txHash);
    }
    case 'balance.low': {
      const facts: RowFacts = { unlocked: data.unlocked.toString(), limit: data.limit.toString() };
      return [
        ...([CODES[type], null, data.account, null, toColumn(data.balance)] as const),
        ...([null, null, JSON.stringify(facts)] as const),
      ];
    }
    case 'wallet.synced':
      return [CODES[type], null, null, null, null, data.height, null, null];
    case 'wallet.reorganised': {
      const facts: RowFacts = { depth: data.depth };
      return [CODES[type], null, null, null, null, data.fromHeight, null, JSON.stringify(facts)];
    }
    default:
      return paymentRow(event);
  }
}

const isPayoutEvent = (event: NewEvent): event is Extract<NewEvent, { readonly type: PayoutEventType }> =>
  event.type.startsWith('payout.');

/** Returns the values of the row of a payout, without the terms of the payout, which do not change. */
function payoutRow({ type, data }: Extract<NewEvent, { readonly type: PayoutEventType }>): NewRow {
  const { sequence, account, was, reason, txHash, height, fee } = data;
  const facts: RowFacts = {
    payout: sequence,
    ...(was === undefined ? {} : { was }),
    ...(reason === undefined ? {} : { reason }),
    ...(fee === undefined ? {} : { fee: fee.toString() }),
  };
  return [
    ...([CODES[type], txHash ?? null, account, null, toColumn(data.amount)] as const),
    ...([height ?? null, null, JSON.stringify(facts)] as const),
  ];
}

/** Returns the values of the row of a request, without the terms of the request, which do not change. */
function requestRow(
  type: RequestRowType,
  data: RequestSums,
  further: RowFacts,
  txHash: Uint8Array | null = null,
): NewRow {
  const { subaddress, state, received, unconfirmed, locked, late, refunded, refundable } = data;
  const isUsual = refundable === usualRefundable(state, received);
  const isPlain =
    [unconfirmed, locked, late, refunded].every((value) => value === 0n) && state === 'paid' && isUsual;
  const facts: RowFacts = {
    state,
    ...(unconfirmed === 0n ? {} : { unconfirmed: unconfirmed.toString() }),
    ...(locked === 0n ? {} : { locked: locked.toString() }),
    ...(late === 0n ? {} : { late: late.toString() }),
    ...(refunded === 0n ? {} : { refunded: refunded.toString() }),
    ...(isUsual ? {} : { refundable: refundable.toString() }),
    ...further,
  };
  const hasFurther = Object.keys(further).length > 0;
  return [
    ...([CODES[type], txHash, subaddress.major, subaddress.minor, toColumn(received)] as const),
    ...([null, null, isPlain && !hasFurther ? null : JSON.stringify(facts)] as const),
  ];
}

function paymentRow({ type, data }: Extract<NewEvent, { type: `payment.${string}` }>): NewRow {
  const { txHash, subaddress, unlockTime, coinbase, paymentId } = data;
  const seen = type === 'payment.mined' ? data.seen : undefined;
  const isPlain = type !== 'payment.reversed' && paymentId === undefined && seen === undefined;
  const facts: RowFacts | undefined =
    isPlain && (coinbase || unlockTime === 0n)
      ? undefined
      : {
          ...(unlockTime === 0n ? {} : { unlockTime: unlockTime.toString() }),
          ...(coinbase ? { coinbase } : {}),
          ...(paymentId === undefined ? {} : { paymentId: toHex(paymentId) }),
          ...(seen === undefined ? {} : { seen }),
          ...(type !== 'payment.reversed' ? {} : { reason: data.reason }),
          ...(type !== 'payment.reversed' || data.reverses === undefined ? {} : { reverses: data.reverses }),
        };
  return [
    CODES[type],
    txHash,
    subaddress.major,
    subaddress.minor,
    toColumn(data.amount),
    'height' in data ? data.height : null,
    data.timestamp,
    facts === undefined ? plainFacts(unlockTime, coinbase) : JSON.stringify(facts),
  ];
}

/**
 * Returns the JSON facts of a payment without a payment id. The text is composed directly, because a miner has many
 * such payments.
 */
function plainFacts(unlockTime: bigint, coinbase: boolean): string | null {
  if (!coinbase) return null;
  return unlockTime === 0n ? '{"coinbase":true}' : `{"unlockTime":"${unlockTime}","coinbase":true}`;
}
