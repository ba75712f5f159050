import type { Hash, KeyImage, PublicKey } from '../../crypto/types.js';
import { txPrefix } from '../../cryptonote/transaction.js';
import type { SubaddressIndex, TxPrefix } from '../../cryptonote/types.js';
import { list, u32, u64, varintNumber, type Codec } from '../../../util/codec.js';
import { flag, key, pair, struct, u64Number } from './binary-archive.js';

/**
 * One signer's contribution to an output: public nonces and partial key images.
 * Source: wallet2_types.h `multisig_info`.
 */
export interface MultisigInfo {
  readonly signer: PublicKey;
  readonly nonces: readonly { readonly L: Uint8Array; readonly R: Uint8Array }[];
  readonly partialKeyImages: readonly KeyImage[];
}

/** An output as the reference stores it. Source: wallet2_types.h `transfer_details`. */
export interface TransferDetails {
  readonly height: number;
  /** Prefix of the containing transaction. */
  readonly tx: TxPrefix;
  readonly txHash: Hash;
  /** Within the transaction. */
  readonly outputIndex: number;
  readonly globalIndex: number;
  readonly spent: boolean;
  readonly frozen: boolean;
  /** Zero while unknown. */
  readonly spentHeight: number;
  /** Zeros or unreliable unless `keyImageKnown`. */
  readonly keyImage: KeyImage;
  /** 32 bytes, blinding scalar of the commitment. Secret. */
  readonly mask: Uint8Array;
  readonly amount: bigint;
  readonly rct: boolean;
  readonly keyImageKnown: boolean;
  readonly keyImageRequested: boolean;
  /** Index of the public key in the extra field that opens it. */
  readonly keyIndex: number;
  readonly subaddress: SubaddressIndex;
  readonly keyImagePartial: boolean;
  /** 32 bytes each. Secret. */
  readonly multisigNonces: readonly Uint8Array[];
  readonly multisigInfo: readonly MultisigInfo[];
  /** Height and hash of transactions with the output in a ring. */
  readonly uses: readonly (readonly [number, Hash])[];
}

export const subaddressIndex: Codec<SubaddressIndex> = struct<SubaddressIndex>({ major: u32, minor: u32 });

export const multisigInfo: Codec<MultisigInfo> = struct<MultisigInfo>({
  signer: key<PublicKey>(),
  nonces: list(struct({ L: key(), R: key() })),
  partialKeyImages: list(key<KeyImage>()),
});

export const transferDetails: Codec<TransferDetails> = struct<TransferDetails>({
  height: u64Number,
  tx: txPrefix,
  txHash: key<Hash>(),
  outputIndex: u64Number,
  globalIndex: u64Number,
  spent: flag,
  frozen: flag,
  spentHeight: u64Number,
  keyImage: key<KeyImage>(),
  mask: key(),
  amount: u64,
  rct: flag,
  keyImageKnown: flag,
  keyImageRequested: flag,
  keyIndex: u64Number,
  subaddress: subaddressIndex,
  keyImagePartial: flag,
  multisigNonces: list(key()),
  multisigInfo: list(multisigInfo),
  uses: list(pair(varintNumber, key<Hash>())),
});
