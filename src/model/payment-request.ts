import type { SubaddressIndex } from '../monero/cryptonote/types.js';
import type { Hash } from '../monero/crypto/types.js';
import type { Amount } from '../util/amount.js';
import type { PoolSignals, ZeroConfRule } from './zero-conf.js';

/**
 * States of a payment request. `waiting`: no payment. `partial`: payments below the amount. `seen`: payments of enough
 * money, but not all mined. `confirming`: payments of enough money in blocks, with too few confirmations. `paid`.
 * `expired` and `cancelled`: too little money until the end of the request.
 */
export const REQUEST_STATES = [
  'waiting',
  'partial',
  'seen',
  'confirming',
  'paid',
  'expired',
  'cancelled',
] as const;
export type RequestState = (typeof REQUEST_STATES)[number];

/** Greatest length of the label of an address in UTF-8 [bytes]; stores of earlier versions may hold longer labels. */
export const MAX_LABEL_BYTES = 4096;

/** Terms of a payment request that decide its state. */
export interface RequestTerms {
  /** Requested amount [atomic units]; absent: an open request, which is never paid. */
  readonly amount?: Amount | undefined;
  /** Largest difference to the amount that is ignored [atomic units], less than the amount. */
  readonly tolerance: Amount;
  /** Number of confirmations that each payment needs; 0: a payment counts as soon as it is seen in the mempool. */
  readonly confirmations: number;
  /**
   * Smallest height of a block whose payments count in any case. A payment below this height does not count if its time
   * is also before the request: the address of the request may have been paid before the wallet was restored.
   */
  readonly firstHeight: number;
  /** Time of creation [Unix s]. */
  readonly created: number;
  /** Time after which payments are late [Unix s]; absent: never. */
  readonly expires?: number | undefined;
  /** Time at which the request was cancelled [Unix s], after which payments are late. */
  readonly cancelled?: number | undefined;
  /** True once the expiry has passed and was recorded. */
  readonly ended: boolean;
  /** Rule by which payments in the mempool count; absent: `confirmations` alone decides. */
  readonly zeroConf?: ZeroConfRule | undefined;
}

/** Price of an order in another currency, as the merchant states it: this server knows no rates. */
export interface RequestPrice {
  /** Code of the currency, such as EUR. */
  readonly currency: string;
  /** Decimal number of units of the currency. */
  readonly amount: string;
  /** Decimal number of units of the currency for one XMR. */
  readonly rate: string;
  /** Time of the rate [Unix s]. */
  readonly rateTime: number;
  /** Origin of the rate; absent: not stated. */
  readonly source?: string | undefined;
}

/** A stored payment request. */
export interface PaymentRequest extends RequestTerms {
  /** Number of the request in the sequence of creation. */
  readonly sequence: number;
  /** 32 hex digits. */
  readonly requestId: string;
  /** Random name of the pay page of the request, 16 bytes. */
  readonly token: Uint8Array;
  /** Address of the request, which no other request has. */
  readonly subaddress: SubaddressIndex;
  /** Name of the request in the system of the merchant, unique in the wallet. */
  readonly reference?: string;
  /** JSON object of the merchant, as text. */
  readonly metadata?: string;
  /** Page to which the pay page sends its visitor back. */
  readonly returnUrl?: string;
  /** True: the pay page goes back by itself after the payment. */
  readonly returnsAuto: boolean;
  /** Price of the order in another currency; absent: none was given. */
  readonly price?: RequestPrice;
  /** Language of the pay page, as a BCP 47 tag; absent: the language of its visitor. */
  readonly locale?: string;
  /** True: the customer may give an address for refunds on the pay page. */
  readonly asksRefundAddress: boolean;
  /** Address for refunds, given by the merchant or the customer; absent: none is known. */
  readonly refundAddress?: string;
  /** State as reported by the latest event of the request. */
  readonly state: RequestState;
  /** Time of the latest change of its terms or its state [Unix s]. */
  readonly changed: number;
}

/** Facts of outputs to the address of a request that decide its state. */
export interface Receipt {
  /** Sum that the outputs add to the balance [atomic units]. */
  readonly amount: Amount;
  /** Time at which the payment arrived, as recorded at its first sight [Unix s]. */
  readonly arrival: number;
  /**
   * Earliest time at which the payment may have arrived [Unix s], until a block decides; absent if `arrival` is
   * certain.
   */
  readonly earliestArrival?: number | undefined;
  /** Height of the block of the payment; absent in the mempool. */
  readonly height?: number | undefined;
  /**
   * Height of the tip by which the payment was confirmed before a rescan that is running; absent if no rescan is
   * running.
   */
  readonly confirmedTo?: number | undefined;
  readonly unlockTime: bigint;
  /**
   * True while the mempool has seen another transaction that spends the same inputs, or lacks the transaction of the
   * payment.
   */
  readonly isContested: boolean;
  /** True if it met the rule of its request while the mempool contained it; absent: false. */
  readonly isAccepted?: boolean;
}

/** A payment to the address of a request: the outputs, other than change, that one transaction pays to the address. */
export interface RequestPayment extends Receipt {
  readonly txHash: Hash;
  /** Signals of the mempool; absent for requests without a rule, and before the first look. */
  readonly signals?: PoolSignals;
}

/** Number of confirmations that amounts from a smallest amount on need. */
export interface ConfirmationStep {
  /** Smallest amount of the step [atomic units]. */
  readonly from: Amount;
  readonly confirmations: number;
}

/** Numbers of confirmations that payment requests need, in steps of ascending amounts; the first step begins at 0. */
export type ConfirmationScale = readonly ConfirmationStep[];

/** Returns the number of confirmations that a payment request over an amount needs. */
export const confirmationsFor = (scale: ConfirmationScale, amount: Amount): number =>
  scale.findLast(({ from }) => from <= amount)?.confirmations ?? 0;
