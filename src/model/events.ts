import type { Hash, KeyImage } from '../monero/crypto/types.js';
import type { SubaddressIndex } from '../monero/cryptonote/types.js';
import type { Amount } from '../util/amount.js';
import { PAYOUT_STATES, type PayoutFacts, type PayoutState } from './payout.js';
import type { RequestPrice, RequestState } from './payment-request.js';

/** A payment to the wallet: the outputs, other than change, that one transaction pays to one address. */
export interface PaymentFacts {
  readonly txHash: Hash;
  readonly subaddress: SubaddressIndex;
  /** Sum that the outputs add to the balance [atomic units]. */
  readonly amount: Amount;
  /** Time of the block; for a transaction in the pool, time at which the wallet first saw it [Unix s]. */
  readonly timestamp: number;
  readonly unlockTime: bigint;
  readonly coinbase: boolean;
  /** Payment id of 8 bytes (decrypted) or 32 bytes. */
  readonly paymentId?: Uint8Array;
}

/** A payment in a block. */
export interface MinedPaymentFacts extends PaymentFacts {
  readonly height: number;
}

/** A transaction of the wallet that spends its outputs. */
export interface TransferFacts {
  readonly txHash: Hash;
  /** Index of the paying account. */
  readonly account: number;
  readonly amountIn: Amount;
  /**
   * Sum of the outputs that return to the paying account: change, and payments to the account's own addresses [atomic
   * units].
   */
  readonly change: Amount;
  readonly fee: Amount;
}

/**
 * An output of the wallet that is spent by a transaction which the wallet has not seen: another wallet with the same
 * keys has made the transaction, and the transaction has no change.
 */
export interface SpentOutputFacts {
  /** Hash of the transaction that created the output. */
  readonly txHash: Hash;
  readonly keyImage: KeyImage;
  readonly subaddress: SubaddressIndex;
  readonly amount: Amount;
}

/** State of the payment request with an address after a change of its payments. */
export interface RequestSums {
  readonly subaddress: SubaddressIndex;
  readonly state: RequestState;
  /** Sum of the mined payments of the request in time, without locked payments [atomic units]. */
  readonly received: Amount;
  /** Sum of the payments of the request in the mempool in time, without locked payments [atomic units]. */
  readonly unconfirmed: Amount;
  /** Sum of the payments of the request in time that an unlock time locks [atomic units]. */
  readonly locked: Amount;
  /** Sum of the payments after the end of the request [atomic units]. */
  readonly late: Amount;
  /** Sum of the refunds that are paid or still may be [atomic units]. */
  readonly refunded: Amount;
  /** Amount that may still be refunded [atomic units]. */
  readonly refundable: Amount;
}

/** A refund of a payment request after a change of its state. */
export interface RefundChange {
  /** Number of its payout. */
  readonly payout: number;
  /** Amount that the customer is owed [atomic units]. */
  readonly amount: Amount;
  /** State of its payout. */
  readonly state: PayoutState;
  /** Hash of the transaction that pays it. */
  readonly txHash?: Hash | undefined;
}

/** A payment request after a change of its payments. */
export interface RequestFacts extends RequestSums {
  /** 32 hex digits. */
  readonly requestId: string;
  /** Name of the request in the system of the merchant. */
  readonly reference?: string;
  /** Requested amount [atomic units]; absent: an open request. */
  readonly amount?: Amount;
  /** Price in another currency; absent: none was given. */
  readonly price?: RequestPrice;
}

/**
 * Cause of a reversal or failure. `reorganised`: blocks were replaced. `dropped`: the mempool no longer contains the
 * transaction, or the daemon refused it. `rescan`: a rescan has not found it. `corrected`: facts became known later,
 * such as a key image by which a payment turns out to be change.
 */
export type ReversalReason = 'reorganised' | 'dropped' | 'rescan' | 'corrected';

/** An account whose balance has fallen below the limit of its policy. */
export interface LowBalance {
  readonly account: number;
  /** Balance, with locked money [atomic units]. */
  readonly balance: Amount;
  readonly unlocked: Amount;
  /** Limit of the policy [atomic units]. */
  readonly limit: Amount;
}

/** Type of the event of a payout that has come into a state. */
export type PayoutEventType = `payout.${PayoutState}`;

/** Type of an event, and its data. */
export type EventBody =
  | { readonly type: 'payment.seen'; readonly data: PaymentFacts }
  | {
      readonly type: 'payment.mined';
      readonly data: MinedPaymentFacts & {
        /** Id of the `payment.seen` event that this event replaces in the sum of payments. */
        readonly seen?: number;
      };
    }
  | {
      readonly type: 'payment.confirmed';
      readonly data: MinedPaymentFacts & {
        /** Number of confirmations that was reached; 1: the payment is in the latest block. */
        readonly confirmations: number;
      };
    }
  | { readonly type: 'payment.unlocked'; readonly data: MinedPaymentFacts }
  | {
      readonly type: 'payment.reversed';
      readonly data: PaymentFacts & {
        /** Height of the block; absent for a payment in the mempool. */
        readonly height?: number;
        /**
         * Id of the latest `payment.seen` or `payment.mined` event of the payment; absent after that event has expired.
         */
        readonly reverses?: number;
        readonly reason: ReversalReason;
      };
    }
  | { readonly type: 'transfer.relayed'; readonly data: TransferFacts }
  | { readonly type: 'transfer.mined'; readonly data: TransferFacts & { readonly height: number } }
  | { readonly type: 'transfer.failed'; readonly data: TransferFacts & { readonly reason: ReversalReason } }
  | { readonly type: 'output.spent'; readonly data: SpentOutputFacts }
  | {
      readonly type: 'output.unspent';
      readonly data: SpentOutputFacts & {
        /** Id of the `output.spent` event that no longer holds. */
        readonly reverses: number;
        readonly reason: ReversalReason;
      };
    }
  | {
      readonly type:
        | 'request.partial'
        | 'request.seen'
        | 'request.paid'
        | 'request.overpaid'
        | 'request.expired'
        | 'request.late';
      readonly data: RequestFacts;
    }
  | {
      readonly type: 'request.reversed';
      readonly data: RequestFacts & {
        /** State before the reversal. */
        readonly was: RequestState;
      };
    }
  | {
      readonly type: 'request.refund';
      readonly data: RequestFacts & {
        readonly refund: RefundChange & {
          /** Id of its payout. */
          readonly payoutId: string;
        };
      };
    }
  | { readonly type: PayoutEventType; readonly data: PayoutFacts }
  | { readonly type: 'balance.low'; readonly data: LowBalance }
  | { readonly type: 'wallet.synced'; readonly data: { readonly height: number } }
  | {
      readonly type: 'wallet.reorganised';
      readonly data: { readonly fromHeight: number; readonly depth: number };
    };

export type EventType = EventBody['type'];

/** All event types except the events of payouts; the compiler checks that no type is missing. */
const TYPES: Readonly<Record<Exclude<EventType, PayoutEventType>, true>> = {
  'payment.seen': true,
  'payment.mined': true,
  'payment.confirmed': true,
  'payment.unlocked': true,
  'payment.reversed': true,
  'transfer.relayed': true,
  'transfer.mined': true,
  'transfer.failed': true,
  'output.spent': true,
  'output.unspent': true,
  'request.partial': true,
  'request.seen': true,
  'request.paid': true,
  'request.overpaid': true,
  'request.expired': true,
  'request.late': true,
  'request.reversed': true,
  'request.refund': true,
  'balance.low': true,
  'wallet.synced': true,
  'wallet.reorganised': true,
};

/** Event types of payouts, one for each state. */
export const PAYOUT_EVENTS: readonly PayoutEventType[] = PAYOUT_STATES.map(
  (state): PayoutEventType => `payout.${state}`,
);

export const EVENT_TYPES: readonly EventType[] = [...(Object.keys(TYPES) as EventType[]), ...PAYOUT_EVENTS];

const NAMES: ReadonlySet<string> = new Set(EVENT_TYPES);

export const isEventType = (text: string): text is EventType => NAMES.has(text);

/**
 * A change of a wallet. At the last event of each store transaction, the balance is the sum of
 * - the amounts of payments: `payment.mined` replaces its `seen` event, `payment.reversed` removes its payment;
 * - less `amountIn - change` of the latest event of each transfer, unless that is `transfer.failed`;
 * - less the amounts of spent outputs: `output.unspent` removes its output.
 *
 * Exceptions: frozen outputs; transfers that were never relayed; payments that left the mempool and are undecided; a
 * rescan that has not reached the former height; transfers undone by a reorganisation until they are mined again or
 * found in the mempool; outputs imported into an offline wallet.
 */
export type WalletEvent = EventBody & {
  /** Id of the event, a safe integer; increases over all wallets of the server. */
  readonly id: number;
  /** Time of the event [Unix ms]. */
  readonly time: number;
  /** True for an event of a block that was mined before the wallet was added to this server. */
  readonly history?: true;
};
