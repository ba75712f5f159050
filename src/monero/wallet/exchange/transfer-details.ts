import type { Hash, KeyImage, PublicKey } from '../../crypto/types.js';
import { txPrefix } from '../../cryptonote/transaction.js';
import type { SubaddressIndex, TxPrefix } from '../../cryptonote/types.js';
import { list, u32, u64, varintNumber, type Codec } from '../../../util/codec.js';
import { flag, key, pair, struct, u64Number } from './binary-archive.js';

/**
 * Public nonces and partial key images that one signer contributes for an output. Source: wallet2_types.h
 * `multisig_info`.
 */
export interface MultisigInfo {
  readonly signer: PublicKey;
  readonly nonces: readonly { readonly L: Uint8Array; readonly R: Uint8Array }[];
  readonly partialKeyImages: readonly KeyImage[];
}

/** An output of the wallet, as the reference stores it. Source: wallet2_types.h `transfer_details`. */
export interface TransferDetails {
  readonly height: number;
  /** Prefix of the transaction that contains the output. */
  readonly tx: TxPrefix;
  readonly txHash: Hash;
  /** Index of the output in its transaction. */
  readonly outputIndex: number;
  readonly globalIndex: number;
  readonly spent: boolean;
  readonly frozen: boolean;
  /** Height of the block that spends the output; zero while it is unknown. */
  readonly spentHeight: number;
  /** Key image; zeros or unreliable unless `keyImageKnown` is true. */
  readonly keyImage: KeyImage;
  /** Secret blinding scalar of the commitment, 32 bytes. */
  readonly mask: Uint8Array;
  readonly amount: bigint;
  readonly rct: boolean;
  readonly keyImageKnown: boolean;
  readonly keyImageRequested: boolean;
  /** Index, among the public keys in tx_extra, of the key by which the output is recognised. */
  readonly keyIndex: number;
  readonly subaddress: SubaddressIndex;
  readonly keyImagePartial: boolean;
  /** Secret nonces, 32 bytes each. */
  readonly multisigNonces: readonly Uint8Array[];
  readonly multisigInfo: readonly MultisigInfo[];
  /** Height and hash of each transaction with the output in a ring. */
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
