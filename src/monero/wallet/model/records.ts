import type { Hash, KeyImage, PublicKey } from '../../crypto/types.js';
import type { SubaddressIndex } from '../../cryptonote/types.js';
import type { Amount } from '../../../util/amount.js';

/** An output of the wallet in the chain. Source: wallet2.h `transfer_details`. */
export interface OwnedOutput {
  readonly txHash: Hash;
  /** Within the transaction. */
  readonly outputIndex: number;
  /** Index among all outputs of its amount (RingCT and coinbase of version 2: amount 0). */
  readonly globalIndex: number;
  readonly publicKey: PublicKey;
  /** Absent while unknown: view-only wallets. */
  readonly keyImage?: KeyImage;
  readonly amount: Amount;
  /** Blinding scalar of the commitment; 1 for coinbase outputs. */
  readonly mask: bigint;
  readonly rct: boolean;
  readonly subaddress: SubaddressIndex;
  /** Public key whose derivation opens the output: the tx public key or an additional one. */
  readonly derivationKey: PublicKey;
  readonly height: number;
  readonly unlockTime: bigint;
  readonly coinbase: boolean;
  /** Change of the paying account; not listed as incoming. */
  readonly change: boolean;
  /** Unspendable: the key image of its reused key spends another output of the wallet. */
  readonly burnt: boolean;
  /** Amount that it adds to the payment of its transaction where its key is reused; absent: the whole amount. */
  readonly credited?: Amount;
  readonly frozen: boolean;
  /** Spending transaction; without `spentHeight` the output is reserved by an unconfirmed payment. */
  readonly spentBy?: Hash;
  readonly spentHeight?: number;
}

/** Amount that an output adds to the payment of its transaction. */
export const creditedOf = ({
  amount,
  credited,
}: {
  readonly amount: Amount;
  readonly credited?: Amount;
}): Amount => credited ?? amount;

/** Fields of an output in the list of incoming transfers. */
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

/** An output imported into an offline wallet. Source: wallet2.h `transfer_details`, after `import_outputs`. */
export interface ImportedOutput {
  readonly publicKey: PublicKey;
  readonly derivationKey: PublicKey;
  /** Within its transaction. */
  readonly outputIndex: number;
  readonly globalIndex: number;
  readonly amount: Amount;
  readonly rct: boolean;
  readonly subaddress: SubaddressIndex;
  readonly keyImage: KeyImage;
  readonly spent: boolean;
  readonly frozen: boolean;
  /** The last import requested its key image. */
  readonly requested: boolean;
}

/** A key image imported into a wallet without the spend key. */
export interface ImportedKeyImage {
  /** Output key. */
  readonly publicKey: PublicKey;
  readonly keyImage: KeyImage;
  /** A signature by the output key has been verified; otherwise the key image is only claimed. */
  readonly proven: boolean;
  /** An earlier version may have taken it by the place of its output: it may belong to another one. */
  readonly placed?: true;
}

/** A mined transaction that pays the wallet, without its outputs. */
export interface ReceivedTx {
  readonly txHash: Hash;
  readonly height: number;
  /** Block time [Unix s]. */
  readonly timestamp: number;
  readonly unlockTime: bigint;
  readonly fee: Amount;
  readonly coinbase: boolean;
  /** Size of the whole encoding [bytes]; absent when the block was read by a version that did not record it. */
  readonly size?: number;
  /** 8 (decrypted) or 32 bytes. */
  readonly paymentId?: Uint8Array;
  readonly txPublicKey: PublicKey;
  readonly additionalPublicKeys: readonly PublicKey[];
  /** Key images of its inputs; present only where the wallet cannot decide whether they are its own. */
  readonly spentKeyImages?: readonly KeyImage[];
}

/** A pool transaction that pays the wallet. */
export interface PoolTx {
  readonly txHash: Hash;
  /** Time when the wallet first saw it [Unix s]. */
  readonly timestamp: number;
  readonly unlockTime: bigint;
  readonly fee: Amount;
  readonly paymentId?: Uint8Array;
  readonly doubleSpendSeen: boolean;
  readonly outputs: readonly PoolOutput[];
}

export interface PoolOutput {
  readonly outputIndex: number;
  /** Absent when recorded by an earlier version. */
  readonly publicKey?: PublicKey;
  readonly amount: Amount;
  /** Amount that it adds to the payment where a mined output has the same key; absent: the whole amount. */
  readonly credited?: Amount;
  readonly subaddress: SubaddressIndex;
}

/** A destination of an outgoing payment, as requested. */
export interface Destination {
  readonly amount: Amount;
  /** Address text; an integrated address keeps its payment id. */
  readonly address: string;
}

/**
 * prepared: persisted, not yet relayed. pending: relayed, or the daemon's answer was lost.
 * failed: refused by the network, or gone from the pool; its inputs are spendable again. confirmed: mined.
 */
export type OutgoingState = 'prepared' | 'pending' | 'failed' | 'confirmed';

/**
 * A transaction that spends outputs of the wallet.
 * Source: wallet2.h `unconfirmed_transfer_details`, `confirmed_transfer_details`.
 */
export interface OutgoingTx {
  readonly txHash: Hash;
  readonly state: OutgoingState;
  readonly account: number;
  /** Minor indices of the addresses whose outputs it spends, ascending. */
  readonly fromIndices: readonly number[];
  readonly amountIn: Amount;
  readonly fee: Amount;
  /** Amount returned to the paying account; once a payment to that account itself is mined, the whole amount. */
  readonly change: Amount;
  /** Change recorded when the payment was made; set once a payment to the paying account itself is mined. */
  readonly changeAtPayment?: Amount;
  readonly unlockTime: bigint;
  readonly paymentId?: Uint8Array;
  /** Time of creation; once mined, of its block [Unix s]. */
  readonly timestamp: number;
  readonly height?: number;
  /** Time when a pool last held it, rounded to the hour [Unix s]; absent: never seen in a pool. */
  readonly seen?: number;
  /** Daemon that it was last sent to, as `host:port`; absent: unknown, or never sent by this wallet. */
  readonly sentTo?: string;
  /** The whole transaction, stored until confirmed so that it can be relayed again. */
  readonly blob?: Uint8Array;
  /** Empty unless this wallet file made the payment. */
  readonly destinations: readonly Destination[];
}

/** Incoming history entry: the outputs that one transaction pays to one address. */
export interface Payment {
  readonly tx: Omit<ReceivedTx, 'size' | 'txPublicKey' | 'additionalPublicKeys' | 'spentKeyImages'>;
  readonly subaddress: SubaddressIndex;
  /** Sum of the amounts that its outputs add to the balance. */
  readonly amount: Amount;
  /** Amounts of its outputs in the order of the transaction; burnt outputs are left out. */
  readonly amounts: readonly Amount[];
}

/**
 * Blocks above a block from which it counts as final: the blob of a mined payment is dropped, and a payment that spends
 * an output which was spent there can no longer be mined. The deepest reorganisation of mainnet had 18 blocks, in
 * September 2025.
 */
export const SETTLED_DEPTH = 60;

/** Deepest reorganisation accepted [blocks]; a daemon that demands a deeper one is broken or hostile. */
export const MAX_REORGANISATION = 10_000;

export interface BlockRef {
  readonly height: number;
  readonly hash: Hash;
}

/** Public facts of a spending transaction. */
export interface SpendingTx {
  readonly txHash: Hash;
  /** Time of the block, or of first seeing it in the pool [Unix s]. */
  readonly timestamp: number;
  readonly unlockTime: bigint;
  /** Absent before RingCT, where the fee is inputs less outputs. */
  readonly fee?: Amount;
  /** Sum of the plain output amounts; zero since RingCT. */
  readonly amountOut: Amount;
}

/**
 * A mined transaction with an output of the wallet in a ring; whether it is spent depends on its unknown key image.
 */
export interface AmbiguousSpend extends SpendingTx {
  readonly height: number;
  /** Global index of its first output; absent before RingCT. */
  readonly globalIndex?: number;
  /** Key images of all its inputs. */
  readonly keyImages: readonly KeyImage[];
}

/** Changes that mined transactions make to one wallet; committed in one database transaction. */
export interface TxFindings {
  readonly received: readonly ReceivedTx[];
  readonly outputs: readonly OwnedOutput[];
  readonly spends: readonly FoundSpend[];
  readonly outgoing: readonly FoundOutgoing[];
  /** Present only where key images are unknown. */
  readonly ambiguousSpends?: readonly AmbiguousSpend[];
  /** Lookahead entries added because of the received outputs. */
  readonly subaddresses: readonly SubaddressKey[];
}

/** Changes that one page of blocks makes to one wallet. */
export interface PageFindings extends TxFindings {
  /** First height of the page; blocks stored at or above it are detached first. */
  readonly startHeight: number;
  readonly hashes: readonly Hash[];
  /** Reward of the last block. */
  readonly lastBlockReward: Amount;
}

/** True if a wallet received, spent or derived something in the transactions. */
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

export interface SubaddressKey {
  readonly index: SubaddressIndex;
  readonly spendPublicKey: PublicKey;
}
