import type { Hash, KeyImage, PublicKey } from '../crypto/types.js';
import type { RctBase, RctPrunable } from '../ringct/types.js';
import type { Amount } from '../../util/amount.js';
import type { Bytes } from '../../util/bytes.js';

/**
 * Network of an address; a regtest chain has addresses of mainnet.
 * @example
 * const network: NetworkType = 'stagenet';
 * tryParseAddress(address, network); // => undefined
 */
export type NetworkType = 'mainnet' | 'testnet' | 'stagenet';

/**
 * Payment id of 8 bytes; encrypted in a transaction, plain in an integrated address.
 * @example
 * const id: PaymentId = fixedBytes(fromHex('1234567890abcdef'), 8, 'PaymentId');
 * equalBytes(id, found[0].paymentId); // => true
 */
export type PaymentId = Bytes<'PaymentId'>;

/**
 * Input of a miner transaction, which spends no output.
 * @example
 * const input: GenInput = { type: 'gen', height: 91 };
 * block.minerTx.prefix.inputs; // => [input]
 */
export interface GenInput {
  readonly type: 'gen';
  readonly height: number;
}

/**
 * Input that spends an output of a ring.
 * @example
 * const input = tx.prefix.inputs[0] as KeyInput;
 * input.keyOffsets.length; // => 16
 */
export interface KeyInput {
  readonly type: 'key';
  /** Amount of the spent output [atomic units]; zero for a RingCT output. */
  readonly amount: Amount;
  /**
   * Global indices of the ring members: the first index is absolute, each further index is relative to its predecessor.
   */
  readonly keyOffsets: readonly bigint[];
  /** Key image of the input; two inputs have the same key image only if both spend the same output key. */
  readonly keyImage: KeyImage;
}

/**
 * Input of a transaction.
 * @example
 * const [first]: readonly TxInput[] = tx.prefix.inputs;
 * first.type; // => 'key'
 */
export type TxInput = GenInput | KeyInput;

/**
 * Output of a transaction.
 * @example
 * const output: TxOutput = tx.prefix.outputs[0];
 * output.amount; // => 0n
 */
export interface TxOutput {
  /** Amount [atomic units]; zero for a RingCT output, unless it is an output of a miner transaction. */
  readonly amount: Amount;
  readonly publicKey: PublicKey;
  /** View tag, 0 to 255; absent in outputs from before hard fork 15, and in outputs in the form of the fork. */
  readonly viewTag?: number;
  /** Fields of an output in the form of the fork (Carrot); absent in the old form. */
  readonly carrot?: CarrotFields;
}

/**
 * Fields of an output in the form of the next fork, beside its key; its encrypted amount and its commitment are in the
 * RingCT signature.
 * @example
 * const fields: CarrotFields | undefined = tx.prefix.outputs[0].carrot;
 * fields; // => undefined
 */
export interface CarrotFields {
  /** View tag of 3 bytes, which binds the input context. */
  readonly viewTag: Uint8Array;
  /** Encrypted anchor of 16 bytes. */
  readonly encryptedAnchor: Uint8Array;
}

/**
 * The part of a transaction without signatures and proofs.
 * @example
 * const { unlockTime }: TxPrefix = tx.prefix;
 * unlockTime; // => 0n
 */
export interface TxPrefix {
  readonly version: 1 | 2;
  /** Unlock time: a height if it is below 500,000,000, otherwise Unix seconds; 0 for no unlock time. */
  readonly unlockTime: bigint;
  readonly inputs: readonly TxInput[];
  readonly outputs: readonly TxOutput[];
  /** Encoded fields; `extra.ts` parses them. */
  readonly extra: Uint8Array;
}

/**
 * A full or pruned transaction. A version 1 transaction has `signatures`, and a version 2 transaction has `rct`.
 * @example
 * const parsed: Transaction = parseTransaction(txs[0].blob);
 * parsed.prefix.version; // => 2
 */
export interface Transaction {
  readonly prefix: TxPrefix;
  /** Signatures of version 1: `signatures[input][ringMember]`, 64 bytes each; empty if pruned. */
  readonly signatures?: readonly (readonly Uint8Array[])[];
  readonly rct?: {
    readonly base: RctBase;
    /** Signatures and proofs; absent for RingCT type 0, and if pruned. */
    readonly prunable?: RctPrunable;
  };
}

/**
 * Header of a block.
 * @example
 * const header: BlockHeader = block.header;
 * header.timestamp; // => 1_795_630_517
 */
export interface BlockHeader {
  readonly majorVersion: number;
  readonly minorVersion: number;
  /** Time of the block [Unix s]. */
  readonly timestamp: number;
  /** Hash of the block before. */
  readonly prevHash: Hash;
  readonly nonce: number;
}

/**
 * A block, which names its transactions by their hashes.
 * @example
 * const { txHashes }: Block = block;
 * txHashes.length; // => 2
 */
export interface Block {
  readonly header: BlockHeader;
  readonly minerTx: Transaction;
  /** Hashes of the transactions, without the hash of the miner transaction. */
  readonly txHashes: readonly Hash[];
  /** The tree of outputs; present exactly in blocks from version 17 on. */
  readonly tree?: OutputTree;
}

/**
 * The tree of all spendable outputs of the chain, as a block names it.
 * @example
 * const tree: OutputTree | undefined = block.tree;
 * tree; // => undefined
 */
export interface OutputTree {
  /** Number of layers, 0 to 12. */
  readonly layers: number;
  /** Root of the tree: 32 bytes, a point of one of the two curves of the tree. */
  readonly root: Uint8Array;
}

/**
 * Index of an address in a wallet.
 * @example
 * const index: SubaddressIndex = found[1].outputs[0].subaddress;
 * index; // => { major: 0, minor: 1 }
 */
export interface SubaddressIndex {
  /** Index of the account. */
  readonly major: number;
  /** Index of the address in its account; 0 is the account's primary address. */
  readonly minor: number;
}

/**
 * Kind of an address: `standard` has index {0, 0} of its wallet; `integrated` contains a payment id.
 * @example
 * const kind: AddressKind = parseAddress(primary).kind;
 * kind; // => 'standard'
 */
export type AddressKind = 'standard' | 'subaddress' | 'integrated';

/**
 * Network, kind and keys of an address.
 * @example
 * const parsed: Address = parseAddress(address);
 * parsed.paymentId; // => undefined
 */
export interface Address {
  readonly network: NetworkType;
  readonly kind: AddressKind;
  readonly spendPublicKey: PublicKey;
  readonly viewPublicKey: PublicKey;
  /** Payment id; present in integrated addresses only. */
  readonly paymentId?: PaymentId;
}
