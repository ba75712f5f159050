import type {
  Payout,
  PayoutAction,
  PayoutFacts,
  PayoutReason,
  PayoutShare,
  PayoutState,
  PayoutTerms,
} from '../../model/payout.js';
import type { RefundKind, RefundOf } from '../../model/payout.js';
import type { Hash } from '../../monero/crypto/types.js';
import { toAmount, toFlag, toNumber, type Integer } from './columns.js';

/** Row of the table `payout`. */
export interface PayoutRow {
  readonly sequence: Integer;
  readonly payout_id: string;
  readonly account: Integer;
  readonly address: string;
  readonly amount: Integer;
  readonly payee_pays: Integer;
  readonly max_fee: Integer | null;
  readonly priority: Integer;
  readonly own: Integer;
  readonly not_before: Integer | null;
  readonly expires: Integer | null;
  readonly reference: string | null;
  readonly metadata: string | null;
  readonly created: Integer;
  readonly creator: string | null;
  readonly state: PayoutState;
  readonly reason: PayoutReason | null;
  readonly changed: Integer;
  readonly retry_at: Integer | null;
  /** Number of the payment request that it refunds. */
  readonly request: Integer | null;
  readonly refund: RefundKind | null;
  readonly live_batch: Integer | null;
}

/** Row of a share of a payout in a batch. */
export interface ShareRow {
  readonly payout: Integer;
  readonly batch: Integer;
  readonly amount: Integer;
  readonly fee: Integer;
}

/** Share of a payout in a batch, with the transaction of the batch. */
export interface PayoutPayment extends PayoutShare {
  readonly txHash?: Hash;
  /** Height of its block; absent while it is not mined. */
  readonly height?: number;
}

/** Row of {@link PayoutPayment}. */
export interface PaymentRow extends ShareRow {
  readonly height: Integer | null;
  readonly tx_hash: Uint8Array | null;
}

/** Row of an action of a client. */
export interface ActionRow {
  readonly action: PayoutAction['action'];
  readonly credential: string | null;
  readonly client: string | null;
  readonly time: number;
  readonly terms: Uint8Array | null;
}

/** A new payout. */
export interface NewPayout extends PayoutTerms, Pick<Payout, 'payoutId' | 'created'> {
  readonly refund?: RefundOf | undefined;
  readonly creator?: string | undefined;
  readonly state: PayoutState;
}

/** Payouts to list. */
export interface PayoutFilter {
  /** States of the listed payouts; empty: any state. */
  readonly states: readonly PayoutState[];
  readonly account?: number;
  readonly reference?: string;
  /** Text that the id, the reference or the address of the listed payouts contains. */
  readonly text?: string;
  /** False: the text is not searched for in references, which the client may not read. Absent: true. */
  readonly byNotes?: boolean;
  /** Least time of creation [Unix s]. */
  readonly createdSince?: number;
  /** Least time of the latest event [Unix s]. */
  readonly changedSince?: number;
}

export function toPayout(row: PayoutRow): Payout {
  return {
    sequence: toNumber(row.sequence),
    payoutId: row.payout_id,
    account: toNumber(row.account),
    address: row.address,
    amount: toAmount(row.amount),
    feePayer: toFlag(row.payee_pays) ? 'payee' : 'wallet',
    priority: toNumber(row.priority),
    allowOwn: toFlag(row.own),
    created: toNumber(row.created),
    state: row.state,
    changed: toNumber(row.changed),
    ...(row.max_fee === null ? {} : { maxFee: toAmount(row.max_fee) }),
    ...(row.not_before === null ? {} : { notBefore: toNumber(row.not_before) }),
    ...(row.expires === null ? {} : { expires: toNumber(row.expires) }),
    ...(row.reference === null ? {} : { reference: row.reference }),
    ...(row.metadata === null ? {} : { metadata: row.metadata }),
    ...(row.creator === null ? {} : { creator: row.creator }),
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.live_batch === null ? {} : { batch: toNumber(row.live_batch) }),
    ...(row.retry_at === null ? {} : { retryAt: toNumber(row.retry_at) }),
    ...(row.request === null || row.refund === null
      ? {}
      : { refund: { request: toNumber(row.request), kind: row.refund } }),
  };
}

export const toShare = (row: ShareRow): PayoutShare => ({
  payout: toNumber(row.payout),
  batch: toNumber(row.batch),
  amount: toAmount(row.amount),
  fee: toAmount(row.fee),
});

/** Terms of a payout that its events leave out. */
export type PayoutIdentity = Pick<PayoutFacts, 'payoutId' | 'address' | 'reference'>;

/** A batch whose set another wallet is to sign. */
export interface UnsignedBatch {
  /** Number of its order. */
  readonly sequence: number;
  readonly account: number;
  /** Time of creation [Unix s]. */
  readonly created: number;
  /** Time until which its set may be signed [Unix s]. */
  readonly expires: number;
}

/** A new batch. */
export interface NewBatch extends Omit<UnsignedBatch, 'expires'> {
  /** Time until which its set may be signed [Unix s]; absent: this wallet has signed it. */
  readonly expires?: number;
}

/** Change of the state of a payout. */
export interface StateChange {
  /** Time of the change [Unix s]. */
  readonly time: number;
  readonly reason?: PayoutReason | undefined;
  /** Time before which it is not sent again [Unix s]. */
  readonly retryAt?: number | undefined;
  /** Number of the batch that the state follows; absent: no batch contains it. */
  readonly batch?: number | undefined;
}
