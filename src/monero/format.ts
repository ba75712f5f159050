/*
 * Numbers of the encodings of blocks, transactions and portable storage, for the codecs and for the parser of block pages in
 * `wallet/scan/assembly`: the compiler of AssemblyScript reads this file, too, so that it has numbers and functions of
 * numbers alone.
 */

/** Type bytes of inputs and outputs. Source: cryptonote_basic.h `VARIANT_TAG`. */
export const GEN_INPUT = 0xff;
export const KEY_INPUT = 0x02;
export const KEY_OUTPUT = 0x02;
export const TAGGED_KEY_OUTPUT = 0x03;

/** Number that stands for the view tag of an output without one; tags of the old form are bytes. */
export const NO_VIEW_TAG = 0x100;
/**
 * Number that stands for the view tag of an output in the old form, in a transaction of the form of the fork: no wallet
 * receives it. Tags of that form have three bytes, so that no key has this one.
 */
export const UNSCANNED_TAG = 0xffffffff;

/** Number that stands for the input context of a transaction of the old form, which has none. */
export const NO_CONTEXT = 0xffffffff;

/** Tag bytes of the fields of tx_extra, and the greatest lengths of two of them [bytes]. Source: tx_extra.h. */
export const EXTRA_PADDING = 0x00;
export const EXTRA_PUBLIC_KEY = 0x01;
export const EXTRA_NONCE = 0x02;
export const EXTRA_MERGE_MINING = 0x03;
export const EXTRA_ADDITIONAL_KEYS = 0x04;
export const EXTRA_MINERGATE = 0xde;
export const MAX_PADDING = 255;
export const MAX_NONCE = 255;

/** Types of RingCT signatures whose encodings differ in the part that pruning keeps. Source: rctTypes.h `RCTType`. */
export const RCT_NONE = 0;
export const RCT_SIMPLE = 2;
/** First type with amounts of 8 bytes and no mask. */
export const RCT_SHORT_AMOUNTS = 4;
/** Newest type of ring signatures; the type of the fork is in fork-rules.ts. */
export const RCT_NEWEST = 6;

/** Sizes of the encrypted amount of an output: with its mask before {@link RCT_SHORT_AMOUNTS}, without since then [bytes]. */
export const LONG_ECDH_BYTES = 64;
export const SHORT_ECDH_BYTES = 8;

/** First bytes of portable storage: two integers of 4 bytes and a version. Source: portable_storage_base.h. */
export const STORAGE_SIGNATURE_A = 0x01011101;
export const STORAGE_SIGNATURE_B = 0x01020101;
export const STORAGE_VERSION = 1;
/** Types of values in portable storage. */
export const STORAGE_I64 = 1;
export const STORAGE_I32 = 2;
export const STORAGE_I16 = 3;
export const STORAGE_I8 = 4;
export const STORAGE_U64 = 5;
export const STORAGE_U32 = 6;
export const STORAGE_U16 = 7;
export const STORAGE_U8 = 8;
export const STORAGE_DOUBLE = 9;
export const STORAGE_STRING = 10;
export const STORAGE_BOOL = 11;
export const STORAGE_OBJECT = 12;
/** Flag in a type byte: the value is a list. */
export const STORAGE_LIST = 0x80;
/** Greatest number of sections in each other. */
export const STORAGE_DEPTH = 50;

/** Returns the smallest size of a value in portable storage by its type [bytes]; 0 for an unknown type. */
export function smallestInStorage(type: number): number {
  if (type === STORAGE_I64 || type === STORAGE_U64 || type === STORAGE_DOUBLE) return 8;
  if (type === STORAGE_I32 || type === STORAGE_U32) return 4;
  if (type === STORAGE_I16 || type === STORAGE_U16) return 2;
  return type === STORAGE_I8 || type === STORAGE_U8 || (type >= STORAGE_STRING && type <= STORAGE_OBJECT)
    ? 1
    : 0;
}

/**
 * Returns the width of the second layer of a Merkle tree: the greatest power of two below the number of its hashes. The
 * first `2·width − hashes` of them move to that layer unchanged, the others in pairs.
 * @param hashes ≥ 2. Source: crypto/tree-hash.c `tree_hash_cnt`.
 */
export function treeWidth(hashes: number): number {
  let width = 1;
  while (2 * width < hashes) width *= 2;
  return width;
}

/** Message of the error of a block that does not name the block before it in an answer. */
export const UNLINKED_BLOCK = 'blocks do not chain up';
/** Message of the error of a transaction whose bytes have another hash than its block lists. */
export const ALTERED_TX = 'a transaction differs from its hash';
