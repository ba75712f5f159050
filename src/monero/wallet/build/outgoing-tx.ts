import type { Hash } from '../../crypto/types.js';
import type { Amount } from '../../../util/amount.js';

/** A destination of an outgoing payment, as requested. */
export interface Destination {
  readonly amount: Amount;
  /** Address text; an integrated address is stored with its payment id. */
  readonly address: string;
}

/**
 * State of a payment. prepared: recorded, not relayed yet. pending: relayed, or the daemon's answer was lost. failed:
 * refused by the network, or gone from the pool; its inputs can be spent again. confirmed: mined.
 */
export type OutgoingState = 'prepared' | 'pending' | 'failed' | 'confirmed';

/**
 * A transaction that spends outputs of the wallet. Source: wallet2.h `unconfirmed_transfer_details`,
 * `confirmed_transfer_details`.
 */
export interface OutgoingTx {
  readonly txHash: Hash;
  readonly state: OutgoingState;
  readonly account: number;
  /** Minor indices of the addresses whose outputs the transaction spends, ascending. */
  readonly fromIndices: readonly number[];
  readonly amountIn: Amount;
  readonly fee: Amount;
  /**
   * Amount that returns to the paying account [atomic units]. For a mined payment to that account itself, the whole
   * amount.
   */
  readonly change: Amount;
  /**
   * Change that was recorded when the payment was made [atomic units]; set when a payment to the paying account itself
   * is mined.
   */
  readonly changeAtPayment?: Amount;
  readonly unlockTime: bigint;
  readonly paymentId?: Uint8Array;
  /** Time when the payment was made; for a mined payment, time of its block [Unix s]. */
  readonly timestamp: number;
  readonly height?: number;
  /**
   * Latest time when the payment was made here, or a pool contained it, rounded to the hour [Unix s]; absent for a
   * payment of another wallet that was never seen in a pool.
   */
  readonly seen?: number;
  /** Daemon to which the payment was last sent, as `host:port`; absent if unknown, or if this wallet never sent it. */
  readonly sentTo?: string;
  /** Encoded full transaction, stored until the payment is confirmed so that it can be relayed again. */
  readonly blob?: Uint8Array;
  /** Destinations; empty unless this wallet file made the payment. */
  readonly destinations: readonly Destination[];
}
