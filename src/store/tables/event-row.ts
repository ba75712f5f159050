import type { KeyImage } from '../../monero/crypto/types.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import { fromHex, toHex } from '../../util/bytes.js';
import { amount } from '../../util/amount.js';
import type {
  EventBody,
  PayoutEventType,
  EventType,
  LowBalance,
  MinedPaymentFacts,
  PaymentFacts,
  RequestFacts,
  RequestSums,
  ReversalReason,
  SpentOutputFacts,
  TransferFacts,
  WalletEvent,
} from '../../model/events.js';
import type { RequestState } from '../../model/payment-request.js';
import type { PayoutChange, PayoutFacts, PayoutReason, PayoutState } from '../../model/payout.js';
import type { PayoutIdentity } from './payout-row.js';
import { toAmount, toBytes, toColumn, toNumber, type Integer } from './columns.js';

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

type RequestRowType = Extract<EventType, `request.${string}`>;

const TYPES = new Map<number, EventType>(
  (Object.keys(CODES) as EventType[]).map((type): [number, EventType] => [CODES[type], type]),
);

/** Facts in the JSON column of a row; amounts are decimal texts. */
interface RowFacts {
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
  | { readonly type: Exclude<RequestRowType, 'request.reversed'>; readonly data: RequestSums }
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
function requestRow(type: RequestRowType, data: RequestSums, further: RowFacts): NewRow {
  const { subaddress, state, received, unconfirmed, locked, late } = data;
  const isPlain = state === 'paid' && unconfirmed === 0n && locked === 0n && late === 0n;
  const facts: RowFacts = {
    state,
    ...(unconfirmed === 0n ? {} : { unconfirmed: unconfirmed.toString() }),
    ...(locked === 0n ? {} : { locked: locked.toString() }),
    ...(late === 0n ? {} : { late: late.toString() }),
    ...further,
  };
  return [
    ...([CODES[type], null, subaddress.major, subaddress.minor, toColumn(received)] as const),
    ...([null, null, isPlain && further.was === undefined ? null : JSON.stringify(facts)] as const),
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

/** Facts of a payment request that do not change, which its rows leave out. */
export type RequestIdentity = Pick<RequestFacts, 'requestId' | 'reference' | 'amount'>;

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
  const { state = 'paid', unconfirmed = '0', locked = '0', late = '0' } = facts;
  return {
    ...identity,
    subaddress,
    state,
    received: toAmount(row.amount ?? 0n),
    unconfirmed: amount(BigInt(unconfirmed)),
    locked: amount(BigInt(locked)),
    late: amount(BigInt(late)),
  };
};

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
