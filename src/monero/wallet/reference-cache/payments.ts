import type { Hash, KeyImage } from '../../crypto/types.js';
import { txPrefix } from '../../cryptonote/transaction.js';
import type { SubaddressIndex, TxPrefix } from '../../cryptonote/types.js';
import { list, varint, varintNumber, type Codec } from '../../../util/codec.js';
import { absent, flag, key, pair, struct, versioned } from '../exchange/binary-archive.js';
import { destinationEntry, type DestinationEntry } from '../exchange/construction-data.js';
import { subaddressIndex } from '../exchange/transfer-details.js';

/** Key image and key offsets of each input. */
export type Rings = readonly (readonly [KeyImage, readonly bigint[]])[];

/** Fields that mined and unmined payments have in common. */
interface PaidTransfer {
  readonly amountIn: bigint;
  /** Sum of the outputs, without the fee and with the change [atomic units]. */
  readonly amountOut: bigint;
  /** Change [atomic units]; 2^64 - 1 if it is unknown. */
  readonly change: bigint;
  /** Requested destinations, without change. */
  readonly destinations: readonly DestinationEntry[];
  /** Payment id of 32 bytes; zeros for no payment id. A short id is padded with zeros. */
  readonly paymentId: Uint8Array;
  /** Time of the payment [Unix s]. */
  readonly timestamp: number;
  readonly account: number;
  readonly minors: readonly number[];
  readonly rings: Rings;
}

/**
 * Value of the reference's `m_state` for a failed payment. 0: pending; 1: pending and seen in the pool (formerly:
 * missing from the pool); 2: failed.
 */
const FAILED = 2;

/** A payment that is not mined. Source: wallet2_types.h `unconfirmed_transfer_details`. */
export interface UnconfirmedTransfer extends PaidTransfer {
  readonly tx: TxPrefix;
  readonly sentTime: number;
  readonly state: number;
}

export const hasFailed = ({ state }: UnconfirmedTransfer): boolean => state === FAILED;

/** A mined payment. Source: wallet2_types.h `confirmed_transfer_details`. */
export interface ConfirmedTransfer extends PaidTransfer {
  /** Prefix of the transaction; undefined in version 0 of the record. */
  readonly tx: TxPrefix | undefined;
  readonly height: number;
  readonly unlockTime: bigint;
}

/** A received payment. Source: wallet2_types.h `payment_details`. */
export interface ReceivedPayment {
  readonly txHash: Hash;
  readonly amount: bigint;
  readonly amounts: readonly bigint[];
  readonly fee: bigint;
  readonly height: number;
  readonly unlockTime: bigint;
  /** Time of the block [Unix s]. */
  readonly timestamp: number;
  readonly coinbase: boolean;
  readonly subaddress: SubaddressIndex;
}

/** A received payment in the pool. Source: wallet2_types.h `pool_payment_details`. */
export interface PoolPayment {
  readonly payment: ReceivedPayment;
  readonly doubleSpendSeen: boolean;
}

const rings: Codec<Rings> = list(pair(key<KeyImage>(), list(varint)));

export const unconfirmedTransfer: Codec<UnconfirmedTransfer> = versioned(1, (version) =>
  struct<UnconfirmedTransfer>({
    tx: txPrefix,
    amountIn: varint,
    amountOut: varint,
    change: varint,
    sentTime: varintNumber,
    destinations: list(destinationEntry),
    paymentId: key(),
    state: version < 1 ? absent(0) : varintNumber,
    timestamp: varintNumber,
    account: varintNumber,
    minors: list(varintNumber),
    rings,
  }),
);

export const confirmedTransfer: Codec<ConfirmedTransfer> = versioned(1, (version) =>
  struct<ConfirmedTransfer>({
    tx: version < 1 ? absent(undefined) : txPrefix,
    amountIn: varint,
    amountOut: varint,
    change: varint,
    height: varintNumber,
    destinations: list(destinationEntry),
    paymentId: key(),
    timestamp: varintNumber,
    unlockTime: varint,
    account: varintNumber,
    minors: list(varintNumber),
    rings,
  }),
);

export const receivedPayment: Codec<ReceivedPayment> = versioned(0, () =>
  struct<ReceivedPayment>({
    txHash: key<Hash>(),
    amount: varint,
    amounts: list(varint),
    fee: varint,
    height: varintNumber,
    unlockTime: varint,
    timestamp: varintNumber,
    coinbase: flag,
    subaddress: subaddressIndex,
  }),
);

export const poolPayment: Codec<PoolPayment> = versioned(0, () =>
  struct<PoolPayment>({ payment: receivedPayment, doubleSpendSeen: flag }),
);
