import type { Hash, SecretKey } from '../../crypto/types.js';
import type { SubaddressIndex } from '../../cryptonote/types.js';
import type { Amount } from '../../../util/amount.js';
import type { Destination, OutgoingTx, SubaddressKey, ImportedKeyImage } from './records.js';

/** Facts about a payment that only the paying wallet records, apart from its tx keys. */
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
  /** One per created address, at least one; an empty text for no label. */
  readonly labels: readonly string[];
  /** Empty for none. */
  readonly tag: string;
}

/** Balance of an address in a cache [atomic units]. */
export interface CachedBalance {
  readonly subaddress: SubaddressIndex;
  /** Sum of its unspent outputs. */
  readonly total: Amount;
  /** Part of the total that is locked. */
  readonly locked: Amount;
  /** Change and payments to the address that are not mined. */
  readonly unconfirmed: Amount;
  readonly unspentCount: number;
  /** Until its last output is unlocked. */
  readonly blocksToUnlock: number;
}

/** Balances that another program showed, by address. */
export interface CachedBalances {
  /** Number of blocks that it knew. */
  readonly height: number;
  readonly all: readonly CachedBalance[];
  /** Without what is not mined. */
  readonly strict: readonly CachedBalance[];
}

/** Wallet data that cannot be restored from the chain. */
export interface ImportedWallet {
  /** By account index; at least one. */
  readonly accounts: readonly ImportedAccount[];
  readonly tagDescriptions: readonly { readonly tag: string; readonly description: string }[];
  /** Spend keys by which payments are recognised: of created addresses, and of others within a past lookahead. */
  readonly subaddresses: readonly SubaddressKey[];
  readonly addressBook: readonly { readonly address: string; readonly description: string }[];
  readonly attributes: readonly { readonly name: string; readonly value: string }[];
  readonly notes: readonly { readonly txHash: Hash; readonly note: string }[];
  /** The tx secret key, then the additional ones, if any, one per output. */
  readonly txKeys: readonly { readonly txHash: Hash; readonly keys: readonly SecretKey[] }[];
  /** Mined payments. */
  readonly paid: readonly PaymentFacts[];
  /** Pending and failed payments. */
  readonly unmined: readonly OutgoingTx[];
  readonly frozen: readonly { readonly txHash: Hash; readonly outputIndex: number }[];
  /** Key images imported into a view-only wallet. */
  readonly keyImages: readonly ImportedKeyImage[];
  /** Shown until the wallet is scanned; absent: none. */
  readonly balances?: CachedBalances;
}
