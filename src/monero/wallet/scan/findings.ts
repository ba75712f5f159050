import type { Hash, KeyImage, PublicKey } from '../../crypto/types.js';
import type { SubaddressIndex } from '../../cryptonote/types.js';
import type { Amount } from '../../../util/amount.js';
import type { SubaddressKey } from './packed-subaddresses.js';
import type { FoundOutput } from './found-output.js';

/* Values that a scan finds in blocks and in the pool, as they are posted between threads and stored. */

/** An output of the wallet that the chain contains: its position there, and its state. Source: wallet2.h `transfer_details`. */
export interface OwnedOutput extends FoundOutput {
  readonly txHash: Hash;
  /**
   * Index among all outputs of the same amount; RingCT outputs, and outputs of version 2 miner transactions, count with
   * amount 0.
   */
  readonly globalIndex: number;
  readonly rct: boolean;
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

/**
 * Number of blocks above a block from which it counts as final: the blob of a mined payment is deleted, and a payment
 * whose input was spent in or below such a block can no longer be mined. The deepest reorganisation of mainnet had 18
 * blocks, in September 2025.
 */
export const SETTLED_DEPTH = 60;

/**
 * Depth of the deepest reorganisation that is accepted [blocks]. A daemon that demands a deeper reorganisation is
 * broken or hostile.
 */
export const MAX_REORGANISATION = 10_000;

/** Blocks that a reorganisation replaced. */
export interface ReplacedBlocks {
  /** Height of the lowest replaced block. */
  readonly fromHeight: number;
  /** Number of replaced blocks. */
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

/** A mined transaction that concerns the wallet. */
export interface FoundTx {
  readonly txHash: Hash;
  readonly height: number;
}

/** Changes of one wallet by mined transactions, which are committed in one database transaction. */
export interface TxFindings {
  readonly received: readonly ReceivedTx[];
  readonly outputs: readonly OwnedOutput[];
  readonly spends: readonly FoundSpend[];
  readonly outgoing: readonly FoundOutgoing[];
  /** Transactions that may spend outputs; present only if key images are unknown. */
  readonly ambiguousSpends?: readonly AmbiguousSpend[];
  /**
   * Transactions with an output to the wallet whose amount differs from its commitment, or with one in the form of the fork
   * that has its view tag and does not open: such a payment is void, unless the daemon has altered it. Absent if there are
   * none.
   */
  readonly doubted?: readonly FoundTx[];
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

/** Returns the transactions of findings; a transaction may occur several times. */
export const foundTxs = ({
  received,
  outputs,
  spends,
  outgoing,
  ambiguousSpends = [],
  doubted = [],
}: TxFindings): FoundTx[] => [
  ...received,
  ...outputs,
  ...spends,
  ...outgoing,
  ...ambiguousSpends,
  ...doubted,
];

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
