import type { Hash, KeyImage } from '../../crypto/types.js';
import type { Amount } from '../../util/amount.js';
import type { Destination } from './records.js';

/** One transaction of a payment, relayed unless `doNotRelay` was set. */
export interface MadePayment {
  /** Destinations with the amounts that they receive. */
  readonly destinations: readonly Destination[];
  readonly fee: Amount;
  readonly weight: number;
  /** Key images of its inputs, without unknown ones. */
  readonly keyImages: readonly KeyImage[];
  /** Empty if the wallet cannot sign. */
  readonly txSecretKeys: readonly Uint8Array[];
  /** Absent if the wallet cannot sign, or needs other signers. */
  readonly signed?: {
    readonly txHash: Hash;
    /** Empty in a recorded order whose call did not return it. */
    readonly blob: Uint8Array;
    /** Absent unless `withMetadata` was set. */
    readonly metadata?: Uint8Array;
  };
}

/** All transactions of one request. */
export interface MadePayments {
  readonly payments: readonly MadePayment[];
  /** From a view-only wallet, for the wallet with the spend key to sign. */
  readonly unsignedSet?: Uint8Array;
  /** From a multisig wallet, for the other signers to sign, or to submit if one signature is enough. */
  readonly multisigSet?: Uint8Array;
}
