import type { KeyImage } from '../../monero/crypto/types.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import { fromHex } from '../../util/bytes.js';
import { amount, ZERO, type Amount } from '../../util/amount.js';
import type {
  EventBody,
  PayoutEventType,
  EventType,
  LowBalance,
  MinedPaymentFacts,
  PaymentFacts,
  RequestFacts,
  ReversalReason,
  SpentOutputFacts,
  TransferFacts,
  WalletEvent,
} from '../../model/events.js';
import type { RequestState } from '../../model/payment-request.js';
import type { PayoutFacts, PayoutReason, PayoutState } from '../../model/payout.js';
import type { PayoutIdentity } from './payout-row.js';
import { toAmount, toBytes, toNumber, type Integer } from './columns.js';

/** Numbers of event types in the table. Earlier versions used 0 and 9 for rows that stood for several events. */
export const CODES = {
  'payment.seen': 1,
  'payment.mined': 2,
  'payment.reversed': 3,
  'transfer.relayed': 4,
  'transfer.mined': 5,
  'transfer.failed': 6,
  'wallet.synced': 7,
  'wallet.reorganised': 8,
  'output.spent': 10,
  'output.unspent': 11,
  'request.partial': 12,
  'request.seen': 13,
  'request.paid': 14,
  'request.overpaid': 15,
  'request.expired': 16,
  'request.late': 17,
  'request.reversed': 18,
  'payment.confirmed': 19,
  'payment.unlocked': 20,
  'payout.awaiting_approval': 21,
  'payout.queued': 22,
  'payout.sending': 23,
  'payout.sent': 24,
  'payout.mined': 25,
  'payout.confirmed': 26,
  'payout.failed': 27,
  'payout.cancelled': 28,
  'payout.rejected': 29,
  'payout.expired': 30,
  'balance.low': 31,
  'payout.awaiting_signature': 32,
  'request.refund': 33,
} as const satisfies Readonly<Record<EventType, number>>;

/** Types of rows whose height is the height of the block with their payment or transfer. */
export const OF_BLOCKS: readonly number[] = [
  CODES['payment.mined'],
  CODES['payment.confirmed'],
  CODES['payment.unlocked'],
  CODES['payment.reversed'],
  CODES['transfer.mined'],
];

export const isOfBlock = ({ type }: Pick<EventRow, 'type'>): boolean => OF_BLOCKS.includes(toNumber(type));

export type RequestRowType = Extract<EventType, `request.${string}`>;

const TYPES = new Map<number, EventType>(
  (Object.keys(CODES) as EventType[]).map((type): [number, EventType] => [CODES[type], type]),
);

/** Facts in the JSON column of a row; amounts are decimal texts. */
export interface RowFacts {
  readonly unlockTime?: string;
  readonly coinbase?: boolean;
  readonly paymentId?: string;
  readonly seen?: number;
  readonly reverses?: number;
  readonly reason?: ReversalReason | PayoutReason;
  readonly change?: string;
  readonly fee?: string;
  readonly unlocked?: string;
  readonly limit?: string;
  readonly depth?: number;
  readonly keyImage?: string;
  readonly state?: RequestState;
  readonly was?: RequestState | PayoutState;
  /** Number of a payout. */
  readonly payout?: number;
  readonly unconfirmed?: string;
  readonly locked?: string;
  readonly late?: string;
  readonly refunded?: string;
  /** Absent: as {@link usualRefundable} computes it. */
  readonly refundable?: string;
  readonly refund?: { readonly state: PayoutState; readonly amount: string };
}

/** Row of the table `event`. */
export interface EventRow {
  readonly id: Integer;
  readonly type: Integer;
  readonly tx_hash: Uint8Array | null;
  readonly account: Integer | null;
  readonly minor: Integer | null;
  readonly amount: Integer | null;
  readonly height: Integer | null;
  readonly timestamp: Integer | null;
  readonly time: Integer;
  readonly data: string | null;
  /** Confirmations of a payment; null for other types than `payment.confirmed`. */
  readonly confirmations: Integer | null;
}

/** Returns the refundable amount of most requests in a state, which their rows leave out [atomic units]. */
export const usualRefundable = (state: RequestState, received: Amount): Amount =>
  state === 'paid' ? received : ZERO;

/** Facts of a payment request that do not change, which its rows leave out. */
export type RequestIdentity = Pick<RequestFacts, 'requestId' | 'reference' | 'amount' | 'price'>;

/** Returns the identity of the payment request with an address; undefined if there is no such request. */
export type IdentityOf = (subaddress: SubaddressIndex) => RequestIdentity | undefined;

/** Facts of records that their events leave out, since they do not change. */
export interface Identities {
  readonly request: IdentityOf;
  /** Returns the terms of a payout by its number. */
  readonly payout: (sequence: number) => PayoutIdentity;
}

/** Returns the event of a row. */
export function eventOf(row: EventRow, identities: Identities): WalletEvent {
  const type = TYPES.get(toNumber(row.type));
  if (type === undefined) throw new Error('an event has an unknown type');
  const facts = row.data === null ? {} : (JSON.parse(row.data) as RowFacts);
  return { id: toNumber(row.id), time: toNumber(row.time), ...bodyOf(type, row, facts, identities) };
}

function bodyOf(type: EventType, row: EventRow, facts: RowFacts, identities: Identities): EventBody {
  if (isPayoutType(type)) return { type, data: payoutOf(row, facts, identities) };
  const identityOf = identities.request;
  const height = toNumber(row.height ?? 0n);
  const { seen, reverses, depth = 0 } = facts;
  // The column of an event that is no event of a payout.
  const reason = (facts.reason ?? 'dropped') as ReversalReason;
  switch (type) {
    case 'payment.seen':
      return { type, data: paymentOf(row, facts) };
    case 'payment.mined':
      return { type, data: { ...minedOf(row, facts), ...(seen === undefined ? {} : { seen }) } };
    case 'payment.confirmed':
      return { type, data: { ...minedOf(row, facts), confirmations: toNumber(row.confirmations ?? 0n) } };
    case 'payment.unlocked':
      return { type, data: minedOf(row, facts) };
    case 'payment.reversed':
      return {
        type,
        data: {
          ...paymentOf(row, facts),
          ...(row.height === null ? {} : { height }),
          ...(reverses === undefined ? {} : { reverses }),
          reason,
        },
      };
    case 'transfer.relayed':
      return { type, data: transferOf(row, facts) };
    case 'transfer.mined':
      return { type, data: { ...transferOf(row, facts), height } };
    case 'transfer.failed':
      return { type, data: { ...transferOf(row, facts), reason } };
    case 'output.spent':
      return { type, data: spentOutputOf(row, facts) };
    case 'output.unspent':
      return { type, data: { ...spentOutputOf(row, facts), reverses: reverses ?? 0, reason } };
    case 'request.partial':
    case 'request.seen':
    case 'request.paid':
    case 'request.overpaid':
    case 'request.expired':
    case 'request.late':
      return { type, data: requestOf(row, facts, identityOf) };
    case 'request.refund':
      return {
        type,
        data: { ...requestOf(row, facts, identityOf), refund: refundOf(row, facts, identities) },
      };
    case 'request.reversed':
      return {
        type,
        data: { ...requestOf(row, facts, identityOf), was: (facts.was ?? 'waiting') as RequestState },
      };
    case 'balance.low':
      return { type, data: lowBalanceOf(row, facts) };
    case 'wallet.synced':
      return { type, data: { height } };
    case 'wallet.reorganised':
      return { type, data: { fromHeight: height, depth } };
  }
}

const paymentOf = (
  row: EventRow,
  { unlockTime = '0', coinbase = false, paymentId }: RowFacts,
): PaymentFacts => ({
  txHash: toBytes<'Hash'>(row.tx_hash ?? new Uint8Array(0)),
  subaddress: subaddressOf(row),
  amount: toAmount(row.amount ?? 0n),
  timestamp: toNumber(row.timestamp ?? 0n),
  unlockTime: BigInt(unlockTime),
  coinbase,
  ...(paymentId === undefined ? {} : { paymentId: fromHex(paymentId) }),
});

const minedOf = (row: EventRow, facts: RowFacts): MinedPaymentFacts => ({
  ...paymentOf(row, facts),
  height: toNumber(row.height ?? 0n),
});

const transferOf = (row: EventRow, { change = '0', fee = '0' }: RowFacts): TransferFacts => ({
  txHash: toBytes<'Hash'>(row.tx_hash ?? new Uint8Array(0)),
  account: toNumber(row.account ?? 0n),
  amountIn: toAmount(row.amount ?? 0n),
  change: amount(BigInt(change)),
  fee: amount(BigInt(fee)),
});

const spentOutputOf = (row: EventRow, { keyImage = '' }: RowFacts): SpentOutputFacts => ({
  txHash: toBytes<'Hash'>(row.tx_hash ?? new Uint8Array(0)),
  keyImage: fromHex(keyImage) as KeyImage,
  subaddress: subaddressOf(row),
  amount: toAmount(row.amount ?? 0n),
});

const requestOf = (row: EventRow, facts: RowFacts, identityOf: IdentityOf): RequestFacts => {
  const subaddress = subaddressOf(row);
  const identity = identityOf(subaddress);
  if (identity === undefined) throw new Error('an event names an address without a payment request');
  const { state = 'paid', unconfirmed = '0', locked = '0', late = '0', refunded = '0' } = facts;
  const received = toAmount(row.amount ?? 0n);
  return {
    ...identity,
    subaddress,
    state,
    received,
    unconfirmed: amount(BigInt(unconfirmed)),
    locked: amount(BigInt(locked)),
    late: amount(BigInt(late)),
    refunded: amount(BigInt(refunded)),
    refundable:
      facts.refundable === undefined ? usualRefundable(state, received) : amount(BigInt(facts.refundable)),
  };
};

/** Returns the refund of an event. */
function refundOf(row: EventRow, { payout = 0, refund }: RowFacts, { payout: identityOf }: Identities) {
  const { state = 'queued', amount: value = '0' } = refund ?? {};
  return {
    ...{ payout, payoutId: identityOf(payout).payoutId, state, amount: amount(BigInt(value)) },
    ...(row.tx_hash === null ? {} : { txHash: toBytes<'Hash'>(row.tx_hash) }),
  };
}

const lowBalanceOf = (row: EventRow, { unlocked = '0', limit = '0' }: RowFacts): LowBalance => ({
  account: toNumber(row.account ?? 0n),
  balance: toAmount(row.amount ?? 0n),
  unlocked: amount(BigInt(unlocked)),
  limit: amount(BigInt(limit)),
});

const isPayoutType = (type: EventType): type is PayoutEventType => type.startsWith('payout.');

function payoutOf(
  row: EventRow,
  { payout = 0, was, reason, fee }: RowFacts,
  { payout: identityOf }: Identities,
): PayoutFacts {
  return {
    sequence: payout,
    ...identityOf(payout),
    account: toNumber(row.account ?? 0n),
    amount: toAmount(row.amount ?? 0n),
    ...(was === undefined ? {} : { was: was as PayoutState }),
    ...(reason === undefined ? {} : { reason: reason as PayoutReason }),
    ...(row.tx_hash === null ? {} : { txHash: toBytes<'Hash'>(row.tx_hash) }),
    ...(row.height === null ? {} : { height: toNumber(row.height) }),
    ...(fee === undefined ? {} : { fee: amount(BigInt(fee)) }),
  };
}

const subaddressOf = (row: EventRow): SubaddressIndex => ({
  major: toNumber(row.account ?? 0n),
  minor: toNumber(row.minor ?? 0n),
});

/** Returns the type numbers of the given types. */
export const codesOf = (types: readonly EventType[]): number[] => types.map((type) => CODES[type]);
