import type { Hash, KeyImage, PublicKey } from '../../crypto/types.js';
import type { SubaddressIndex } from '../../cryptonote/types.js';
import type { Amount } from '../../util/amount.js';

/**
 * An output of ours in the chain. Source: wallet2.h `transfer_details`.
 */
export interface OwnedOutput {
  readonly txHash: Hash;
  /** Within the transaction. */
  readonly outputIndex: number;
  /** Among all outputs of its amount (RingCT and coinbase of version 2: amount 0). */
  readonly globalIndex: number;
  readonly publicKey: PublicKey;
  /** Absent while unknown: view-only wallets. */
  readonly keyImage?: KeyImage;
  readonly amount: Amount;
  /** Blinding scalar of the commitment; 1 for coinbase outputs. */
  readonly mask: bigint;
  readonly rct: boolean;
  readonly subaddress: SubaddressIndex;
  /** The key whose derivation opened it: the transaction's or one of its additional keys. */
  readonly derivationKey: PublicKey;
  readonly height: number;
  readonly unlockTime: bigint;
  readonly coinbase: boolean;
  /** Came back to the account that paid: not shown as incoming. */
  readonly change: boolean;
  /** Another output of ours stands for the same key: this one can never be spent. */
  readonly burnt: boolean;
  /** Share in the payment of its transaction, on a reused key; absent: the whole amount. */
  readonly credited?: Amount;
  readonly frozen: boolean;
  /** The transaction that spends it; with `spentHeight` absent it is reserved by a payment still unconfirmed. */
  readonly spentBy?: Hash;
  readonly spentHeight?: number;
}

/** Share of an output in the payment of its transaction. */
export const creditedOf = ({
  amount,
  credited,
}: {
  readonly amount: Amount;
  readonly credited?: Amount;
}): Amount => credited ?? amount;

/** What is known of an output in a list. */
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

/** An output that an offline wallet was told of. Source: wallet2.h `transfer_details`, after `import_outputs`. */
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
  /** The last import asked for its key image. */
  readonly requested: boolean;
}

/** A key image as the holder of the spend key told it to a wallet without. */
export interface ImportedKeyImage {
  /** Of the output. */
  readonly publicKey: PublicKey;
  readonly keyImage: KeyImage;
  /** By a signature of the output's key; else it is only claimed. */
  readonly proven: boolean;
}

/** A mined transaction that paid us: the part that its outputs share. */
export interface ReceivedTx {
  readonly txHash: Hash;
  readonly height: number;
  /** Of the block, Unix seconds. */
  readonly timestamp: number;
  readonly unlockTime: bigint;
  readonly fee: Amount;
  readonly coinbase: boolean;
  /** Of the whole encoding [bytes]; absent where a version that did not record it read the block. */
  readonly size?: number;
  /** 8 (decrypted) or 32 bytes. */
  readonly paymentId?: Uint8Array;
  readonly txPublicKey: PublicKey;
  readonly additionalPublicKeys: readonly PublicKey[];
  /** What it spends; only where the wallet cannot tell whether that was its own. */
  readonly spentKeyImages?: readonly KeyImage[];
}

/** A transaction in the pool that pays us. */
export interface PoolTx {
  readonly txHash: Hash;
  /** When we first saw it, Unix seconds. */
  readonly timestamp: number;
  readonly unlockTime: bigint;
  readonly fee: Amount;
  readonly paymentId?: Uint8Array;
  readonly doubleSpendSeen: boolean;
  readonly outputs: readonly PoolOutput[];
}

export interface PoolOutput {
  readonly outputIndex: number;
  /** Absent where an earlier version found it. */
  readonly publicKey?: PublicKey;
  readonly amount: Amount;
  /** Share in the payment, on a key that a mined output has too; absent: the whole amount. */
  readonly credited?: Amount;
  readonly subaddress: SubaddressIndex;
}

/** A destination of a payment of ours, as the caller gave it. */
export interface Destination {
  readonly amount: Amount;
  /** Text of the address, integrated form kept. */
  readonly address: string;
}

/**
 * prepared: persisted, not yet handed to a daemon. pending: handed over, or the daemon's answer was lost.
 * failed: refused by the network, or vanished; its inputs are free again. confirmed: mined.
 */
export type OutgoingState = 'prepared' | 'pending' | 'failed' | 'confirmed';

/** A transaction that spends outputs of ours. Source: wallet2.h `unconfirmed_transfer_details`, `confirmed_transfer_details`. */
export interface OutgoingTx {
  readonly txHash: Hash;
  readonly state: OutgoingState;
  readonly account: number;
  /** Addresses of the account whose outputs it spends, ascending. */
  readonly fromIndices: readonly number[];
  readonly amountIn: Amount;
  readonly fee: Amount;
  /** Returned to the paying account; once mined, all of it where nothing was paid to others. */
  readonly change: Amount;
  /** Change as recorded when the payment was made; set once a payment to the paying account itself is mined. */
  readonly changeAtPayment?: Amount;
  readonly unlockTime: bigint;
  readonly paymentId?: Uint8Array;
  /** Unix seconds: of making it, or of its block once mined. */
  readonly timestamp: number;
  readonly height?: number;
  /** Unix seconds: when a pool last held it, to the hour. Absent: none did, as far as is known. */
  readonly seen?: number;
  /** The whole transaction, kept until confirmed so that it can be relayed again. */
  readonly blob?: Uint8Array;
  /** Known only where this wallet file made the payment. */
  readonly destinations: readonly Destination[];
}

/** A row of the incoming history: the outputs that one transaction paid to one address. */
export interface Payment {
  readonly tx: Omit<ReceivedTx, 'size' | 'txPublicKey' | 'additionalPublicKeys' | 'spentKeyImages'>;
  readonly subaddress: SubaddressIndex;
  /** Sum of the shares that its outputs add to the wallet. */
  readonly amount: Amount;
  /** One an output, as its transaction has it; burnt ones are left out. */
  readonly amounts: readonly Amount[];
}

/**
 * Blocks that a reorganisation may undo. One that reaches deeper is refused: such a daemon is broken or hostile.
 */
export const MAX_REORGANISATION = 10_000;

export interface BlockRef {
  readonly height: number;
  readonly hash: Hash;
}

/** Public facts of a transaction that spends. */
export interface SpendingTx {
  readonly txHash: Hash;
  /** Of the block, or of our first sight of it; Unix seconds. */
  readonly timestamp: number;
  readonly unlockTime: bigint;
  /** Absent before RingCT: what the outputs leave of the inputs. */
  readonly fee?: Amount;
  /** Sum of the plain amounts; zero since RingCT. */
  readonly amountOut: Amount;
}

/** A mined transaction whose rings contain an output of ours with an unknown key image: it may spend that output. */
export interface AmbiguousSpend extends SpendingTx {
  readonly height: number;
  /** Of its first output; absent before RingCT. */
  readonly globalIndex?: number;
  /** Of all its inputs. */
  readonly keyImages: readonly KeyImage[];
}

/** What mined transactions changed for one wallet. Everything in it is committed in one transaction. */
export interface TxFindings {
  readonly received: readonly ReceivedTx[];
  readonly outputs: readonly OwnedOutput[];
  readonly spends: readonly FoundSpend[];
  readonly outgoing: readonly FoundOutgoing[];
  /** While the spend key is put away. */
  readonly ambiguousSpends?: readonly AmbiguousSpend[];
  /** Lookahead entries that they made necessary. */
  readonly subaddresses: readonly SubaddressKey[];
}

/** What one page of blocks changed. */
export interface PageFindings extends TxFindings {
  /** First height of the page: whatever the wallet held at or above it is detached first. */
  readonly startHeight: number;
  readonly hashes: readonly Hash[];
  /** What the miner of the last block got. */
  readonly lastBlockReward: Amount;
}

/** One of our outputs seen as an input of a mined transaction. */
export interface FoundSpend {
  readonly keyImage: KeyImage;
  readonly txHash: Hash;
  readonly height: number;
  /** Global index of an output of the transaction, which tells its place in the block; absent before RingCT. */
  readonly globalIndex?: number;
}

/** A mined transaction that spends outputs of ours. */
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
