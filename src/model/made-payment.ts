import type { Hash, KeyImage, PublicKey } from '../monero/crypto/types.js';
import type { Amount } from '../util/amount.js';
import type { Destination } from '../monero/wallet/build/outgoing-tx.js';

/** A transaction in the form in which a client receives it. */
export interface MadeTx {
  readonly txHash: Hash;
  /** Encoded transaction; empty in a recorded order whose call did not return it. */
  readonly blob: Uint8Array;
  /** Metadata for `relay_tx`; absent unless `withMetadata` was set. */
  readonly metadata?: Uint8Array;
}

/** One transaction of a payment, which was relayed unless `doNotRelay` was set. */
export interface MadePayment {
  /** Destinations with the amounts that they receive. */
  readonly destinations: readonly Destination[];
  readonly fee: Amount;
  readonly weight: number;
  /** Key images of the inputs, without key images that are unknown. */
  readonly keyImages: readonly KeyImage[];
  /** Output keys of the inputs; empty in an order that an earlier version recorded. */
  readonly inputKeys: readonly PublicKey[];
  /**
   * Digest of the rings (`ringsDigest`). It identifies a transaction that other wallets sign, perhaps several times.
   * Absent if this wallet signed the transaction when it made it.
   */
  readonly rings?: Hash;
  /** Transaction secret keys; empty if the signing wallet has withheld them. */
  readonly txSecretKeys: readonly Uint8Array[];
  /** Signed transaction; absent if the wallet cannot sign, or if other signers are needed. */
  readonly signed?: MadeTx;
  /**
   * Transaction with placeholders for key images and signatures, if the wallet cannot sign. The signed transaction will
   * have another hash and other keys.
   */
  readonly unsigned?: MadeTx;
}

/** All transactions that one request made. */
export interface MadePayments {
  readonly payments: readonly MadePayment[];
  /** Set that the wallet with the spend key is to sign; present in a view-only wallet. */
  readonly unsignedSet?: Uint8Array;
  /** Set that the other signers are to sign, or to submit if one signature suffices; present in a multisig wallet. */
  readonly multisigSet?: Uint8Array;
}
