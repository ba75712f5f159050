import type { Hash, SecretKey } from '../../crypto/types.js';
import type { Amount } from '../../util/amount.js';
import type { Destination, OutgoingTx, SubaddressKey, ImportedKeyImage } from './records.js';

/** What only the wallet that paid knows of a payment, beside its keys. */
export interface PaymentFacts {
  readonly txHash: Hash;
  /** Absent where it was not recorded. */
  readonly change?: Amount;
  /** 8 or 32 bytes. */
  readonly paymentId?: Uint8Array;
  readonly destinations: readonly Destination[];
}

/** An account with all its addresses. */
export interface ImportedAccount {
  /** One an address handed out, at least one; empty where it has none. */
  readonly labels: readonly string[];
  /** Empty where it has none. */
  readonly tag: string;
}

/** All that a wallet remembers and the chain cannot tell. */
export interface ImportedWallet {
  /** In order; at least one. */
  readonly accounts: readonly ImportedAccount[];
  readonly tagDescriptions: readonly { readonly tag: string; readonly description: string }[];
  /** Entries by which payments are recognised: addresses handed out, and others that once were watched. */
  readonly subaddresses: readonly SubaddressKey[];
  readonly addressBook: readonly { readonly address: string; readonly description: string }[];
  readonly attributes: readonly { readonly name: string; readonly value: string }[];
  readonly notes: readonly { readonly txHash: Hash; readonly note: string }[];
  /** The transaction's key, then one an output where there are additional ones. */
  readonly txKeys: readonly { readonly txHash: Hash; readonly keys: readonly SecretKey[] }[];
  /** Of payments that were mined. */
  readonly paid: readonly PaymentFacts[];
  /** Payments that were not mined yet, or failed. */
  readonly unmined: readonly OutgoingTx[];
  /** Outputs that no payment may use. */
  readonly frozen: readonly { readonly txHash: Hash; readonly outputIndex: number }[];
  /** What a wallet without the spend key was told. */
  readonly keyImages: readonly ImportedKeyImage[];
}
