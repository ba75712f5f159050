import type { Hash, KeyImage, PublicKey } from '../crypto/types.js';
import type { RctBase, RctPrunable } from '../ringct/types.js';
import type { Amount } from '../../util/amount.js';
import type { Bytes } from '../../util/bytes.js';

export type NetworkType = 'mainnet' | 'testnet' | 'stagenet';

/** 8 bytes; encrypted on chain, plain in an integrated address. */
export type PaymentId = Bytes<'PaymentId'>;

/** Input of a miner transaction. */
export interface GenInput {
  readonly type: 'gen';
  readonly height: number;
}

export interface KeyInput {
  readonly type: 'key';
  /** Zero for RingCT. */
  readonly amount: Amount;
  /** Relative offsets: the first is absolute, each further one is the distance to its predecessor. */
  readonly keyOffsets: readonly bigint[];
  readonly keyImage: KeyImage;
}

export type TxInput = GenInput | KeyInput;

export interface TxOutput {
  /** Zero for RingCT other than miner transactions. */
  readonly amount: Amount;
  readonly publicKey: PublicKey;
  /** One byte, 0 to 255; absent before hard fork 15. */
  readonly viewTag?: number;
}

export interface TxPrefix {
  readonly version: 1 | 2;
  readonly unlockTime: bigint;
  readonly inputs: readonly TxInput[];
  readonly outputs: readonly TxOutput[];
  /** Wire encoding; `extra.ts` parses it. */
  readonly extra: Uint8Array;
}

/** A full or pruned transaction. Exactly one of `signatures` (version 1) and `rct` (version 2) is present. */
export interface Transaction {
  readonly prefix: TxPrefix;
  /** Version 1: `signatures[input][ringMember]`, 64 bytes each; empty when pruned. */
  readonly signatures?: readonly (readonly Uint8Array[])[];
  readonly rct?: {
    readonly base: RctBase;
    /** Absent for type 0 and when pruned. */
    readonly prunable?: RctPrunable;
  };
}

export interface BlockHeader {
  readonly majorVersion: number;
  readonly minorVersion: number;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly prevHash: Hash;
  readonly nonce: number;
}

export interface Block {
  readonly header: BlockHeader;
  readonly minerTx: Transaction;
  readonly txHashes: readonly Hash[];
}

/** Index of an address in a wallet. */
export interface SubaddressIndex {
  /** Account. */
  readonly major: number;
  /** Address within the account; 0 is the account's primary address. */
  readonly minor: number;
}

export type AddressKind = 'standard' | 'subaddress' | 'integrated';

/** A decoded address. */
export interface Address {
  readonly network: NetworkType;
  readonly kind: AddressKind;
  readonly spendPublicKey: PublicKey;
  readonly viewPublicKey: PublicKey;
  /** Integrated addresses only. */
  readonly paymentId?: PaymentId;
}
