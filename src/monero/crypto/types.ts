import type { Bytes } from '../../util/bytes.js';

/** Hash: 32 bytes, Keccak-256. */
export type Hash = Bytes<'Hash'>;
/** 32 bytes, compressed Edwards point; not necessarily on the curve until checked. */
export type PublicKey = Bytes<'PublicKey'>;
/** 32 bytes, little-endian scalar below ℓ. Secret unless a comment says otherwise. */
export type SecretKey = Bytes<'SecretKey'>;
/** 32 bytes, compressed point `x·Hp(X)`. */
export type KeyImage = Bytes<'KeyImage'>;
/**
 * Key derivation: 32 bytes, compressed point `8·a·R`. Secret, because it reveals the outputs and amounts of the
 * transaction.
 */
export type KeyDerivation = Bytes<'KeyDerivation'>;
/** 32 bytes, compressed point `mask·G + amount·H`. */
export type Commitment = Bytes<'Commitment'>;
/** 64 bytes: scalars `c`, `r`. */
export type Signature = Bytes<'Signature'>;
