import type { Hash, KeyImage, PublicKey } from '../../crypto/types.js';
import type { SubaddressIndex } from '../../cryptonote/types.js';
import type { Amount } from '../../../util/amount.js';

/** An output of the wallet that the chain contains. Source: wallet2.h `transfer_details`. */
export interface OwnedOutput {
  readonly txHash: Hash;
  /** Index of the output in its transaction. */
  readonly outputIndex: number;
  /**
   * Index among all outputs of the same amount; RingCT outputs, and those of version 2 miner transactions, count with
   * amount 0.
   */
  readonly globalIndex: number;
  readonly publicKey: PublicKey;
  /** Key image; absent while it is unknown, in view-only wallets. */
  readonly keyImage?: KeyImage;
  readonly amount: Amount;
  /** Blinding scalar of the commitment; 1 for the outputs of miner transactions. */
  readonly mask: bigint;
  readonly rct: boolean;
  readonly subaddress: SubaddressIndex;
  /** Public key by whose derivation the output is recognised: the tx public key or an additional one. */
  readonly derivationKey: PublicKey;
  readonly height: number;
  readonly unlockTime: bigint;
  readonly coinbase: boolean;
  /** True if the output is change of the paying account; it is not listed as incoming. */
  readonly change: boolean;
  /**
   * True if the output cannot be spent, because its key is reused and the key image spends another output of the
   * wallet.
   */
  readonly burnt: boolean;
  /**
   * Amount that the output adds to the payment of its transaction, if its key is reused [atomic units]; absent: the
   * whole amount.
   */
  readonly credited?: Amount;
  readonly frozen: boolean;
  /** Hash of the spending transaction. Without `spentHeight` an unconfirmed payment has reserved the output. */
  readonly spentBy?: Hash;
  readonly spentHeight?: number;
}

/** Returns the amount that an output adds to the payment of its transaction [atomic units]. */
export const creditedOf = ({
  amount,
  credited,
}: {
  readonly amount: Amount;
  readonly credited?: Amount;
}): Amount => credited ?? amount;

/** Names of the fields of an output in the list of incoming transfers. */
export type IncomingField =
  | 'account'
  | 'amount'
  | 'frozen'
  | 'globalIndex'
  | 'height'
  | 'keyImage'
  | 'minor'
  | 'publicKey'
  | 'spent'
  | 'txHash'
  | 'txSize'
  | 'unlocked';

/** An output that was imported into an offline wallet. Source: wallet2.h `transfer_details`, after `import_outputs`. */
export interface ImportedOutput {
  readonly publicKey: PublicKey;
  readonly derivationKey: PublicKey;
  /** Index of the output in its transaction. */
  readonly outputIndex: number;
  readonly globalIndex: number;
  readonly amount: Amount;
  readonly rct: boolean;
  readonly subaddress: SubaddressIndex;
  readonly keyImage: KeyImage;
  readonly spent: boolean;
  readonly frozen: boolean;
  /** True if the last import requested the key image of the output. */
  readonly requested: boolean;
}

/** A key image that was imported into a wallet without the spend key. */
export interface ImportedKeyImage {
  /** Key of the output to which the key image belongs. */
  readonly publicKey: PublicKey;
  readonly keyImage: KeyImage;
  /** True if a signature with the output key was verified; otherwise the key image is only claimed. */
  readonly proven: boolean;
  /**
   * True if an earlier version may have assigned the key image by the position of its output: it may belong to another
   * output.
   */
  readonly placed?: true;
}

/** A mined transaction that pays the wallet; its outputs are stored separately. */
export interface ReceivedTx {
  readonly txHash: Hash;
  readonly height: number;
  /** Time of the block [Unix s]. */
  readonly timestamp: number;
  readonly unlockTime: bigint;
  readonly fee: Amount;
  readonly coinbase: boolean;
  /** Size of the full encoding [bytes]; absent if an earlier version read the block and did not record it. */
  readonly size?: number;
  /** Payment id of 8 bytes (decrypted) or 32 bytes. */
  readonly paymentId?: Uint8Array;
  readonly txPublicKey: PublicKey;
  readonly additionalPublicKeys: readonly PublicKey[];
  /** Key images of the inputs; present only if the wallet cannot decide whether the inputs are its own. */
  readonly spentKeyImages?: readonly KeyImage[];
}

/** A pool transaction that pays the wallet. */
export interface PoolTx {
  readonly txHash: Hash;
  /** Time when the wallet first saw the transaction [Unix s]. */
  readonly timestamp: number;
  readonly unlockTime: bigint;
  readonly fee: Amount;
  readonly paymentId?: Uint8Array;
  readonly doubleSpendSeen: boolean;
  readonly outputs: readonly PoolOutput[];
}

/** An output of a pool transaction that pays the wallet. */
export interface PoolOutput {
  readonly outputIndex: number;
  /** Output key; absent if an earlier version recorded the output. */
  readonly publicKey?: PublicKey;
  readonly amount: Amount;
  /**
   * Amount that the output adds to the payment, if a mined output has the same key [atomic units]; absent: the whole
   * amount.
   */
  readonly credited?: Amount;
  readonly subaddress: SubaddressIndex;
}

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
   * Latest time when the payment was made here, or a pool contained it, rounded to the hour [Unix s]; absent for a payment
   * of another wallet that no pool was seen to contain.
   */
  readonly seen?: number;
  /** Daemon to which the payment was last sent, as `host:port`; absent if unknown, or if this wallet never sent it. */
  readonly sentTo?: string;
  /** Encoded full transaction, stored until the payment is confirmed so that it can be relayed again. */
  readonly blob?: Uint8Array;
  /** Destinations; empty unless this wallet file made the payment. */
  readonly destinations: readonly Destination[];
}

/** An entry in the history of incoming payments: the outputs that one transaction pays to one address. */
export interface Payment {
  readonly tx: Omit<ReceivedTx, 'size' | 'txPublicKey' | 'additionalPublicKeys' | 'spentKeyImages'>;
  readonly subaddress: SubaddressIndex;
  /** Sum of the amounts that the outputs add to the balance [atomic units]. */
  readonly amount: Amount;
  /** Amounts of the outputs, in the order of the transaction; burnt outputs are left out. */
  readonly amounts: readonly Amount[];
}

/**
 * Number of blocks above a block from which it counts as final: the blob of a mined payment is deleted, and a payment
 * that spends an output which was spent there can no longer be mined. The deepest reorganisation of mainnet had 18
 * blocks, in September 2025.
 */
export const SETTLED_DEPTH = 60;

/**
 * Depth of the deepest reorganisation that is accepted [blocks]. A daemon that demands a deeper one is broken or
 * hostile.
 */
export const MAX_REORGANISATION = 10_000;

/** Blocks that a reorganisation replaced. */
export interface ReplacedBlocks {
  /** Height of the lowest one. */
  readonly fromHeight: number;
  /** Number of them. */
  readonly depth: number;
}

/** Height and hash of a block. */
export interface BlockRef {
  readonly height: number;
  readonly hash: Hash;
}

/** Public facts of a transaction that may spend outputs of the wallet. */
export interface SpendingTx {
  readonly txHash: Hash;
  /** Time of the block, or time when the transaction was first seen in the pool [Unix s]. */
  readonly timestamp: number;
  readonly unlockTime: bigint;
  /** Fee [atomic units]; absent for a transaction before RingCT, whose fee is the difference of inputs and outputs. */
  readonly fee?: Amount;
  /** Sum of the plain output amounts [atomic units]; zero since RingCT. */
  readonly amountOut: Amount;
}

/**
 * A mined transaction with an output of the wallet in a ring. Whether it spends the output depends on the output's key
 * image, which is unknown.
 */
export interface AmbiguousSpend extends SpendingTx {
  readonly height: number;
  /** Global index of the transaction's first output; absent before RingCT. */
  readonly globalIndex?: number;
  /** Key images of all inputs. */
  readonly keyImages: readonly KeyImage[];
}

/** Changes of one wallet by mined transactions, which are committed in one database transaction. */
export interface TxFindings {
  readonly received: readonly ReceivedTx[];
  readonly outputs: readonly OwnedOutput[];
  readonly spends: readonly FoundSpend[];
  readonly outgoing: readonly FoundOutgoing[];
  /** Transactions that may spend outputs; present only if key images are unknown. */
  readonly ambiguousSpends?: readonly AmbiguousSpend[];
  /** Subaddress keys that were added to the lookahead because of the received outputs. */
  readonly subaddresses: readonly SubaddressKey[];
}

/** Changes of one wallet by one page of blocks. */
export interface PageFindings extends TxFindings {
  /** Height of the first block of the page. Stored blocks at or above it are detached first. */
  readonly startHeight: number;
  readonly hashes: readonly Hash[];
  /** Reward of the last block [atomic units]. */
  readonly lastBlockReward: Amount;
  /** Time of the last block [Unix s]; absent if it is not known. */
  readonly lastBlockTime?: number | undefined;
}

/**
 * Returns true if the wallet received or spent an output in the transactions, or if keys were added to its lookahead.
 */
export const hasFindings = (found: TxFindings): boolean =>
  found.received.length > 0 ||
  found.outputs.length > 0 ||
  found.spends.length > 0 ||
  found.outgoing.length > 0 ||
  found.subaddresses.length > 0 ||
  found.ambiguousSpends !== undefined;

/** An input of a mined transaction that spends an output of the wallet. */
export interface FoundSpend {
  readonly keyImage: KeyImage;
  readonly txHash: Hash;
  readonly height: number;
  /** Global index of an output of the transaction, which gives its position in the block; absent before RingCT. */
  readonly globalIndex?: number;
}

/** A mined transaction that spends outputs of the wallet. */
export interface FoundOutgoing {
  readonly txHash: Hash;
  readonly height: number;
  readonly timestamp: number;
  readonly account: number;
  readonly fromIndices: readonly number[];
  readonly amountIn: Amount;
  readonly change: Amount;
  readonly fee: Amount;
  readonly unlockTime: bigint;
  readonly paymentId?: Uint8Array;
}

/** Spend public key and index of an address. */
export interface SubaddressKey {
  readonly index: SubaddressIndex;
  readonly spendPublicKey: PublicKey;
}
