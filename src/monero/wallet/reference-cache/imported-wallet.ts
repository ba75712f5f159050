import type { Hash, SecretKey } from '../../crypto/types.js';
import type { SubaddressIndex } from '../../cryptonote/types.js';
import type { Amount } from '../../../util/amount.js';
import type { Destination, OutgoingTx } from '../build/outgoing-tx.js';
import type { SubaddressKey } from '../scan/packed-subaddresses.js';
import type { ImportedKeyImage } from '../scan/key-images.js';

/** Data of a payment that only the paying wallet records, apart from its transaction keys. */
export interface PaymentFacts {
  readonly txHash: Hash;
  /** Change [atomic units]; absent if it was not recorded. */
  readonly change?: Amount;
  /** Payment id of 8 or 32 bytes. */
  readonly paymentId?: Uint8Array;
  readonly destinations: readonly Destination[];
}

/** An account with all its addresses. */
export interface ImportedAccount {
  /** Labels of the created addresses, at least one; an empty text for no label. */
  readonly labels: readonly string[];
  /** Tag of the account; empty for no tag. */
  readonly tag: string;
}

/** Balance of an address as stored in a cache [atomic units]. */
export interface CachedBalance {
  readonly subaddress: SubaddressIndex;
  /** Sum of the unspent outputs [atomic units]. */
  readonly total: Amount;
  /** Part of the total that is locked [atomic units]. */
  readonly locked: Amount;
  /** Unmined change and unmined payments to the address [atomic units]. */
  readonly unconfirmed: Amount;
  readonly unspentCount: number;
  /** Number of blocks until the last output of the address is unlocked. */
  readonly blocksToUnlock: number;
}

/** Balances by address that another program has shown. */
export interface CachedBalances {
  /** Number of blocks that the other program knew. */
  readonly height: number;
  readonly all: readonly CachedBalance[];
  /** Balances without unmined amounts. */
  readonly strict: readonly CachedBalance[];
}

/** Data of another program's wallet that cannot be restored from the chain. */
export interface ImportedWallet {
  /** Accounts by index; at least one. */
  readonly accounts: readonly ImportedAccount[];
  readonly tagDescriptions: readonly { readonly tag: string; readonly description: string }[];
  /**
   * Spend keys of the addresses to recognise: of created addresses, and of further addresses within a former lookahead.
   */
  readonly subaddresses: readonly SubaddressKey[];
  readonly addressBook: readonly { readonly address: string; readonly description: string }[];
  readonly attributes: readonly { readonly name: string; readonly value: string }[];
  readonly notes: readonly { readonly txHash: Hash; readonly note: string }[];
  /** For each transaction, its secret key, then its additional secret keys, one per output, if it has such keys. */
  readonly txKeys: readonly { readonly txHash: Hash; readonly keys: readonly SecretKey[] }[];
  /** Data of mined payments. */
  readonly paid: readonly PaymentFacts[];
  /** Pending and failed payments. */
  readonly unmined: readonly OutgoingTx[];
  readonly frozen: readonly { readonly txHash: Hash; readonly outputIndex: number }[];
  /** Key images that were imported into a view-only wallet. */
  readonly keyImages: readonly ImportedKeyImage[];
  /** Balances to show until the wallet is scanned; absent: no balances are known. */
  readonly balances?: CachedBalances;
}
