import type { Hash, KeyImage, PublicKey } from '../../crypto/types.js';
import type { Amount } from '../../../util/amount.js';
import type { Destination } from './records.js';

/** A transaction as a client gets it. */
export interface MadeTx {
  readonly txHash: Hash;
  /** Empty in a recorded order whose call did not return it. */
  readonly blob: Uint8Array;
  /** Absent unless `withMetadata` was set. */
  readonly metadata?: Uint8Array;
}

/** One transaction of a payment, relayed unless `doNotRelay` was set. */
export interface MadePayment {
  /** Destinations with the amounts that they receive. */
  readonly destinations: readonly Destination[];
  readonly fee: Amount;
  readonly weight: number;
  /** Key images of its inputs, without unknown ones. */
  readonly keyImages: readonly KeyImage[];
  /** Output keys of its inputs; empty in an order that an earlier version recorded. */
  readonly inputKeys: readonly PublicKey[];
  /**
   * Digest of its rings (`ringsDigest`), by which a transaction is recognised that other wallets sign, perhaps several
   * times; absent for one that this wallet signed when it made it.
   */
  readonly rings?: Hash;
  /** Empty if the wallet that signed withheld them. */
  readonly txSecretKeys: readonly Uint8Array[];
  /** Absent if the wallet cannot sign, or needs other signers. */
  readonly signed?: MadeTx;
  /**
   * Present if the wallet cannot sign: the transaction with placeholders for key images and signatures. The signed one
   * has another hash and other keys.
   */
  readonly unsigned?: MadeTx;
}

/** All transactions of one request. */
export interface MadePayments {
  readonly payments: readonly MadePayment[];
  /** From a view-only wallet, for the wallet with the spend key to sign. */
  readonly unsignedSet?: Uint8Array;
  /** From a multisig wallet, for the other signers to sign, or to submit if one signature is enough. */
  readonly multisigSet?: Uint8Array;
}
